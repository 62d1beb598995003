/** The hidden page of one run: takes a port from whoever opened it, and passes bytes between that port and the run's worker. */
import { createByteQueueWriter } from './byteQueue.mjs';

function serve(port) {
  const worker = new Worker('/run-worker.js', { type: 'module' });
  let queue = null;
  worker.onmessage = ({ data }) => {
    if (data.t === 'drained') queue?.flush();
    else port.postMessage(data);
    if (data.t === 'exit') worker.terminate();
  };
  worker.onerror = (event) => port.postMessage({ t: 'failed', reason: String(event.message ?? 'the worker could not be loaded') });
  port.onmessage = ({ data }) => {
    if (data.t === 'input') return queue?.push(data.bytes);
    if (!crossOriginIsolated) return port.postMessage({ t: 'failed', reason: 'the page has no shared memory' });
    queue = createByteQueueWriter();
    worker.postMessage({ queue: queue.buffer, lang: data.lang, setup: data.setup });
  };
}

addEventListener('message', (event) => {
  if (event.source === window && event.data === 'handrail:run' && event.ports[0] !== undefined) serve(event.ports[0]);
});
