import type { BrokerRun } from './protocol.ts';

/** numpy and its friends take 300 ms to import: a program that names them gets an interpreter that has them already. */
export function variantOf(run: BrokerRun): 'plain' | 'data' {
  return run.lang === 'python' && !run.level.startsWith('wasm') && /\b(numpy|pandas|matplotlib)\b/.test(run.code) ? 'data' : 'plain';
}
