import type { Failure } from '../line/transaction.ts';

/** Bytes in, bytes out, and the one event that they have ended. */
export interface Transport {
  /** Throws when it is closed: a frame for a closed port must never wait for its next opening. */
  write(bytes: Uint8Array): void;
  destroy(): void;
}

export type TransportEvents = {
  /** The bytes are only valid during the call. */
  data(bytes: Uint8Array): void;
  /** Once, and not after `destroy`. */
  closed(reason: string): void;
};

export class OpenFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.failure = failure;
  }
}
