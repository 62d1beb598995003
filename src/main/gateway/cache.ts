import { canonicalJson } from '../../shared/canonicalJson.ts';

/** The last results by tool and arguments, oldest dropped first. Two uses, never mixed: deterministic results, and fallbacks that show their age. */
export function createResultCache(limits = { entries: 500, bytes: 20_000_000 }) {
  const kept = new Map<string, { text: string; at: number }>();
  let bytes = 0;
  const keyOf = (tool: string, args: Record<string, unknown>): string => `${tool} ${canonicalJson(args)}`;
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  };
  return {
    get(tool: string, args: Record<string, unknown>): { result: unknown; at: number } | undefined {
      const key = keyOf(tool, args);
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return { result: JSON.parse(found.text) as unknown, at: found.at }; // a fresh copy: nobody can change what is kept
    },
    set(tool: string, args: Record<string, unknown>, result: unknown, at: number): void {
      const text = JSON.stringify(result);
      if (text === undefined || text.length > limits.bytes / 10) return;
      const key = keyOf(tool, args);
      drop(key);
      kept.set(key, { text, at });
      bytes += text.length;
      while (kept.size > limits.entries || bytes > limits.bytes) drop(kept.keys().next().value!);
    },
    size: () => kept.size,
  };
}
