import type { JsonSchema } from '../../../shared/contracts/calls.ts';
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

/** Words for what a program gives, and their schemas; rows of objects come as a table. */
const shapes: Readonly<Record<string, JsonSchema>> = {
  number: { type: 'number' },
  integer: { type: 'integer' },
  string: { type: 'string' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  array: { type: 'array' },
  list: { type: 'array' },
  object: { type: 'object' },
  table: { type: 'object', required: ['columns', 'rows'] },
};

export type ExecuteBlock = {
  lang: RunLang;
  code: string;
  before: string;
  /** What `returns` says the program gives: a JSON schema of its value; null where it says nothing. */
  returns: JsonSchema | null;
  /** Why `returns` cannot be used. The block then does not run: a promise that nobody can check is none. */
  unusable: string | null;
};

const opening = /<execute((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))*)\s*>([\s\S]*?)<\/execute>/i;

/**
 * `<execute lang="python" returns="number">…</execute>`: a program the model wrote in its answer. Null while it is not closed.
 * The first closing tag ends it, whatever follows: generation stops there.
 */
export function findExecuteBlock(content: string): ExecuteBlock | null {
  if (!content.includes('</execute>')) return null;
  const visible = withoutThinking(content);
  const found = opening.exec(visible);
  if (found === null) return null;
  const attributes = readAttributes(found[1]!);
  const lang = langs[(attributes.get('lang') ?? attributes.get('language') ?? 'javascript').toLowerCase()];
  if (lang === undefined) return null;
  const fenced = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(found[2]!);
  const code = (fenced?.[1] ?? found[2]!).replace(/^\n+|\s+$/g, '');
  return { lang, code, before: visible.slice(0, found.index).trim(), ...readReturns(attributes.get('returns')) };
}

function readAttributes(text: string): Map<string, string> {
  const pairs = text.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g);
  return new Map(Array.from(pairs, (m) => [m[1]!.toLowerCase(), m[2] ?? m[3] ?? m[4] ?? '']));
}

function readReturns(text: string | undefined): Pick<ExecuteBlock, 'returns' | 'unusable'> {
  if (text === undefined || text.trim() === '') return { returns: null, unusable: null };
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(shapes, word)) return { returns: shapes[word]!, unusable: null };
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return { returns: schema as JsonSchema, unusable: null };
  } catch {
    // said below
  }
  return { returns: null, unusable: `returns is one of ${Object.keys(shapes).join(', ')}, or a JSON schema in single quotes` };
}
