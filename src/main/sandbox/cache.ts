/**
 * Results of programs that would give the same again. A program that asked the plant is never kept, nor one that names a clock
 * or chance; the key holds everything else a result can depend on.
 */
import { createHash } from 'node:crypto';
import type { RunResult } from '../../shared/contracts/sandbox.ts';
import type { BrokerRun } from './protocol.ts';

/** Raised when checks, packing or masking change, so that an older answer is not given for the newer rules. */
const POLICY_VERSION = 2;
const clockOrChance =
  /\b(time|datetime|date|now|today|random|secrets|uuid\w*|urandom|getpid|Date|performance|current_\w+|localtime\w*|gen_random_uuid|setseed|sample|tablesample|shuffle|id|hash|srand|rand)\b/i;

export function cacheKey(run: BrokerRun): string | null {
  if (clockOrChance.test(run.code)) return null;
  const key = createHash('sha256');
  const { inputs, ...rest } = run;
  key.update(JSON.stringify({ version: POLICY_VERSION, ...rest }));
  for (const input of inputs) {
    key.update(`\0${input.name}\0${createHash('sha256').update(input.bytes).digest('hex')}`);
  }
  return key.digest('hex');
}

export function createResultCache(maxEntries = 64, maxChars = 200_000) {
  const kept = new Map<string, string>();
  return {
    get(key: string): RunResult | null {
      const text = kept.get(key);
      if (text === undefined) return null;
      kept.delete(key);
      kept.set(key, text);
      const result = JSON.parse(text) as RunResult;
      return { ...result, metadata: { ...result.metadata, cached: true } };
    },
    put(key: string, result: RunResult): void {
      if (result.status !== 'ok') return;
      const text = JSON.stringify(result);
      if (text.length > maxChars) return;
      kept.set(key, text);
      if (kept.size > maxEntries) kept.delete(kept.keys().next().value!);
    },
  };
}
