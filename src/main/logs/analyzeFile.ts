import { analyze } from './analyze.ts';
import type { LogAnswer, LogQuestion } from './types.ts';

export type AnalyzeOptions = { signal?: AbortSignal; onProgress?: (bytes: number) => void };

/** Answers a question about a log or table given as bytes or as a path. */
export function analyzeFile(source: string | Uint8Array, question: LogQuestion, options: AnalyzeOptions = {}): Promise<LogAnswer> {
  return analyze(typeof source === 'string' ? { path: source } : { bytes: source }, question, options);
}
