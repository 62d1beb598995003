import { parentPort, workerData } from 'node:worker_threads';
import { asHandrailError } from '../../shared/errors.ts';
import { doRecordJob, type RecordJob } from './recordJobs.ts';

// A thread of its own: verification and export of a long record. Answers one message and ends.
try {
  parentPort?.postMessage({ done: await doRecordJob(workerData as RecordJob) });
} catch (thrown) {
  const { code, text, retry, detail } = asHandrailError(thrown);
  parentPort?.postMessage({ failed: { code, text, retry, detail } });
}
