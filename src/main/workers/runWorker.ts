import { Worker } from 'node:worker_threads';
import { HandrailError, type Bilingual, type ErrorCode, type Retry } from '../../shared/errors.ts';
import { entryFile, type EntryName } from '../entries.ts';

/** A job streams; one that grows past this is at fault and ends alone, not together with the program. */
const maxHeapMb = 256;
/** Small, so that a stream of rows is collected as it passes instead of filling the memory first. */
const youngHeapMb = 8;

type Answer =
  | { done: unknown }
  | { failed: { code: ErrorCode; text: { message: Bilingual; advice: Bilingual }; retry: Retry; detail: Record<string, unknown> } };

/**
 * Runs one job in a thread of its own: the entry gets `data` as its workerData, posts one answer (`done` or `failed`) and
 * ends. Aborting stops it where it is, so a job must leave nothing half done that counts as done.
 */
export function runWorker(entry: EntryName, data: unknown, options: { signal?: AbortSignal } = {}): Promise<unknown> {
  const { signal } = options;
  if (signal?.aborted === true) return Promise.reject(new HandrailError('CANCELLED'));
  const worker = new Worker(entryFile(entry), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
  });
  return new Promise<unknown>((resolve, reject) => {
    const stop = (): void => {
      reject(new HandrailError('CANCELLED'));
      void worker.terminate();
    };
    signal?.addEventListener('abort', stop, { once: true });
    worker.once('message', (answer: Answer) => {
      if ('done' in answer) resolve(answer.done);
      else reject(errorFrom(answer.failed));
    });
    worker.once('error', (cause) => {
      reject(
        new HandrailError('INTERNAL', {
          detail: { reason: `the job ${entry} failed: ${cause instanceof Error ? cause.message : String(cause)}` },
          cause,
        }),
      );
    });
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', stop);
      reject(new HandrailError('INTERNAL', { detail: { reason: `the job ${entry} ended with ${code} and no answer` } })); // no effect once answered
    });
  });
}

function errorFrom(failed: Extract<Answer, { failed: unknown }>['failed']): HandrailError {
  return new HandrailError(failed.code, {
    message: failed.text.message,
    advice: failed.text.advice,
    retry: failed.retry,
    detail: failed.detail,
  });
}
