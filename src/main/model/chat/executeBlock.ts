import type { RunLang } from '../../../shared/contracts/sandbox.ts';
import { withoutThinking } from '../classify/index.ts';

const langs: Record<string, RunLang> = {
  python: 'python',
  py: 'python',
  javascript: 'javascript',
  js: 'javascript',
  sql: 'sql',
  shell: 'shell',
  sh: 'shell',
};

/**
 * `<execute lang="python">…</execute>`: a program the model wrote in its answer. Null while it is not closed. The first closing
 * tag ends it, whatever follows: generation stops there.
 */
export function findExecuteBlock(content: string): { lang: RunLang; code: string; before: string } | null {
  if (!content.includes('</execute>')) return null;
  const visible = withoutThinking(content);
  const found = /<execute(?:\s+(?:lang|language)\s*=\s*["']?(\w+)["']?)?\s*>([\s\S]*?)<\/execute>/i.exec(visible);
  if (found === null) return null;
  const lang = langs[(found[1] ?? 'javascript').toLowerCase()];
  if (lang === undefined) return null;
  const fenced = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(found[2]!);
  return { lang, code: (fenced?.[1] ?? found[2]!).replace(/^\n+|\s+$/g, ''), before: visible.slice(0, found.index).trim() };
}
