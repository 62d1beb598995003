/** One program in a hidden page, with the face of a child process: streams, report channel, end. */
import { EventEmitter } from 'node:events';
import type { FromPage, HiddenPage, HiddenRenderer, ToPage } from '../../shared/contracts/hiddenPage.ts';
import type { Interpreter } from './broker/member.ts';

/** A page that says nothing for so long will not run anything; a loaded machine needs some seconds. */
const START_MS = 30_000;

export type RendererChild = Interpreter & { heapMb(): number };

export function startRendererChild(renderer: HiddenRenderer, start: Extract<ToPage, { t: 'start' }>): RendererChild {
  const events = new EventEmitter();
  const outlets = new Map([1, 2, 4].map((fd) => [fd, new EventEmitter()]));
  const early: Uint8Array[] = [];
  let page: HiddenPage | null = null;
  let exitCode: number | null = null;
  let killed = false;
  let over = false;
  let heapBytes = 0;

  const end = (): void => {
    if (over) return;
    over = true;
    clearTimeout(late);
    events.emit('close', exitCode, exitCode === null ? 'SIGKILL' : null);
  };
  const fail = (reason: string): void => {
    if (over) return;
    events.emit('error', new Error(reason));
    kill();
  };
  function kill(): boolean {
    killed = true;
    if (page === null) end();
    else page.kill();
    return true;
  }
  const late = setTimeout(() => fail('the hidden page did not start'), START_MS);
  late.unref();
  function hear(given: unknown): void {
    clearTimeout(late);
    const message = asMessage(given);
    if (killed || exitCode !== null) return;
    if (message === null) fail('the page said something that is no message');
    else if (message.t === 'failed') fail(message.reason);
    else if (message.t === 'exit') {
      exitCode = message.code;
      page?.kill();
    } else {
      heapBytes = Math.max(heapBytes, message.heap);
      outlets.get(message.fd)?.emit('data', Buffer.from(message.bytes));
    }
  }
  renderer.open().then(
    (opened) => {
      page = opened;
      opened.onGone(end);
      if (killed) {
        opened.kill();
        return;
      }
      opened.onMessage(hear);
      opened.send(start);
      for (const bytes of early.splice(0)) opened.send({ t: 'input', bytes });
    },
    (error: unknown) => fail(error instanceof Error ? error.message : String(error)),
  );

  const input = Object.assign(new EventEmitter(), {
    write(bytes: Uint8Array | string): boolean {
      const plain = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      if (page === null) early.push(plain);
      else if (!over) page.send({ t: 'input', bytes: plain });
      return true;
    },
  });
  return {
    pid: undefined,
    get exitCode() {
      return over ? exitCode : null;
    },
    get signalCode() {
      return over && exitCode === null ? ('SIGKILL' as const) : null;
    },
    stdout: outlets.get(1)!,
    stderr: outlets.get(2)!,
    stdio: [null, outlets.get(1)!, outlets.get(2)!, input, outlets.get(4)!],
    on: (event: string, listener: (...given: never[]) => void) => events.on(event, listener as (...given: unknown[]) => void),
    kill,
    heapMb: () => heapBytes / (1 << 20),
  };
}

/** What comes from a page may be anything; null: none of the messages it may send. */
function asMessage(given: unknown): FromPage | null {
  if (given === null || typeof given !== 'object') return null;
  const { t, fd, bytes, heap, code, reason } = given as Record<string, unknown>;
  if (t === 'bytes' && typeof fd === 'number' && bytes instanceof Uint8Array && typeof heap === 'number' && heap >= 0)
    return { t, fd, bytes, heap };
  if (t === 'exit' && Number.isInteger(code)) return { t, code: code as number };
  if (t === 'failed' && typeof reason === 'string') return { t, reason };
  return null;
}
