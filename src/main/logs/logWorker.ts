import { parentPort, workerData } from 'node:worker_threads';
import { asHandrailError } from '../../shared/errors.ts';
import { analyze, type LogInput } from './analyze.ts';
import type { LogQuestion } from './types.ts';

// Runs in a thread of its own: reads one file and answers one question about it.
const { input, question } = workerData as { input: LogInput; question: LogQuestion };
try {
  parentPort?.postMessage({ done: await analyze(input, question) });
} catch (thrown) {
  const { code, text, retry, detail } = asHandrailError(thrown);
  parentPort?.postMessage({ failed: { code, text, retry, detail } });
}
