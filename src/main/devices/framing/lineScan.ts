import { crcFits } from './checksum.ts';
import { decodeAscii } from './ascii.ts';
import { answerLength, judgeAnswer, type Judgement, type Mismatch } from './answers.ts';
import { requestLength, responseLength } from './lengths.ts';

/** The one question that is open on a line. `frame` is what was sent, for telling its echo. */
export type Question = { unitId: number; pdu: Uint8Array; frame: Uint8Array; echo: 'yes' | 'no' | 'unknown' };

/** A whole frame that is not the answer. `request` marks the form of a question: another client talks on this line. */
export type OtherFrame = {
  failure: Mismatch | 'UNIT_MISMATCH';
  reason: string;
  start: number;
  end: number;
  unitId: number;
  request: boolean;
};

export type LineFinding = {
  answer: { judgement: Exclude<Judgement, { kind: 'mismatch' }>; start: number; end: number } | null;
  /** A second, different answer of the same shape: one of the two belongs to another question. */
  contradicted: boolean;
  echoed: boolean;
  others: OtherFrame[];
  /** Bytes that belong to no whole frame. */
  loose: number;
  /** First loose byte, or -1. */
  looseAt: number;
  /** The answer lies inside what may still become a longer one; wait before believing it. */
  inside: boolean;
};

/** Functions whose right answer is a copy of the request, so that an echo looks like a confirmation. */
export const repeatsRequest = (functionCode: number): boolean =>
  functionCode === 5 || functionCode === 6 || functionCode === 8 || functionCode === 22;

type Piece = { unitId: number; start: number; end: number; bytes: Uint8Array; pduAt: number; pduEnd: number };

/**
 * Looks for the answer in all bytes that came since the question was sent. Pure, and run again on every chunk: bytes that
 * look like the beginning of a frame never hide a whole frame behind them, and only a right checksum makes a frame.
 */
export function scanRtu(question: Question, bytes: Uint8Array, end = bytes.length): LineFinding {
  const finding: LineFinding = { answer: null, contradicted: false, echoed: false, others: [], loose: 0, looseAt: -1, inside: false };
  const { unitId, pdu, frame } = question;
  let openUntil = 0; // where the longest still incomplete answer would end
  let at = 0;
  while (at < end) {
    if (isEcho(question, finding, bytes, at, end)) {
      finding.echoed = true;
      at += frame.length;
      continue;
    }
    const step = at + 1 < end ? pieceAt(question, bytes, at, end) : 0;
    if (step > at) {
      take(question, finding, { unitId: bytes[at]!, start: at, end: step, bytes, pduAt: at + 1, pduEnd: step - 2 }, at < openUntil);
      at = step;
      continue;
    }
    if (step < 0 && bytes[at] === unitId && bytes[at + 1] === pdu[0]) openUntil = Math.max(openUntil, at - step);
    if (finding.looseAt < 0) finding.looseAt = at;
    finding.loose++;
    at++;
  }
  return finding;
}

/** End of the whole frame that begins here; negative: the length it would have; 0: none. */
function pieceAt(question: Question, bytes: Uint8Array, at: number, end: number): number {
  const whole = (length: number): boolean => length > 0 && at + length + 3 <= end && crcFits(bytes, at, at + length + 3);
  let open = 0;
  if (bytes[at] === question.unitId && bytes[at + 1] === question.pdu[0]) {
    const length = answerLength(question.pdu, bytes, at + 1, end);
    if (whole(length)) return at + length + 3;
    if (length > 0 && at + length + 3 > end) open = -(length + 3);
    // Right checksum over the size we asked for, but a byte count that says otherwise: whole, and wrong.
    const asked = question.pdu[0]! <= 4 || question.pdu[0] === 23 ? sizeAsked(question.pdu) : 0;
    if (length < 0 && whole(asked)) return at + asked + 3;
  }
  const response = responseLength(bytes, at + 1, end);
  if (whole(response)) return at + response + 3;
  const request = requestLength(bytes, at + 1, end);
  if (whole(request)) return at + request + 3;
  return open;
}

function sizeAsked(pdu: Uint8Array): number {
  const quantity = (pdu[3]! << 8) | pdu[4]!;
  return 2 + (pdu[0]! <= 2 ? Math.ceil(quantity / 8) : 2 * quantity);
}

function isEcho(question: Question, finding: LineFinding, bytes: Uint8Array, at: number, end: number): boolean {
  const { frame, pdu, echo } = question;
  if (finding.answer || at + frame.length > end || bytes[at] !== frame[0]) return false;
  if (repeatsRequest(pdu[0]!) && (echo !== 'yes' || finding.echoed)) return false;
  if (!repeatsRequest(pdu[0]!) && finding.echoed && echo === 'no') return false;
  for (let i = 1; i < frame.length; i++) if (bytes[at + i] !== frame[i]) return false;
  return true;
}

function take(question: Question, finding: LineFinding, piece: Piece, inside: boolean): void {
  const judged = judgePiece(question, piece);
  if (judged.kind !== 'mismatch') {
    if (!finding.answer) {
      finding.answer = { judgement: judged, start: piece.start, end: piece.end };
      finding.inside = inside;
    } else if (!sameBytes(piece.bytes, finding.answer.start, finding.answer.end, piece.start, piece.end)) finding.contradicted = true;
    return;
  }
  const { failure, reason } = judged;
  const isRequest =
    requestLength(piece.bytes, piece.pduAt, piece.pduEnd) === piece.pduEnd - piece.pduAt &&
    responseLength(piece.bytes, piece.pduAt, piece.pduEnd) !== piece.pduEnd - piece.pduAt;
  finding.others.push({ failure, reason, start: piece.start, end: piece.end, unitId: piece.unitId, request: isRequest });
}

function judgePiece(
  question: Question,
  piece: Piece,
): Exclude<Judgement, { kind: 'mismatch' }> | { kind: 'mismatch'; failure: OtherFrame['failure']; reason: string } {
  if (piece.unitId !== question.unitId)
    return { kind: 'mismatch', failure: 'UNIT_MISMATCH', reason: `unit ${piece.unitId} answers for unit ${question.unitId}` };
  return judgeAnswer(question.pdu, piece.bytes, piece.pduAt, piece.pduEnd);
}

function sameBytes(bytes: Uint8Array, from: number, to: number, otherFrom: number, otherTo: number): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  for (let i = 0; i < to - from; i++) if (bytes[from + i] !== bytes[otherFrom + i]) return false;
  return true;
}

/** The same for ASCII, where frames have marks at both ends and nothing has to be searched. */
export function scanAscii(question: Question, bytes: Uint8Array, end = bytes.length): LineFinding {
  const finding: LineFinding = { answer: null, contradicted: false, echoed: false, others: [], loose: 0, looseAt: -1, inside: false };
  for (let at = 0; at < end;) {
    const decoded = decodeAscii(bytes.subarray(at, end));
    const loosen = (count: number): void => {
      if (finding.looseAt < 0) finding.looseAt = at;
      finding.loose += count;
    };
    if (decoded.kind === 'incomplete') {
      loosen(end - at);
      break;
    }
    if (decoded.kind === 'garbage') {
      loosen(decoded.skip);
      at += decoded.skip;
      continue;
    }
    if (decoded.start > 0) loosen(decoded.start);
    if (isEcho(question, finding, bytes, at + decoded.start, end)) finding.echoed = true;
    else {
      const piece = {
        unitId: decoded.unitId,
        start: at + decoded.start,
        end: at + decoded.end,
        bytes: decoded.pdu,
        pduAt: 0,
        pduEnd: decoded.pdu.length,
      };
      takeAscii(question, finding, piece, bytes);
    }
    at += decoded.end;
  }
  return finding;
}

function takeAscii(question: Question, finding: LineFinding, piece: Piece, wire: Uint8Array): void {
  const judged = judgePiece(question, piece);
  if (judged.kind === 'mismatch') {
    finding.others.push({
      failure: judged.failure,
      reason: judged.reason,
      start: piece.start,
      end: piece.end,
      unitId: piece.unitId,
      request: false,
    });
  } else if (!finding.answer) finding.answer = { judgement: judged, start: piece.start, end: piece.end };
  else if (!sameBytes(wire, finding.answer.start, finding.answer.end, piece.start, piece.end)) finding.contradicted = true;
}
