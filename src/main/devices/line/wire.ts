import type { ConnectionConfig, LineHealth, LineState } from '../../../shared/contracts/devices.ts';
import type { HandrailError } from '../../../shared/errors.ts';
import { encodeAscii } from '../framing/ascii.ts';
import { scanAscii, scanRtu } from '../framing/lineScan.ts';
import { encodeRtu } from '../framing/rtu.ts';
import { openError } from '../failures.ts';
import type { FrameTap } from '../tap.ts';
import { OpenFailure, type Transport, type TransportEvents } from '../transport/transport.ts';
import { LineConversation } from './lineConversation.ts';
import { RequestQueue } from './queue.ts';
import { LineStatistics } from './statistics.ts';
import { TcpConversation } from './tcpConversation.ts';
import { characterMs, silenceMs } from './timing.ts';
import { failed, type Conversation, type ConversationHost, type Failure, type Outcome, type Transaction } from './transaction.ts';

export type WireDeps = {
  tap: FrameTap;
  openTransport(config: ConnectionConfig, events: TransportEvents): Promise<Transport>;
  changed(health: LineHealth): void;
  /** The port's own waits between tries, ms; the last one repeats. */
  backoffMs(config: ConnectionConfig): readonly number[];
};

const defaultIdleReleaseMs = 60_000;
/** A person's request may bring the next try forward, but not turn a dead port into a busy loop. */
const retryNotBeforeMs = 150;

/**
 * One wire: its queue, its connection and the conversation on it.
 *
 *   closed ── request ──> opening ──> open ── lost ──> waiting-retry ──> opening …
 *     ^ idle close by the peer          └── idle, release() ──> released ── request ──> opening
 *
 * Each opening is a new epoch. A write never crosses from one to the next: when a connection is lost, queued writes fail
 * unsent, and while it is being recovered new ones are refused at once.
 */
export class Wire {
  readonly config: ConnectionConfig;
  private readonly deps: WireDeps;
  private readonly queue = new RequestQueue();
  private readonly statistics = new LineStatistics();
  private readonly host: ConversationHost;
  private transport: Transport | null = null;
  private conversation: Conversation | null = null;
  private state: LineState = 'closed';
  private since = new Date().toISOString();
  private epoch = 0;
  private error: HandrailError | null = null;
  private tries = 0;
  private triedAt = -Infinity;
  private nextTryAt: string | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | null = null;
  private idleTimer: ReturnType<typeof setTimeout> | null = null;
  private usedAt = performance.now();
  private isOver = false;

  constructor(config: ConnectionConfig, deps: WireDeps) {
    this.config = config;
    this.deps = deps;
    const { counters } = this.statistics;
    const number = deps.tap.connection(config.id);
    this.host = {
      finished: (transaction, outcome) => this.finished(transaction, outcome),
      tap: (direction, bytes, verdict, crcValid, note) =>
        deps.tap.add(number, direction, bytes, 0, bytes.length, verdict, crcValid, performance.now(), note),
      tapPart: (direction, bytes, from, to, now) => deps.tap.add(number, direction, bytes, from, to, 'ok', null, now),
      count: (what) => {
        counters[what]++;
      },
      drop: (reason) => this.lost(reason, true),
      ready: () => this.pump(),
    };
  }

  submit(transaction: Transaction): void {
    const now = performance.now();
    this.usedAt = now;
    transaction.enqueuedAt = now;
    if (this.isOver) return transaction.settle(failed('PORT_CLOSED', 'the connection was taken down', null, null, null, now));
    const isRecovering = this.state === 'waiting-retry' || (this.state === 'opening' && this.tries > 0);
    if (isRecovering && transaction.isWrite) {
      return transaction.settle(failed(this.closedFailure(), 'the connection is being recovered; nothing was sent', null, null, null, now));
    }
    if (this.state === 'open') {
      if (this.queue.size === 0 && this.conversation!.canSend()) return this.send(transaction);
      this.queue.add(transaction);
      return;
    }
    if (
      this.state === 'waiting-retry' &&
      (transaction.priority === 'poll' || now - this.triedAt < retryNotBeforeMs) &&
      this.nextTryIn() > retryNotBeforeMs
    ) {
      return transaction.settle({ ...failed(this.openFailure, this.error?.message ?? 'the connection is closed', null, null, null, now) });
    }
    this.queue.add(transaction);
    if (this.state !== 'opening' && !(this.state === 'waiting-retry' && this.nextTryIn() <= retryNotBeforeMs)) this.open();
  }

  /** The caller gave up. In the queue: gone. On the wire: a read's answer is thrown away, a write goes on to its end. */
  abandon(transaction: Transaction): boolean {
    transaction.abandoned = true;
    return this.queue.remove(transaction);
  }

  private openFailure: Failure = 'PORT_CLOSED';
  private retryAt = 0;
  private nextTryIn = (): number => (this.retryTimer ? this.retryAt - performance.now() : Infinity);
  private closedFailure = (): 'PORT_CLOSED' | 'CONNECTION_CLOSED' => (this.isSerial() ? 'PORT_CLOSED' : 'CONNECTION_CLOSED');
  private isSerial = (): boolean => this.config.kind === 'rtu' || this.config.kind === 'ascii';

  private pump(): void {
    while (this.conversation && this.queue.size > 0 && this.conversation.canSend()) this.send(this.queue.take()!);
  }

  private send(transaction: Transaction): void {
    this.statistics.counters.requests++;
    try {
      this.conversation!.send(transaction);
    } catch (error) {
      // The port turned out to be closed in the moment of writing: nothing left, and nothing may stay behind.
      const reason = error instanceof Error ? error.message : String(error);
      this.lost(reason, false);
      transaction.settle(failed(this.closedFailure(), reason, null, null, null, performance.now()));
    }
  }

  private finished(transaction: Transaction, outcome: Outcome): void {
    const now = performance.now();
    this.usedAt = now;
    if (outcome.ok) {
      this.statistics.counters.answers++;
      this.statistics.took(outcome.durationMs, now);
    } else if (outcome.failure === 'EXCEPTION') {
      this.statistics.counters.exceptions++;
      this.statistics.took(outcome.durationMs, now);
    } else this.statistics.busyFor(outcome.durationMs, now);
    transaction.settle(outcome);
    if (this.queue.size > 0) this.pump();
  }

  /** Opens without a request, for listening. */
  openNow(): void {
    this.usedAt = performance.now();
    if (this.state === 'closed' || this.state === 'released') this.open();
  }

  private open(): void {
    this.clearRetry();
    this.triedAt = performance.now();
    this.setState('opening');
    let transport: Transport | null = null;
    const events: TransportEvents = {
      data: (bytes) => {
        if (transport !== null && this.transport === transport) this.conversation!.received(bytes);
      },
      closed: (reason) => {
        if (transport !== null && this.transport === transport) this.lost(reason, false);
      },
    };
    this.deps.openTransport(this.config, events).then(
      (opened) => {
        transport = opened;
        if (this.isOver || this.state !== 'opening') return opened.destroy();
        this.opened(opened);
      },
      (error: unknown) => {
        if (this.isOver || this.state !== 'opening') return;
        const found = error instanceof OpenFailure ? error.failure : 'PORT_OPEN_FAILED';
        // A port that was open and is gone now has been pulled; "does not exist" would sound like a wrong name.
        const failure = found === 'PORT_NOT_FOUND' && this.epoch > 0 ? 'PORT_CLOSED' : found;
        const reason = error instanceof Error ? error.message : String(error);
        this.openFailure = failure;
        this.error = openError(this.config, failure, reason);
        this.failQueue(() => true, failure, reason);
        this.scheduleRetry();
      },
    );
  }

  private opened(transport: Transport): void {
    this.transport = transport;
    this.epoch++;
    this.tries = 0;
    this.error = null;
    const { config } = this;
    if (config.kind === 'tcp')
      this.conversation = new TcpConversation(this.host, transport, Math.max(1, Math.min(64, config.timing?.inFlight ?? 1)));
    else {
      const isAscii = config.kind === 'ascii' || config.kind === 'ascii_over_tcp';
      const isSerial = this.isSerial() && config.serial;
      this.conversation = new LineConversation(this.host, transport, {
        mode: isAscii ? 'ascii' : 'rtu',
        encode: isAscii ? encodeAscii : encodeRtu,
        scan: isAscii ? scanAscii : scanRtu,
        silenceMs: Math.max(isSerial && !isAscii ? silenceMs(config.serial!) : 0, config.timing?.betweenRequestsMs ?? 0),
        characterMs: isSerial ? characterMs(config.serial!) : 0,
        echo: config.serial?.echo,
      });
    }
    this.setState('open');
    this.watchIdle();
    this.pump();
  }

  /** The connection is gone (`byUs`: given up as not trustworthy). What was asked fails; what waits to be read stays. */
  private lost(reason: string, byUs: boolean): void {
    const conversation = this.conversation;
    if (!conversation) return;
    const wasUsed = conversation.pending() > 0 || this.queue.size > 0;
    this.takeDown(reason);
    this.openFailure = this.closedFailure();
    this.error = openError(this.config, this.closedFailure(), reason);
    this.failQueue((transaction) => transaction.isWrite, this.closedFailure(), reason);
    if (this.isSerial()) return this.scheduleRetry();
    if (!wasUsed && !byUs) return this.setState('closed'); // an idle gateway hung up; the next request opens again
    this.tries = 1; // the first try is at once; a write must still wait until it has succeeded
    this.open();
  }

  private takeDown(reason: string): void {
    const { transport, conversation } = this;
    this.transport = null;
    this.conversation = null;
    if (this.idleTimer) clearTimeout(this.idleTimer);
    this.idleTimer = null;
    transport?.destroy();
    conversation?.closed(this.closedFailure(), reason);
  }

  private failQueue(matches: (transaction: Transaction) => boolean, failure: Failure, reason: string): void {
    const now = performance.now();
    for (const transaction of this.queue.drain(matches)) transaction.settle(failed(failure, reason, null, null, null, now));
  }

  private scheduleRetry(): void {
    const waits = this.deps.backoffMs(this.config);
    const wait = waits[Math.min(this.tries, waits.length - 1)]!;
    this.tries++;
    this.clearRetry();
    const idleFor = performance.now() - this.usedAt;
    if (idleFor > (this.config.timing?.idleReleaseMs ?? defaultIdleReleaseMs) && this.queue.size === 0) {
      this.tries = 0;
      return this.setState('closed'); // nobody has asked for it; the next request tries again
    }
    this.retryAt = performance.now() + wait;
    this.nextTryAt = new Date(Date.now() + wait).toISOString();
    this.retryTimer = setTimeout(() => this.open(), wait);
    this.setState('waiting-retry');
  }

  private clearRetry(): void {
    if (this.retryTimer) clearTimeout(this.retryTimer);
    this.retryTimer = null;
    this.nextTryAt = null;
  }

  /** A port held without need keeps others out: many gateways serve one client, and a serial port one program. */
  private watchIdle(): void {
    const idleMs = this.config.timing?.idleReleaseMs ?? defaultIdleReleaseMs;
    const check = (): void => {
      const idleFor = performance.now() - this.usedAt;
      const isBusy = (this.conversation?.pending() ?? 0) > 0 || this.queue.size > 0;
      if (!isBusy && idleFor >= idleMs) {
        this.takeDown('released because it was idle');
        this.setState('released');
      } else this.idleTimer = setTimeout(check, Math.max(50, idleMs - (isBusy ? 0 : idleFor)));
    };
    this.idleTimer = setTimeout(check, idleMs);
  }

  private setState(state: LineState): void {
    if (state === this.state && state !== 'waiting-retry') return;
    this.state = state;
    this.since = new Date().toISOString();
    this.deps.changed(this.health());
  }

  health(): LineHealth {
    return {
      connection: this.config.id,
      state: this.state,
      since: this.since,
      epoch: this.epoch,
      error: this.error,
      nextTryAt: this.nextTryAt,
      load: this.statistics.load(performance.now()),
      latencyMs: this.statistics.latency(),
      counters: { ...this.statistics.counters },
    };
  }

  /** Frees the port. What was asked or waits fails; the next request opens it again. */
  release(): void {
    this.clearRetry();
    this.tries = 0;
    this.takeDown('released');
    this.failQueue(() => true, this.closedFailure(), 'released');
    this.error = null;
    this.setState('released');
  }

  close(): void {
    this.isOver = true;
    this.clearRetry();
    this.takeDown('taken down');
    this.failQueue(() => true, this.closedFailure(), 'taken down');
    this.setState('closed');
  }
}
