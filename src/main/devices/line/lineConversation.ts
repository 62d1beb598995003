import { crcFits } from '../framing/checksum.ts';
import { answerBytes } from '../framing/answers.ts';
import type { LineFinding, OtherFrame, Question } from '../framing/lineScan.ts';
import { repeatsRequest } from '../framing/lineScan.ts';
import type { Transport } from '../transport/transport.ts';
import { judgeAfterMs, turnaroundMs } from './timing.ts';
import { failed, type Conversation, type ConversationHost, type Failure, type Transaction } from './transaction.ts';

export type LineOptions = {
  mode: 'rtu' | 'ascii';
  encode(unitId: number, pdu: Uint8Array): Uint8Array;
  scan(question: Question, bytes: Uint8Array, end: number): LineFinding;
  /** Silence kept before a request: t3.5, or what the profile asks for. */
  silenceMs: number;
  characterMs: number;
  /** Set: the line is known to return what is sent. Not set: learned from reads. */
  echo: boolean | undefined;
};

/** Where nothing better is known, noise as long as an answer is given up a little before the deadline, as a checksum error. */
const noiseShare = 0.85;
/** A serial driver may hand over the last bytes a moment late; looked at once more before giving up. */
const lastLookMs = 3;
/** A whole frame inside what may still become a longer answer is believed only after so much silence. */
const insideMs = 150;
/** Nothing of Modbus is longer; what comes beyond it while one question is open is babble. */
const bufferBytes = 4096;

/**
 * One question at a time on a serial line (or on a serial line behind a socket). An answer there names no register and has
 * no number, so the rules are strict: silence before each request, only a whole frame of the right unit, function and size
 * is an answer, and after a question without one the line stays quiet until a late answer must have passed.
 */
export class LineConversation implements Conversation {
  private readonly host: ConversationHost;
  private readonly transport: Transport;
  private readonly options: LineOptions;
  private current: Transaction | null = null;
  private isSent = false;
  private readonly buffer = new Uint8Array(bufferBytes);
  private length = 0;
  private echo: 'yes' | 'no' | 'unknown';
  private lastByteAt = 0;
  private quietUntil = 0;
  private waitStartedAt = 0;
  private waitTimer: ReturnType<typeof setTimeout> | null = null;
  private deadlineTimer: ReturnType<typeof setTimeout> | null = null;
  private judgeTimer: ReturnType<typeof setTimeout> | null = null;
  /** A question went unanswered and its answer never came by: the next answer of that shape may be the old one. */
  private doubt: { unitId: number; functionCode: number; bytes: number; until: number } | null = null;
  private over = false;

  constructor(host: ConversationHost, transport: Transport, options: LineOptions) {
    this.host = host;
    this.transport = transport;
    this.options = options;
    this.echo = options.echo === undefined ? 'unknown' : options.echo ? 'yes' : 'no';
    this.lastByteAt = performance.now();
  }

  canSend(): boolean {
    return !this.over && this.current === null;
  }

  pending(): number {
    return this.current ? 1 : 0;
  }

  send(transaction: Transaction): void {
    this.current = transaction;
    this.isSent = false;
    this.waitStartedAt = performance.now();
    this.waitForSilence();
  }

  private waitForSilence(): void {
    this.waitTimer = null;
    const transaction = this.current;
    if (!transaction || this.over || this.isSent) return;
    const now = performance.now();
    if (transaction.abandoned) return this.finish(failed('CANCELLED', 'stopped before it was sent', null, null, null, now));
    const from = Math.max(this.lastByteAt + this.options.silenceMs, this.quietUntil);
    if (now >= from) return this.transmit(transaction, now);
    if (this.quietUntil < now && now - this.waitStartedAt > Math.max(500, transaction.timeoutMs)) {
      return this.finish(failed('NOT_QUIET', 'others talk on the line without a pause', null, null, null, now));
    }
    // setTimeout is a millisecond late on average; at 115200 baud that alone would cost 3 % of the line.
    const wait = from - now;
    if (wait > 2) this.waitTimer = setTimeout(() => this.waitForSilence(), wait - 1);
    else setImmediate(() => this.waitForSilence());
  }

  private transmit(transaction: Transaction, now: number): void {
    const frame = this.options.encode(transaction.unitId, transaction.pdu);
    this.length = 0;
    this.isSent = true;
    transaction.frame = frame;
    transaction.sentAt = now;
    transaction.deadline = now + transaction.timeoutMs;
    this.host.tap('tx', frame, 'ok', null);
    try {
      this.transport.write(frame);
    } catch (error) {
      transaction.sentAt = 0; // it never left
      this.isSent = false;
      return this.host.drop(error instanceof Error ? error.message : String(error));
    }
    this.lastByteAt = now + frame.length * this.options.characterMs;
    if (transaction.unitId === 0)
      this.deadlineTimer = setTimeout(() => this.endBroadcast(transaction), this.lastByteAt - now + turnaroundMs);
    else this.deadlineTimer = setTimeout(() => this.expire(transaction), transaction.timeoutMs);
  }

  /** Nobody answers a broadcast; the devices need the turnaround time. What came meanwhile is echo or stray. */
  private endBroadcast(transaction: Transaction): void {
    const durationMs = performance.now() - transaction.sentAt;
    if (this.length > 0) this.host.tap('rx', this.buffer.slice(0, this.length), 'stray', null, 'nobody answers a broadcast');
    this.finish({ ok: true, answer: {}, rx: null, crcValid: null, durationMs, broadcast: true });
  }

  received(bytes: Uint8Array): void {
    const now = performance.now();
    this.lastByteAt = now;
    const transaction = this.current;
    if (!transaction || !this.isSent) {
      this.host.count('strays');
      const isLate = this.doubt !== null && now < this.quietUntil;
      this.host.tap('rx', bytes.slice(), 'stray', null, isLate ? 'came after the question was given up' : 'nobody asked');
      if (isLate) this.lateBytes(bytes);
      return;
    }
    if (this.length + bytes.length > bufferBytes) this.length = 0; // babble: start over, the checksum decides
    this.buffer.set(bytes.subarray(0, bufferBytes), this.length);
    this.length += Math.min(bytes.length, bufferBytes);
    if (transaction.unitId === 0) return;
    const finding = this.scan(transaction);
    if (finding.answer && !finding.inside) this.accept(transaction, finding);
    else if (this.judgeTimer) this.judgeTimer.refresh();
    else this.judgeTimer = setTimeout(() => this.judge(transaction), judgeAfterMs);
  }

  /** The answer we gave up on has passed by: from here on nothing is owed, and nothing can be mistaken for it. */
  private lateBytes(bytes: Uint8Array): void {
    if (this.doubt && bytes.length >= this.doubt.bytes && (this.options.mode === 'ascii' || crcFits(bytes))) this.doubt = null;
  }

  private scan(transaction: Transaction): LineFinding {
    return this.options.scan(
      { unitId: transaction.unitId, pdu: transaction.pdu, frame: transaction.frame!, echo: this.echo },
      this.buffer,
      this.length,
    );
  }

  private accept(transaction: Transaction, finding: LineFinding): void {
    const { judgement, start, end } = finding.answer!;
    const now = performance.now();
    const rx = this.buffer.slice(start, end);
    const inDoubt = this.isInDoubt(transaction, now);
    this.report(finding, judgement.kind === 'exception' ? 'exception' : 'ok');
    if (finding.contradicted && inDoubt) {
      return this.giveUp(failed('CONTRADICTION', 'two different answers came to one question', transaction, rx, true, now), now);
    }
    this.learnEcho(transaction, finding);
    const durationMs = now - transaction.sentAt;
    if (judgement.kind === 'exception') {
      return this.finish({
        ok: false,
        failure: 'EXCEPTION',
        reason: `exception ${judgement.code}`,
        exceptionCode: judgement.code,
        rx,
        crcValid: true,
        durationMs,
        sent: true,
      });
    }
    this.finish({
      ok: true,
      answer: judgement.answer,
      rx,
      crcValid: true,
      durationMs,
      ...(inDoubt || finding.contradicted ? { unverified: true } : {}),
    });
  }

  private isInDoubt(transaction: Transaction, now: number): boolean {
    if (!this.doubt) return false;
    if (now > this.doubt.until) this.doubt = null;
    return (
      this.doubt !== null &&
      this.doubt.unitId === transaction.unitId &&
      this.doubt.functionCode === transaction.pdu[0] &&
      this.doubt.bytes === this.answerFrameBytes(transaction)
    );
  }

  private learnEcho(transaction: Transaction, finding: LineFinding): void {
    if (this.echo !== 'unknown') return;
    if (finding.echoed) this.echo = 'yes';
    else if (!repeatsRequest(transaction.pdu[0]!)) this.echo = 'no';
  }

  /** The line fell silent without the answer. A damaged answer that is clearly ours ends the wait; all else may still be followed by it. */
  private judge(transaction: Transaction): void {
    this.judgeTimer = null;
    if (this.current !== transaction || this.over) return;
    const now = performance.now();
    const finding = this.scan(transaction);
    if (finding.answer) {
      const left = insideMs - (now - this.lastByteAt);
      if (left <= 1) return this.accept(transaction, finding);
      this.judgeTimer = setTimeout(() => this.judge(transaction), left);
      return;
    }
    if (this.isOursDamaged(transaction, finding)) {
      this.report(finding, 'crc');
      this.host.count('crcErrors');
      return this.finish(failed('CRC', 'the checksum does not fit', transaction, this.buffer.slice(0, this.length), false, now));
    }
    if (finding.loose >= this.answerFrameBytes(transaction) && finding.others.length === 0) {
      const left = transaction.sentAt + transaction.timeoutMs * noiseShare - now;
      if (this.deadlineTimer) clearTimeout(this.deadlineTimer);
      this.deadlineTimer = setTimeout(() => this.expire(transaction), Math.max(0, left));
    }
  }

  /** Bytes of the whole answer frame: as asked for reads, the shortest for all else. */
  private answerFrameBytes(transaction: Transaction): number {
    const fixed = answerBytes(transaction.pdu);
    const pdu =
      fixed >= 0
        ? 2 + fixed
        : [5, 6, 11, 15, 16].includes(transaction.pdu[0]!)
          ? 5
          : transaction.pdu[0] === 22
            ? 7
            : transaction.pdu[0] === 8
              ? transaction.pdu.length
              : 3;
    return this.options.mode === 'rtu' ? pdu + 3 : 2 * (pdu + 2) + 3;
  }

  private isOursDamaged(transaction: Transaction, finding: LineFinding): boolean {
    const at = finding.looseAt;
    if (at < 0) return false;
    if (this.options.mode === 'ascii') {
      const line = String.fromCharCode(...this.buffer.subarray(at, this.length));
      const head = `:${hex(transaction.unitId)}`;
      return line.toUpperCase().startsWith(head) && line.endsWith('\n');
    }
    if (this.buffer[at] !== transaction.unitId) return false;
    const functionCode = this.buffer[at + 1];
    if (functionCode === (transaction.pdu[0]! | 0x80)) return finding.loose >= 5;
    return functionCode === transaction.pdu[0] && finding.loose >= this.answerFrameBytes(transaction);
  }

  /** Lets the poll phase run and looks once more: what lies in the kernel in time is not late. */
  private expire(transaction: Transaction): void {
    setTimeout(() => setImmediate(() => this.expired(transaction)), lastLookMs);
  }

  private expired(transaction: Transaction): void {
    if (this.current !== transaction || this.over) return;
    const now = performance.now();
    const finding = this.scan(transaction);
    if (finding.answer) return this.accept(transaction, finding);
    const rx = this.length > 0 ? this.buffer.slice(0, this.length) : null;
    const { failure, reason, crcValid } = this.verdict(transaction, finding);
    this.report(finding, failure === 'CRC' ? 'crc' : 'incomplete');
    if (failure === 'CRC') this.host.count('crcErrors');
    if (failure === 'TIMEOUT' || failure === 'INCOMPLETE' || failure === 'ECHO_ONLY') this.host.count('timeouts');
    this.giveUp(failed(failure, reason, transaction, rx, crcValid, now), now);
  }

  private verdict(transaction: Transaction, finding: LineFinding): { failure: Failure; reason: string; crcValid: boolean | null } {
    const best: OtherFrame | undefined =
      finding.others.filter((other) => other.unitId === transaction.unitId && !other.request).at(-1) ?? finding.others.at(-1);
    if (this.isOursDamaged(transaction, finding)) return { failure: 'CRC', reason: 'the checksum does not fit', crcValid: false };
    if (best)
      return {
        failure: best.failure,
        reason: best.request ? `a question to unit ${best.unitId}: another client talks on this line` : best.reason,
        crcValid: true,
      };
    const at = finding.looseAt;
    if (
      this.options.mode === 'rtu' &&
      at >= 0 &&
      this.buffer[at] === transaction.unitId &&
      finding.loose >= 4 &&
      crcFits(this.buffer, at, this.length)
    ) {
      return {
        failure: 'LENGTH_MISMATCH',
        reason: `a frame of ${this.length - at} bytes with a right checksum does not fit its function`,
        crcValid: true,
      };
    }
    if (finding.loose >= this.answerFrameBytes(transaction))
      return { failure: 'CRC', reason: 'as many bytes as an answer, none with a right checksum', crcValid: false };
    if (finding.loose > 0 && !this.isOnlyGlitches(finding))
      return { failure: 'INCOMPLETE', reason: `${finding.loose} of ${this.answerFrameBytes(transaction)} bytes`, crcValid: false };
    if (finding.echoed) return { failure: 'ECHO_ONLY', reason: 'only our own request came back', crcValid: true };
    return { failure: 'TIMEOUT', reason: 'nothing came', crcValid: null };
  }

  /** Bytes of 00h and FFh come from a line that is switched or disturbed; they are no part of an answer. */
  private isOnlyGlitches(finding: LineFinding): boolean {
    for (let i = Math.max(0, finding.looseAt); i < this.length; i++) if (this.buffer[i] !== 0 && this.buffer[i] !== 0xff) return false;
    return true;
  }

  /** Ends a question whose answer may still come: the line stays quiet for one more time-out. */
  private giveUp(outcome: ReturnType<typeof failed>, now: number): void {
    const transaction = this.current!;
    this.quietUntil = Math.max(this.quietUntil, transaction.sentAt + transaction.timeoutMs, now) + transaction.timeoutMs;
    this.doubt = {
      unitId: transaction.unitId,
      functionCode: transaction.pdu[0]!,
      bytes: this.answerFrameBytes(transaction),
      until: this.quietUntil + 10 * transaction.timeoutMs,
    };
    this.finish(outcome);
  }

  /** Shows the tap what the bytes were. */
  private report(finding: LineFinding, verdict: 'ok' | 'exception' | 'crc' | 'incomplete'): void {
    if (this.length === 0) return;
    const notes: string[] = [];
    if (finding.echoed) notes.push('our own request came back (echo)');
    for (const other of finding.others) {
      this.host.count('strays');
      this.host.tap(
        'rx',
        this.buffer.slice(other.start, other.end),
        'stray',
        true,
        other.request ? `a question to unit ${other.unitId}: another client` : other.reason,
      );
    }
    if (finding.loose > 0 && finding.answer) {
      this.host.count('strays');
      this.host.tap(
        'rx',
        this.buffer.slice(0, this.length),
        'garbage',
        null,
        `${finding.loose} bytes around the answer belong to no frame`,
      );
    }
    if (finding.answer)
      this.host.tap('rx', this.buffer.slice(finding.answer.start, finding.answer.end), verdict, true, notes.join('; ') || undefined);
    else if (finding.loose > 0) this.host.tap('rx', this.buffer.slice(0, this.length), verdict, false, notes.join('; ') || undefined);
    else if (finding.echoed) this.host.tap('rx', this.buffer.slice(0, this.length), 'stray', true, notes.join('; '));
  }

  private finish(outcome: ReturnType<typeof failed>): void {
    const transaction = this.current!;
    this.clearTimers();
    this.current = null;
    this.isSent = false;
    this.length = 0;
    this.host.finished(transaction, outcome);
  }

  private clearTimers(): void {
    if (this.waitTimer) clearTimeout(this.waitTimer);
    if (this.deadlineTimer) clearTimeout(this.deadlineTimer);
    if (this.judgeTimer) clearTimeout(this.judgeTimer);
    this.waitTimer = this.deadlineTimer = this.judgeTimer = null;
  }

  closed(failure: 'PORT_CLOSED' | 'CONNECTION_CLOSED', reason: string): void {
    if (this.over) return;
    this.over = true;
    this.clearTimers();
    const transaction = this.current;
    this.current = null;
    if (!transaction) return;
    const sent = this.isSent;
    this.host.finished(transaction, failed(failure, reason, sent ? transaction : null, null, null, performance.now()));
  }
}

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
