import type { FrameRecord, Priority } from '../../../shared/contracts/devices.ts';
import type { Answer, Mismatch } from '../framing/answers.ts';

/** Every way in which a request can end without its answer. `src/main/devices/failures.ts` turns them into errors. */
export type Failure =
  | 'TIMEOUT'
  | 'INCOMPLETE'
  | 'CRC'
  | 'EXCEPTION'
  | 'UNIT_MISMATCH'
  | Mismatch
  | 'ECHO_ONLY'
  | 'CONTRADICTION'
  | 'NOT_QUIET'
  | 'PROTOCOL_ID'
  | 'MBAP_LENGTH'
  | 'INVALID_REQUEST'
  | 'READ_ONLY'
  | 'PORT_CLOSED'
  | 'CONNECTION_CLOSED'
  | 'CONNECT_REFUSED'
  | 'CONNECT_TIMEOUT'
  | 'PORT_NOT_FOUND'
  | 'PORT_NOT_SERIAL'
  | 'PORT_BUSY'
  | 'PORT_PERMISSION'
  | 'PORT_OPEN_FAILED'
  | 'PORT_SETTINGS'
  | 'CANCELLED';

export type Outcome =
  | {
      ok: true;
      answer: Answer;
      rx: Uint8Array | null;
      crcValid: boolean | null;
      durationMs: number;
      broadcast?: boolean;
      unverified?: boolean;
    }
  | {
      ok: false;
      failure: Failure;
      reason: string;
      exceptionCode?: number;
      rx: Uint8Array | null;
      crcValid: boolean | null;
      durationMs: number;
      sent: boolean;
    };

/** One question on its way: from the queue over the wire to `settle`, which is called exactly once. */
export type Transaction = {
  readonly unitId: number;
  readonly pdu: Uint8Array;
  readonly isWrite: boolean;
  readonly priority: Priority;
  timeoutMs: number;
  enqueuedAt: number;
  sentAt: number;
  deadline: number;
  frame: Uint8Array | null;
  transactionId: number;
  /** Its caller no longer waits; the wire still belongs to it until its answer or its deadline. */
  abandoned: boolean;
  settle(outcome: Outcome): void;
};

export const failed = (
  failure: Failure,
  reason: string,
  transaction: Transaction | null,
  rx: Uint8Array | null,
  crcValid: boolean | null,
  now: number,
): Outcome => ({
  ok: false,
  failure,
  reason,
  rx,
  crcValid,
  durationMs: transaction && transaction.sentAt > 0 ? now - transaction.sentAt : 0,
  sent: transaction !== null && transaction.sentAt > 0,
});

/** What a conversation needs of the wire it runs on. */
export type ConversationHost = {
  finished(transaction: Transaction, outcome: Outcome): void;
  /** Something on the wire: its bytes are copied to the tap. */
  tap(direction: 'tx' | 'rx', bytes: Uint8Array, verdict: FrameRecord['verdict'], crcValid: boolean | null, note?: string): void;
  /** The same for the hot path: part of a buffer, at a time already known. */
  tapPart(direction: 'tx' | 'rx', bytes: Uint8Array, from: number, to: number, now: number): void;
  count(what: 'timeouts' | 'crcErrors' | 'strays'): void;
  /** The connection cannot be trusted any more; open a new one. */
  drop(reason: string): void;
  /** Room for the next question may have come. */
  ready(): void;
};

/** How one kind of wire asks and listens, while it is open. A conversation lives as long as its connection. */
export interface Conversation {
  canSend(): boolean;
  send(transaction: Transaction): void;
  received(bytes: Uint8Array): void;
  /** The connection is gone: everything open fails, nothing is carried over. */
  closed(failure: 'PORT_CLOSED' | 'CONNECTION_CLOSED', reason: string): void;
  pending(): number;
}
