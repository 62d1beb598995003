import { hash } from 'node:crypto';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import type { WriteVerdict } from '../../shared/contracts/approvals.ts';
import type { EventPayloads, Intent, PlantWriteItem, RecordedFrame, RecordEvent, WriteStep } from '../../shared/contracts/record.ts';

/**
 * Judges again, from the record alone, what was judged when it happened. `judge` sees the session's events up to and
 * including this one, answers nothing where it has no say, and performs no input or output.
 */
export type ReplayJudge = {
  name: string;
  judge: (event: RecordEvent, payload: unknown, past: Past) => { recorded: string; again: string } | null;
};
export type Past = readonly { event: RecordEvent; payload: unknown }[];

type Finding = ReturnType<ReplayJudge['judge']>;

// These do not share code with what judged first: a second opinion that runs the same lines proves nothing.
export const ownJudges: readonly ReplayJudge[] = [
  {
    name: 'checksum',
    judge: (event, payload) => (event.kind === 'frames' ? judgeFrames((payload as EventPayloads['frames']).frames) : null),
  },
  { name: 'consent', judge: judgeConsent },
  { name: 'write verdict', judge: (event, payload, past) => (event.kind === 'write-step' ? judgeWrite(payload as WriteStep, past) : null) },
];

function judgeFrames(frames: readonly RecordedFrame[]): Finding {
  const told = frames.filter((frame) => frame.crc_valid !== null && frame.hex.length >= 8);
  if (told.length === 0) return null;
  const words = (valid: (frame: RecordedFrame) => boolean | null): string =>
    told.map((frame) => (valid(frame) === true ? 'valid' : 'wrong')).join(' ');
  return { recorded: words((frame) => frame.crc_valid), again: words((frame) => checksumFits(Buffer.from(frame.hex, 'hex'))) };
}

/** RTU: CRC-16/MODBUS, low byte first. ASCII (":" … CR LF): LRC over the bytes that the characters spell. */
export function checksumFits(frame: Uint8Array): boolean {
  const text = Buffer.from(frame).toString('latin1');
  if (/^:(?:[0-9A-Fa-f]{2}){3,}\r\n$/.test(text)) {
    return Buffer.from(text.slice(1, -2), 'hex').reduce((sum, byte) => (sum + byte) & 0xff, 0) === 0;
  }
  let crc = 0xffff;
  for (const byte of frame.subarray(0, -2)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return frame.length >= 4 && frame.at(-2) === (crc & 0xff) && frame.at(-1) === crc >> 8;
}

/** A card's digest is that of its facts; a yes counts for that digest, in time, and for one intent. */
function judgeConsent(event: RecordEvent, payload: unknown, past: Past): Finding {
  if (event.kind === 'approval-asked') {
    const card = payload as EventPayloads['approval-asked'];
    return { recorded: card.digest, again: hash('sha256', canonicalJson({ items: card.items, files: card.files ?? [] }), 'hex') };
  }
  if (event.kind === 'approval-decided') {
    const decision = payload as EventPayloads['approval-decided'];
    if (!decision.approved) return null;
    const card = find(past, 'approval-asked', (asked) => asked.cardId === decision.card_id);
    const fits = card !== undefined && card.digest === decision.digest && event.at <= card.expiresAt;
    return { recorded: 'approved', again: fits ? 'approved' : 'void' };
  }
  if (event.kind === 'intent') {
    const { consent, call_id } = payload as Intent;
    if (consent === null) return null;
    const decision = find(past, 'approval-decided', (decided) => decided.card_id === consent.card_id);
    const used = past.some(
      (other) => other.event !== event && other.event.kind === 'intent' && sameConsent(other.payload as Intent, consent.card_id, call_id),
    );
    return {
      recorded: 'consented',
      again: decision?.approved === true && decision.digest === consent.digest && !used ? 'consented' : 'without consent',
    };
  }
  return null;
}

function sameConsent(intent: Intent, cardId: string, callId: string): boolean {
  return intent.consent?.card_id === cardId && intent.call_id !== callId;
}

function find<K extends keyof EventPayloads>(
  past: Past,
  kind: K,
  fits: (payload: EventPayloads[K]) => boolean,
): EventPayloads[K] | undefined {
  return past.findLast((entry) => entry.event.kind === kind && fits(entry.payload as EventPayloads[K]))?.payload as
    EventPayloads[K] | undefined;
}

function judgeWrite(step: WriteStep, past: Past): Finding {
  if (step.step !== 'verdict') return null;
  const intent = find(past, 'intent', (candidate) => candidate.call_id === step.call_id);
  const item = intent?.items[step.item];
  if (item === undefined || item.kind !== 'plant') return null;
  const mine = past
    .filter((entry) => entry.event.kind === 'write-step')
    .map((entry) => entry.payload as WriteStep)
    .filter((other) => other.call_id === step.call_id && other.item === step.item);
  const again = verdictFrom(item, mine, step.verdict);
  return again === null ? null : { recorded: step.verdict, again };
}

type ReadBack = Extract<WriteStep, { step: 'read-back' }>;

/** What the answer and the words read back say. null: nothing but the line's own word that it never left. */
function verdictFrom(item: PlantWriteItem, steps: readonly WriteStep[], recorded: WriteVerdict): WriteVerdict | null {
  const before = bits(item.raw.before);
  const after = bits(item.raw.after);
  const reads = steps.filter((step): step is ReadBack => step.step === 'read-back' && step.raw !== null);
  const last = reads.at(-1);
  const answer = steps.findLast((step) => step.step === 'answered' || step.step === 'unanswered');
  if (answer === undefined) return last === undefined ? null : judged(item, reads);
  if (answer.step === 'unanswered')
    return reads.length === 0 && recorded === 'not-taken' ? null : afterARestart(steps) ? judged(item, reads) : 'unknown';
  if (!answer.acknowledged) return last === undefined || bits(last.raw) === before ? 'not-taken' : 'different';
  if (last === undefined) return 'unknown';
  return bits(last.raw) === after ? 'confirmed' : judged(item, reads);
}

/** A write that was unknown and was looked at later, on a person's word, gets a second verdict. */
function afterARestart(steps: readonly WriteStep[]): boolean {
  return steps.filter((step) => step.step === 'verdict').length > 1;
}

function judged(item: PlantWriteItem, reads: readonly ReadBack[]): WriteVerdict {
  const last = reads.at(-1)!;
  const [before, after] = [bits(item.raw.before), bits(item.raw.after)];
  if (bits(last.raw) === after) return 'confirmed';
  if (reads.some((read) => bits(read.raw) === after)) return 'overwritten';
  if (bits(last.raw) === before) return 'not-taken';
  const steady = reads.length < 2 || bits(reads.at(-2)!.raw) === bits(last.raw);
  const [from, to, now] = [item.now, item.after, last.value];
  if (typeof from === 'number' && typeof to === 'number' && typeof now === 'number' && steady) {
    if (Math.min(from, to) < now && now < Math.max(from, to)) return 'clamped';
  }
  return 'different';
}

function bits(image: readonly number[] | readonly boolean[] | null): string {
  return image === null ? '' : image.map(Number).join();
}
