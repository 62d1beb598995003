/** One program in a worker of a hidden page: waits for bytes in shared memory, hands everything out by message. */
import { runPython } from '../wasm/pythonRun.mjs';
import { runJavascript } from '../wasm/quickjsRun.mjs';
import { createByteQueueReader } from './byteQueue.mjs';

/** The host ends a run that writes more than this; what comes later need not leave the worker. */
const STREAM_BYTES = 8 << 20;

class RunEnded extends Error {}

function workerIo(queue) {
  const sent = [0, 0, 0, 0, 0];
  let memory;
  return {
    receive(most) {
      const bytes = queue.receive(most);
      postMessage({ t: 'drained' });
      return bytes;
    },
    write(fd, bytes) {
      if (sent[fd] > STREAM_BYTES) return;
      sent[fd] += bytes.length;
      postMessage({ t: 'bytes', fd, bytes, heap: memory?.buffer.byteLength ?? 0 });
    },
    exit(code) {
      postMessage({ t: 'exit', code });
      throw new RunEnded();
    },
    /** The program's WebAssembly memory, once it exists: its size goes out with every report. */
    uses(wasmMemory) {
      memory = wasmMemory;
    },
  };
}

async function run({ queue, lang, setup }) {
  const io = workerIo(createByteQueueReader(queue));
  if (lang === 'python') runPython(io, setup);
  else await runJavascript(io, setup);
}

onmessage = ({ data }) => {
  run(data).catch((error) => {
    if (!(error instanceof RunEnded)) postMessage({ t: 'failed', reason: `${error?.name}: ${error?.message}`.slice(0, 300) });
  });
};
