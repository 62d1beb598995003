/** The broker process, started on first need. */
import { fork, type ChildProcess } from 'node:child_process';
import { entryFile } from '../entries.ts';
import type { FromBroker } from './protocol.ts';
import { createRunsClient, type RunsClient } from './runsClient.ts';

export function createBrokerClient(): RunsClient {
  return createRunsClient((hear, gone) => {
    let child: ChildProcess | null = null;

    function start(): ChildProcess {
      const started = fork(entryFile('sandboxBroker'), [], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        execArgv: ['--no-warnings'],
        env: brokerEnvironment(),
      });
      started.on('message', (message) => hear(message as FromBroker));
      const ended = (why: string): void => {
        if (child === started) child = null;
        gone(why);
      };
      started.on('exit', (code, signal) => ended(`the broker process ended (${signal ?? code})`));
      started.on('error', (error) => ended(error.message));
      started.unref();
      started.channel?.unref();
      return started;
    }

    return {
      send(message) {
        child ??= start();
        child.send(message, () => undefined);
      },
      hold: (on) => (on ? child?.channel?.ref() : child?.channel?.unref()),
      pid: () => child?.pid ?? null,
      async close() {
        const ending = child;
        if (ending === null || ending.exitCode !== null) return;
        const over = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
        ending.ref();
        if (ending.connected) ending.disconnect();
        const last = setTimeout(() => ending.kill('SIGKILL'), 2_000);
        await over;
        clearTimeout(last);
      },
    };
  });
}

/** A written list, not ours: the program's own secrets never come near an interpreter. */
function brokerEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMPDIR', 'HANDRAIL_SANDBOX_DIR', 'ELECTRON_RUN_AS_NODE'];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
