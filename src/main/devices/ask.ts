import type { WireReply, WireRequest } from '../../shared/contracts/devices.ts';
import type { HandrailError } from '../../shared/errors.ts';
import { requestError } from './failures.ts';
import type { Outcome, Transaction } from './line/transaction.ts';
import type { Wire } from './line/wire.ts';

/** A device that says "busy" (exception 06) is asked again after these pauses; never a write. */
const busyPausesMs = [100, 200, 400, 800];
/** How long a stopped write on the wire may take to show its true end. */
const stoppedWriteMs = 1500;

let isoAt = 0;
let iso = '';
/** The time as text, made once a millisecond. */
function isoNow(): string {
  const now = Date.now();
  if (now !== isoAt) {
    isoAt = now;
    iso = new Date(now).toISOString();
  }
  return iso;
}

/** One caller's request from the first frame to the reply or the error: a transaction, asked again while the device is busy. */
export class Ask implements Transaction {
  readonly unitId: number;
  readonly pdu: Uint8Array;
  readonly isWrite: boolean;
  readonly priority: WireRequest['priority'];
  timeoutMs: number;
  enqueuedAt = 0;
  sentAt = 0;
  deadline = 0;
  frame: Uint8Array | null = null;
  transactionId = 0;
  abandoned = false;
  private readonly wire: Wire;
  private readonly request: WireRequest;
  private readonly resolve: (reply: WireReply) => void;
  private readonly reject: (error: HandrailError) => void;
  private attempts = 1;
  private isOver = false;
  private pause: ReturnType<typeof setTimeout> | null = null;
  private onAbort: (() => void) | null = null;

  constructor(
    wire: Wire,
    request: WireRequest,
    pdu: Uint8Array,
    isWrite: boolean,
    timeoutMs: number,
    resolve: (reply: WireReply) => void,
    reject: (error: HandrailError) => void,
  ) {
    this.wire = wire;
    this.request = request;
    this.unitId = request.unitId;
    this.pdu = pdu;
    this.isWrite = isWrite;
    this.priority = request.priority;
    this.timeoutMs = timeoutMs;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(): void {
    if (this.request.signal) {
      this.onAbort = () => this.stop();
      this.request.signal.addEventListener('abort', this.onAbort, { once: true });
    }
    this.wire.submit(this);
  }

  settle(outcome: Outcome): void {
    if (this.isOver) return;
    if (!outcome.ok) return this.fail(outcome);
    this.end();
    const { answer } = outcome;
    const reply: WireReply = {
      readAt: isoNow(),
      durationMs: outcome.durationMs,
      attempts: this.attempts,
      crcValid: outcome.crcValid,
      tx: this.frame!,
      rx: outcome.rx,
    };
    if (answer.words) reply.words = answer.words;
    if (answer.bits) reply.bits = answer.bits;
    if (answer.data) reply.data = answer.data;
    if (answer.objects) reply.objects = answer.objects;
    if (answer.records) reply.records = answer.records;
    if (answer.next !== undefined) reply.next = answer.next;
    if (outcome.broadcast) reply.broadcast = true;
    if (outcome.unverified) reply.unverified = true;
    this.resolve(reply);
  }

  private fail(outcome: Extract<Outcome, { ok: false }>): void {
    const pauseMs = busyPausesMs[this.attempts - 1];
    const isBusy = outcome.exceptionCode === 6 && !this.isWrite && !this.request.once;
    if (isBusy && pauseMs !== undefined && !this.abandoned) {
      this.attempts++;
      this.sentAt = 0;
      this.pause = setTimeout(() => this.wire.submit(this), pauseMs);
      return;
    }
    this.end();
    this.reject(requestError(this.wire.config, this.request, this, outcome));
  }

  /** Stop: what waits is gone; a read on the wire is let go, its answer will be thrown away; a write that has left shows its true end. */
  private stop(): void {
    if (this.isOver) return;
    const cancelled = (sent: boolean, durationMs = 0): void =>
      this.fail({ ok: false, failure: 'CANCELLED', reason: 'stopped by a person', rx: null, crcValid: null, durationMs, sent });
    const waited = this.wire.abandon(this) || this.pause !== null;
    if (waited || this.sentAt === 0) return cancelled(false);
    if (!this.isWrite) return cancelled(true, performance.now() - this.sentAt);
    this.pause = setTimeout(() => cancelled(true, performance.now() - this.sentAt), stoppedWriteMs);
  }

  private end(): void {
    this.isOver = true;
    if (this.pause) clearTimeout(this.pause);
    if (this.onAbort) this.request.signal?.removeEventListener('abort', this.onAbort);
  }
}
