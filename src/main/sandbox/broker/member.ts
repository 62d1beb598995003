/** One started interpreter of a pool: used for one run at most, then gone with everything below it. */
import { randomBytes } from 'node:crypto';
import type { BrokerRun, RawRun, RunEnd } from '../protocol.ts';
import { runLimits } from '../limits.ts';
import { createFileDump } from './fileDump.ts';
import { createChannelReader, createKeeper } from './channel.ts';
import { killGroup, treeMemory } from './processes.ts';

type Outlet = {
  readonly bytesRead?: number;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
};
type Inlet = { write(chunk: Uint8Array | string): boolean; on(event: 'error', listener: () => void): unknown };

/** What of a child process a run needs; a page of the hidden renderer has the same face, without a process number. */
export type Interpreter = {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdout: Outlet | null;
  readonly stderr: Outlet | null;
  /** 1 and 2 streams, 3 request, 4 report. */
  readonly stdio: readonly (Outlet | Inlet | null | undefined)[];
  on(event: 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  kill(signal: 'SIGKILL'): boolean;
};

export type Started = {
  child: Interpreter;
  runtime: string;
  /** How the request of a run is written to descriptor 3. */
  request(run: BrokerRun, mark: string): Uint8Array[];
  /** MB of resident memory of the whole tree at which the watch ends the run. */
  watchMb(run: BrokerRun): number;
  memorySource: 'vmhwm' | 'wasm-heap';
  /** MB of WebAssembly memory as the run itself tells; where there is no process to look at. */
  heapMb?: () => number;
  /** The run ends with a dump of its files instead of a report that names them. */
  dumpsFiles?: boolean;
  /** Ends the run's extra surroundings (a cgroup) and says what they measured. */
  dispose?: () => { peakMb: number; outOfMemory: boolean } | null;
};

export type MemberEvents = { running(): void; ask(call: number, name: string, args: string): void };
type State = 'starting' | 'ready' | 'used' | 'gone';

type Message = { kind?: unknown; call?: unknown; name?: unknown; args?: unknown };

/** What carries the mark but is no message ends the run as a report that is refused; waiting for a better one would last to the deadline. */
function spoken(text: string): Message {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    return {};
  }
}

export class Member {
  readonly started: Started;
  readonly pid: number;
  readonly bornAt = performance.now();
  state: State = 'starting';
  readonly ready: Promise<boolean>;
  private settleReady: (ok: boolean) => void = () => undefined;
  private startMs = 0;
  private sentAt = 0;
  private events: MemberEvents | null = null;
  private report: string | null = null;
  private end: RunEnd | null = null;
  private peakMb = 0;
  private reason: string | null = null;
  private asked = 0;
  private inputs: string[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly stdout;
  private readonly stderr;
  private readonly channel;
  private readonly closed: Promise<{ code: number | null; signal: string | null }>;
  private readonly measured: Promise<{ peakMb: number; outOfMemory: boolean } | null>;
  private readonly delivered: Promise<void>;
  private settleDelivered: () => void = () => undefined;

  constructor(started: Started) {
    this.started = started;
    this.pid = started.child.pid ?? 0;
    this.ready = new Promise((resolve) => {
      this.settleReady = resolve;
    });
    const { child } = started;
    const flood = (): void => this.finish('output_limit');
    this.stdout = createKeeper(runLimits.streamKeptBytes, runLimits.streamKillBytes, flood);
    this.stderr = createKeeper(runLimits.streamKeptBytes, runLimits.streamKillBytes, flood);
    this.channel = createChannelReader(
      (text) => this.hear(text),
      runLimits.channelBytes,
      () => this.finish('result_limit'),
    );
    child.stdout!.on('data', (chunk: Buffer) => this.stdout.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    (child.stdio[4] as Outlet).on('data', (chunk: Buffer) => this.channel.push(chunk));
    for (const stream of child.stdio) stream?.on('error', () => undefined); // the other side may die at any time
    this.closed = new Promise((resolve) => {
      child.on('error', (error) => {
        this.reason = error.message;
        resolve({ code: null, signal: null });
        this.settleReady(false);
      });
      child.on('close', (code, signal) => {
        resolve({ code, signal });
        this.settleReady(false);
      });
    });
    this.delivered = new Promise((resolve) => {
      this.settleDelivered = resolve;
    });
    this.measured = this.closed.then(() => {
      this.state = 'gone';
      return started.dispose?.() ?? null;
    });
  }

  /** Text that explains why a start failed: the interpreter's or bubblewrap's own words. */
  startError(): string {
    return this.reason ?? Buffer.from(this.stderr.take().bytes).toString('utf8').trim().slice(-300);
  }

  private hear(text: string): void {
    const message = spoken(text);
    if (message.kind === 'ready' && this.state === 'starting') {
      this.startMs = performance.now() - this.bornAt;
      this.state = 'ready';
      this.settleReady(true);
      return;
    }
    if (this.state !== 'used' || this.end !== null) return;
    if (message.kind === 'started') this.events?.running();
    else if (message.kind === 'files' && this.started.dumpsFiles === true) this.collectFiles(Number((message as { exit?: unknown }).exit));
    else if (message.kind === 'ask') this.ask(message);
    else {
      this.report = text;
      this.finish('reported');
    }
  }

  private collectFiles(exit: number): void {
    const dump = createFileDump((files) => {
      const given = new Set(this.inputs);
      this.report = JSON.stringify({ kind: 'shell', exit, files: files.filter((file) => !given.has(file.name)) });
      this.finish('reported');
    });
    this.channel.passOn((chunk) => dump.push(chunk), runLimits.workspaceBytes + runLimits.channelBytes);
  }

  private ask(message: { call?: unknown; name?: unknown; args?: unknown }): void {
    const call = Number(message.call);
    this.asked += 1;
    if (this.asked > runLimits.toolCalls) {
      this.answer(call, null, `A run may ask the plant ${runLimits.toolCalls} times.`);
      return;
    }
    this.events?.ask(call, String(message.name), JSON.stringify(message.args ?? {}));
  }

  answer(_call: number, value: string | null, error: string | null): void {
    if (this.state !== 'used' || this.end !== null) return;
    this.input.write(error !== null ? `${JSON.stringify({ error })}\n` : `{"value":${value ?? 'null'}}\n`);
  }

  private get input(): Inlet {
    return this.started.child.stdio[3] as Inlet;
  }

  async run(run: BrokerRun, events: MemberEvents): Promise<RawRun> {
    this.events = events;
    this.inputs = run.inputs.map((input) => input.name);
    this.state = 'used';
    const mark = randomBytes(12).toString('hex');
    this.channel.setMark(mark);
    this.sentAt = performance.now();
    for (const part of this.started.request(run, mark)) this.input.write(part);
    this.timers.push(setTimeout(() => this.finish('timeout'), run.timeoutMs));
    this.timers.push(setInterval(() => this.watch(run), runLimits.watchEveryMs));
    const closed = await Promise.race([this.closed, this.delivered]);
    const execMs = performance.now() - this.sentAt;
    this.timers.forEach((timer) => clearInterval(timer));
    const { code, signal } = closed ?? { code: null, signal: 'SIGKILL' };
    const measured = closed === undefined ? null : await this.measured;
    if (this.end === null) this.end = measured?.outOfMemory === true ? 'memory' : 'exit';
    const peak = Math.max(measured?.peakMb ?? 0, this.peakMb, this.started.heapMb?.() ?? 0);
    return {
      end: this.end,
      report: this.report,
      foreignBytes: this.channel.foreignBytes(),
      exitCode: code,
      signal,
      stdout: this.stdout.take(),
      stderr: this.stderr.take(),
      execMs,
      startMs: this.startMs,
      memoryMb: peak > 0 ? peak : null,
      memorySource: measured !== null ? 'cgroup' : peak > 0 ? this.started.memorySource : 'unknown',
      runtime: this.started.runtime,
      reason: this.reason,
    };
  }

  private watch(run: BrokerRun): void {
    const memory = treeMemory(this.pid);
    if (memory === null) return;
    this.peakMb = Math.max(this.peakMb, memory.peakMb);
    if (memory.rssMb > this.started.watchMb(run)) this.finish('memory');
  }

  /** The first reason wins; whatever the program still does is over. */
  finish(end: RunEnd): void {
    if (this.end === null) {
      this.end = end;
      this.peakMb = Math.max(this.peakMb, treeMemory(this.pid)?.peakMb ?? 0);
    }
    this.kill();
    if (this.end === 'reported' && this.started.dispose === undefined) void this.deliver();
  }

  /**
   * A report counts once everything printed before it was read: one whole turn of the event loop that brought nothing. The kill is on
   * its way then; nobody waits until the kernel has taken the interpreter apart.
   */
  private async deliver(): Promise<void> {
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const { stdout, stderr } = this.started.child;
    const read = (): number => (stdout?.bytesRead ?? 0) + (stderr?.bytesRead ?? 0); // a page's messages keep their order
    for (let before = -1; before !== read(); await turn()) {
      before = read();
      await turn();
    }
    this.settleDelivered();
  }

  kill(): void {
    const { child } = this.started;
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  }
}
