import type { Topic } from '../types.ts';
import { frameInLine } from './frameInLine.ts';
import { isWriteFunction, judgeFrame, type Judged } from './judgeFrame.ts';

export type TrafficSummary = {
  requests: number;
  answered: number;
  /** Requests without an answer before the next one; a log that shows one direction only counts none. */
  unanswered: number;
  exceptions: number;
  bad_checksums: number;
  latency_ms: { min: number; avg: number; max: number } | null;
};
export type TrafficEvent = { topics: Topic[]; unit: number; note: string };
type Open = { judged: Judged; at: number | null; line: number; text: string };
export type Missed = { at: number | null; line: number; unit: number; text: string };

/** Follows requests and answers through a log, so that a silent unit is found even where no line says "time-out". */
export function createConversation(missed: (request: Missed) => void) {
  const summary: TrafficSummary = { requests: 0, answered: 0, unanswered: 0, exceptions: 0, bad_checksums: 0, latency_ms: null };
  let open: Open | null = null;
  let seenAnswer = false;
  let latencies = 0;
  const shapes = new Set<string>();
  return {
    /** The frame of a line, judged, or null when the line holds none. */
    take(text: string, at: number | null, line: number): TrafficEvent | null {
      const frame = frameInLine(text);
      if (!frame) return null;
      shapes.add(frame.shape);
      const judged = judgeFrame(frame.bytes);
      const { unit, functionCode, exception } = judged;
      if (frame.direction === 'tx') {
        if (open && seenAnswer) {
          summary.unanswered++;
          missed({ at: open.at, line: open.line, unit: open.judged.unit, text: open.text });
        }
        summary.requests++;
        open = unit === 0 && judged.checksum !== null ? null : { judged, at, line, text }; // a broadcast is never answered
        return { topics: isWriteFunction(functionCode) ? ['write'] : [], unit, note: `FC${functionCode}` };
      }
      seenAnswer = true;
      if (judged.checksum === false) {
        summary.bad_checksums++;
        open = null; // something came: not silence
        return { topics: ['crc_error'], unit, note: 'CRC' };
      }
      if (open && open.judged.unit === unit) {
        summary.answered++;
        if (open.at !== null && at !== null && at >= open.at) {
          const took = at - open.at;
          latencies++;
          const before = summary.latency_ms ?? { min: took, avg: 0, max: took };
          summary.latency_ms = {
            min: Math.min(before.min, took),
            avg: before.avg + (took - before.avg) / latencies,
            max: Math.max(before.max, took),
          };
        }
        open = null;
      }
      if (exception === null) return { topics: [], unit, note: `FC${functionCode}` };
      summary.exceptions++;
      return { topics: ['exception'], unit, note: `exception ${exception}` };
    },
    /** A line said that the open request timed out; it must not be counted again. */
    timedOut(): number | null {
      if (!open) return null;
      const { unit } = open.judged;
      summary.unanswered++;
      open = null;
      return unit;
    },
    summary: (): TrafficSummary | null =>
      summary.requests + summary.answered + summary.bad_checksums + summary.exceptions > 0
        ? { ...summary, latency_ms: summary.latency_ms && { ...summary.latency_ms, avg: Math.round(summary.latency_ms.avg * 10) / 10 } }
        : null,
    shapes: (): string[] => [...shapes],
  };
}
