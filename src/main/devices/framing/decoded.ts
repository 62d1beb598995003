/** Why bytes were given up as no frame. */
export type GarbageReason = 'no-frame' | 'checksum' | 'protocol-id' | 'mbap-length' | 'not-hex' | 'too-long';

/**
 * What a decoder says about the bytes it was given. `start` and `end` are positions in them: whoever feeds the decoder
 * drops everything before `end` (frame) or `skip` bytes (garbage) and asks again.
 */
export type Decoded =
  | { kind: 'incomplete' }
  | { kind: 'frame'; unitId: number; pdu: Uint8Array; start: number; end: number; transactionId: number | null }
  | { kind: 'garbage'; reason: GarbageReason; skip: number };

export const incomplete: Decoded = { kind: 'incomplete' };
