import { statSync } from 'node:fs';
import { runWorker } from '../workers/runWorker.ts';
import { analyze, type LogInput } from './analyze.ts';
import type { LogAnswer, LogQuestion } from './types.ts';

export type AnalyzeOptions = { signal?: AbortSignal };

/** Up to this size reading takes a few milliseconds, less than starting a thread. */
const smallBytes = 512 * 1024;

/** Answers a question about a log or table given as bytes or as a path; a big one in a thread of its own, so that no serial read waits for it. */
export async function analyzeFile(source: string | Uint8Array, question: LogQuestion, { signal }: AnalyzeOptions = {}): Promise<LogAnswer> {
  const input: LogInput = typeof source === 'string' ? { path: source } : { bytes: source };
  const size = typeof source === 'string' ? (statSync(source, { throwIfNoEntry: false })?.size ?? 0) : source.length;
  if (size <= smallBytes) return analyze(input, question, { signal });
  return (await runWorker('logWorker', { input, question }, { signal })) as LogAnswer;
}
