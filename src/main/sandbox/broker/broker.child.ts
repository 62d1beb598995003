/**
 * The broker: a small process of its own that starts every interpreter. A fork blocks for longer the bigger the process is
 * (34 ms at 800 MB), and a jail dies with the thread that started it, so this is neither main nor a worker of it.
 */
import type { ToBroker } from '../protocol.ts';
import { abandonedJails } from './processes.ts';
import { createRuns } from './runs.ts';
import { runtimeFor } from './runtimes.ts';

const runs = createRuns(runtimeFor, (message) => {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
});
process.on('message', (message: ToBroker) => runs.receive(message));

function end(): void {
  runs.close();
  process.exit(0);
}
function sweep(): void {
  for (const pid of abandonedJails()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // another user's, or just gone
    }
  }
}
setTimeout(sweep, 1_000).unref();

process.on('disconnect', end);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, signal === 'SIGINT' ? () => undefined : end);
