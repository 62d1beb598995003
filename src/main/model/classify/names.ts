import type { OfferedTool } from './types.ts';

export type NameMatch = { tool: OfferedTool } | { write: string } | null;

/**
 * Rule 6: the exact name, or for reads a name that differs only in case, separators, namespace or a stuck template token. No
 * edit distance and no part of a name. A folded name that turns out to be a write's is told apart, because it is never taken.
 */
export function matchName(name: unknown, tools: readonly OfferedTool[]): NameMatch {
  if (typeof name !== 'string') return null;
  const exact = tools.find((t) => t.name === name);
  if (exact !== undefined) return { tool: exact };
  const folded = foldName(name);
  const fits = tools.filter((t) => t.name === folded);
  const write = fits.find((t) => t.effect === 'write');
  if (write !== undefined) return { write: write.name };
  return fits.length === 1 ? { tool: fits[0]! } : null;
}

export function foldName(name: string): string {
  let text = name;
  const token = text.indexOf('<|');
  if (token >= 0) text = text.slice(0, token);
  text = text.replace(/^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu, '');
  text = text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2');
  text = text
    .toLowerCase()
    .replace(/[-\s]/g, '_')
    .replace(/_tool$/, '');
  const cut = Math.max(
    text.lastIndexOf('.') + 1,
    text.lastIndexOf(':') + 1,
    text.lastIndexOf('/') + 1,
    text.lastIndexOf('__') < 0 ? 0 : text.lastIndexOf('__') + 2,
  );
  return text.slice(cut);
}
