import { answerLength, judgeAnswer } from '../framing/answers.ts';
import { mbapLength, tcpLengthMax, writeTcp } from '../framing/tcp.ts';
import type { Transport } from '../transport/transport.ts';
import { failed, type Conversation, type ConversationHost, type Failure, type Transaction } from './transaction.ts';

/** Two questions in a row without a byte: the peer of this connection may have gone without a FIN. */
const silentLimit = 2;
const burnedMax = 4096;
const slabBytes = 16_384;

/**
 * Modbus/TCP on one connection. Answers are told apart by a 16-bit transaction id that is not used again while an answer
 * under it may still come. The hot path keeps one timer, joins no buffers unless a frame is split, and makes no promise.
 */
export class TcpConversation implements Conversation {
  private readonly open = new Map<number, Transaction>();
  /** Ids given up on: their late answers are dropped, and no other question gets them. */
  private readonly burned = new Set<number>();
  private readonly host: ConversationHost;
  private readonly transport: Transport;
  private readonly inFlight: number;
  private nextId = 1;
  private rest: Uint8Array | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private timerAt = 0;
  private silent = 0;
  private slab = new Uint8Array(slabBytes);
  private slabAt = 0;
  /** Direction, bytes and time of frames the tap has not seen yet, flat. */
  private readonly soon: (number | Uint8Array)[] = [];
  private unsent: Uint8Array[] = [];
  private over = false;

  constructor(host: ConversationHost, transport: Transport, inFlight: number) {
    this.host = host;
    this.transport = transport;
    this.inFlight = inFlight;
  }

  canSend(): boolean {
    return !this.over && this.open.size < this.inFlight;
  }

  pending(): number {
    return this.open.size;
  }

  send(transaction: Transaction): void {
    let id = this.nextId;
    while (this.open.has(id) || this.burned.has(id)) id = (id + 1) & 0xffff;
    this.nextId = (id + 1) & 0xffff;
    // From Node's pool: a socket turns any other array into a Buffer first, and that costs more than our whole codec.
    const frame = writeTcp(Buffer.allocUnsafe(mbapLength + transaction.pdu.length), id, transaction.unitId, transaction.pdu);
    // The write comes before the book-keeping: the peer works while we do it.
    if (this.inFlight === 1) this.transport.write(frame);
    else this.writeLater(frame);
    const now = performance.now();
    transaction.frame = frame;
    transaction.transactionId = id;
    transaction.sentAt = now;
    transaction.deadline = now + transaction.timeoutMs;
    this.open.set(id, transaction);
    this.tapSoon('tx', frame, now);
    if (this.timer === null || transaction.deadline < this.timerAt - 1) this.arm(transaction.deadline, now);
  }

  /** Kept for the tap until the callers of this turn have gone on: their next question is on the wire before the copying is done. */
  private tapSoon(direction: 'tx' | 'rx', bytes: Uint8Array, now: number): void {
    const { soon } = this;
    if (soon.length === 0) queueMicrotask(this.tapKept);
    soon.push(direction === 'tx' ? 1 : 0, bytes, now);
  }

  private readonly tapKept = (): void => {
    const { soon } = this;
    for (let i = 0; i < soon.length; i += 3) {
      const bytes = soon[i + 1] as Uint8Array;
      this.host.tapPart(soon[i] === 1 ? 'tx' : 'rx', bytes, 0, bytes.length, soon[i + 2] as number);
    }
    soon.length = 0;
  };

  private tap(bytes: Uint8Array, verdict: 'garbage' | 'stray' | 'exception' | 'incomplete', note?: string): void {
    this.tapKept();
    this.host.tap('rx', bytes, verdict, null, note);
  }

  /** With several in flight, what is asked in one turn of the loop leaves in one piece: a system call for many questions. */
  private writeLater(frame: Uint8Array): void {
    this.unsent.push(frame);
    if (this.unsent.length > 1) return;
    setImmediate(() => {
      const frames = this.unsent;
      this.unsent = [];
      if (this.over) return;
      try {
        this.transport.write(frames.length === 1 ? frames[0]! : joined(frames));
      } catch (error) {
        this.give(error instanceof Error ? error.message : String(error));
      }
    });
  }

  received(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.rest) {
      bytes = new Uint8Array(this.rest.length + chunk.length);
      bytes.set(this.rest);
      bytes.set(chunk, this.rest.length);
      this.rest = null;
    }
    let at = 0;
    const end = bytes.length;
    while (at < end && !this.over) {
      if ((end - at >= 3 && bytes[at + 2] !== 0) || (end - at >= 4 && bytes[at + 3] !== 0)) return this.garbage('PROTOCOL_ID', bytes, at);
      if (end - at < 6) break;
      const length = (bytes[at + 4]! << 8) | bytes[at + 5]!;
      if (length < 3 || length > tcpLengthMax) return this.garbage('MBAP_LENGTH', bytes, at);
      const stop = at + 6 + length;
      if (stop > end) break;
      this.frame(bytes, at, stop);
      at = stop;
    }
    if (at < end && !this.over) this.rest = bytes.slice(at);
  }

  private frame(bytes: Uint8Array, at: number, end: number): void {
    const id = (bytes[at]! << 8) | bytes[at + 1]!;
    const transaction = this.open.get(id);
    const rx = this.keep(bytes, at, end);
    this.silent = 0;
    if (!transaction) {
      const late = this.burned.delete(id);
      this.host.count('strays');
      this.tap(rx, 'stray', late ? 'late answer to a question that was given up' : 'nobody asked under this transaction id');
      return;
    }
    this.open.delete(id);
    const now = performance.now();
    const durationMs = now - transaction.sentAt;
    if (bytes[at + 6] !== transaction.unitId) {
      this.tap(rx, 'stray', `unit ${bytes[at + 6]} answers for unit ${transaction.unitId}`);
      this.host.finished(
        transaction,
        failed('UNIT_MISMATCH', `unit ${bytes[at + 6]} answers for unit ${transaction.unitId}`, transaction, rx, null, now),
      );
      return;
    }
    const judged = judgeAnswer(transaction.pdu, rx, mbapLength, end - at);
    switch (judged.kind) {
      case 'answer':
        this.tapSoon('rx', rx, now);
        this.host.ready(); // the next question leaves first: the peer works on it while we hand over this answer
        this.host.finished(transaction, { ok: true, answer: judged.answer, rx, crcValid: null, durationMs });
        return;
      case 'exception':
        this.tap(rx, 'exception');
        this.host.finished(transaction, {
          ...failed('EXCEPTION', `exception ${judged.code}`, transaction, rx, null, now),
          exceptionCode: judged.code,
        } as never);
        return;
      case 'mismatch':
        this.tap(rx, 'stray', judged.reason);
        // A wrong size under our own id means that frame borders can no longer be trusted.
        if (judged.failure === 'BYTE_COUNT_MISMATCH' || judged.failure === 'LENGTH_MISMATCH')
          this.give(`${judged.reason}; the frame borders are not trusted any more`);
        this.host.finished(transaction, failed(judged.failure, judged.reason, transaction, rx, null, now));
        return;
      default:
        judged satisfies never;
    }
  }

  /** A copy that outlives the read buffer. Small copies share a slab: an array buffer of its own for each costs more than the copy. */
  private keep(bytes: Uint8Array, from: number, to: number): Uint8Array {
    const size = to - from;
    if (this.slabAt + size > slabBytes) {
      this.slab = new Uint8Array(slabBytes);
      this.slabAt = 0;
    }
    const { slab, slabAt } = this;
    for (let i = from, p = slabAt; i < to; i++, p++) slab[p] = bytes[i]!;
    this.slabAt += size;
    return new Uint8Array(slab.buffer, slabAt, size);
  }

  private garbage(failure: 'PROTOCOL_ID' | 'MBAP_LENGTH', bytes: Uint8Array, at: number): void {
    const rx = bytes.slice(at, at + 300);
    const reason =
      failure === 'PROTOCOL_ID'
        ? `protocol id ${hex16(rx, 2)} instead of 0`
        : `a length of ${((rx[4]! << 8) | rx[5]!) >>> 0} in the header, allowed are 3 to ${tcpLengthMax}`;
    this.tap(rx, 'garbage', reason);
    const open = this.takeOpen();
    this.give(reason);
    const now = performance.now();
    for (const transaction of open) this.host.finished(transaction, failed(failure, reason, transaction, rx, null, now));
  }

  private arm(deadline: number, now: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timerAt = deadline;
    this.timer = setTimeout(() => this.expire(), Math.max(0, deadline - now));
  }

  /** The loop may have been busy while the answer lay in the kernel: let the poll phase run before giving up. */
  private expire(): void {
    this.timer = null;
    setImmediate(() => {
      if (this.over) return;
      const now = performance.now();
      let next = Infinity;
      for (const [id, transaction] of this.open) {
        if (transaction.deadline > now + 0.5) {
          next = Math.min(next, transaction.deadline);
          continue;
        }
        this.open.delete(id);
        this.burn(id);
        this.host.count('timeouts');
        const torn = this.rest;
        this.silent++;
        if (torn) this.tap(torn, 'incomplete', 'the frame did not complete');
        const { failure, reason } = tornOrSilent(transaction.pdu, torn);
        // Given up before the caller is told: its next question must not go out on a connection that is being dropped.
        if (torn) this.give('a frame did not complete');
        else if (this.silent >= silentLimit) this.give(`${this.silent} questions in a row without an answer`);
        this.host.finished(transaction, failed(failure, reason, transaction, torn, null, now));
        if (this.over) return;
      }
      if (next < Infinity && this.timer === null) this.arm(next, now);
    });
  }

  /** Ids that went unanswered long ago may be used again: there are 65,536, and a device that drops one in ten must not use them up. */
  private burn(id: number): void {
    this.burned.add(id);
    if (this.burned.size <= burnedMax) return;
    const [oldest] = this.burned;
    this.burned.delete(oldest!);
  }

  private give(reason: string): void {
    if (this.over) return;
    this.host.drop(reason);
  }

  closed(failure: 'PORT_CLOSED' | 'CONNECTION_CLOSED', reason: string): void {
    if (this.over) return;
    this.over = true;
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.rest && this.open.size > 0) this.tap(this.rest, 'incomplete', 'the connection ended inside a frame');
    const now = performance.now();
    for (const transaction of this.takeOpen()) this.host.finished(transaction, failed(failure, reason, transaction, null, null, now));
  }

  private takeOpen(): Transaction[] {
    const open = [...this.open.values()];
    this.open.clear();
    return open;
  }
}

/** What half a frame at the deadline was: cut off, or whole behind a header that claims more. */
function tornOrSilent(question: Uint8Array, torn: Uint8Array | null): { failure: Failure; reason: string } {
  if (!torn) return { failure: 'TIMEOUT', reason: 'nothing came' };
  const length = torn.length > mbapLength + 1 ? answerLength(question, torn, mbapLength, torn.length) : 0;
  if (length > 0 && torn.length >= mbapLength + length)
    return { failure: 'MBAP_LENGTH', reason: 'the header claims more bytes than the answer has' };
  return { failure: 'INCOMPLETE', reason: `${torn.length} bytes of an answer` };
}

function joined(frames: readonly Uint8Array[]): Uint8Array {
  const all = Buffer.allocUnsafe(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    all.set(frame, at);
    at += frame.length;
  }
  return all;
}

const hex16 = (bytes: Uint8Array, at: number): string =>
  `${(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16).padStart(4, '0')}h`;
