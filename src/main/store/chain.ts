import { hash } from 'node:crypto';
import type { RecordEvent } from '../../shared/contracts/record.ts';

/** prev_hash of the very first record. */
export const genesisHash = '0'.repeat(64);

export type ChainedFields = Omit<RecordEvent, 'hash'>;

/**
 * What is hashed, one field a line, the payload last (canonical JSON holds no raw line feed, the other fields no control
 * character at all, so the text can be read in one way only). Anyone can check a record with `sha256sum`:
 *
 *   handrail-event-1 ⏎ prev_hash ⏎ link ⏎ seq ⏎ at ⏎ session ⏎ turn ⏎ call ⏎ kind ⏎ payload      (an absent id is "-")
 *
 * `link` is the hash of the previous record of the same session, "-" for its first one and for records of no session. It
 * is stored nowhere, since whoever reads in order knows it; it makes the records of one session a chain of their own, so
 * that an exported session proves that nothing was taken out of its middle, without the records of others.
 */
export function hashOf(event: ChainedFields, link: string | null): string {
  const { prev_hash, seq, at, session, turn, call, kind, payload } = event;
  return hashFields(prev_hash, link, seq, at, session, turn, call, kind, payload);
}

// Positional: the walk over a million rows builds no object per row.
export function hashFields(
  prev: string,
  link: string | null,
  seq: number,
  at: string,
  session: string | null,
  turn: string | null,
  call: string | null,
  kind: string,
  payload: string,
): string {
  return hash(
    'sha256',
    `handrail-event-1\n${prev}\n${link ?? '-'}\n${seq}\n${at}\n${session ?? '-'}\n${turn ?? '-'}\n${call ?? '-'}\n${kind}\n${payload}`,
    'hex',
  );
}

/** An id as it may stand in a record: printable, not "-", of sane length; anything else would blur the hashed text. */
export function isRecordId(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id) && id !== '-';
}
