import { showTime } from './times.ts';
import { topics, type LogAnswer, type LogEvent, type LogQuestion, type Split, type Topic } from './types.ts';

type Found = {
  line: number;
  at: number | null;
  topics: Topic[];
  device: string | null;
  unit: number | null;
  text: string;
  isDerived?: boolean;
};
/** A split with endless keys would be no constant memory; what is beyond is counted together. */
const mostKeys = 2000;
const usualLimit = 50;

const hourOf = (at: number): string => showTime(Math.floor(at / 3_600_000) * 3_600_000);

/** Counts what fits the question, with its splits, and keeps the first of them for a list. */
export function createEventCounts(question: LogQuestion, range: { from: number; to: number; isAsked: boolean }) {
  const topic = question.topic ?? 'any';
  const limit = Math.min(question.limit ?? usualLimit, 1000);
  const splits = {
    topic: new Map<string, number>(),
    device: new Map<string, number>(),
    unit: new Map<string, number>(),
    hour: new Map<string, number>(),
  };
  const listed: LogEvent[] = [];
  let count = 0;
  let listable = 0;
  let first: number | null = null;
  let last: number | null = null;
  const bump = (map: Map<string, number>, key: string): void => {
    const known = map.has(key) || map.size < mostKeys ? key : '…';
    map.set(known, (map.get(known) ?? 0) + 1);
  };
  return {
    /** False when the time asked for excludes it. */
    add(found: Found): boolean {
      const { at } = found;
      if (at !== null) {
        first = first === null ? at : Math.min(first, at);
        last = last === null ? at : Math.max(last, at);
      }
      if (range.isAsked && (at === null || at < range.from || at >= range.to)) return false;
      const { isDerived = false, ...event } = found;
      if (topic !== 'any' && !found.topics.includes(topic)) return true;
      for (const t of found.topics) bump(splits.topic, t);
      // A finding (a request nobody answered) is no line of its own: it counts for its topic, not among all lines.
      if (!isDerived || topic !== 'any') {
        count++;
        if (found.device !== null) bump(splits.device, found.device);
        if (found.unit !== null) bump(splits.unit, String(found.unit));
        if (at !== null) bump(splits.hour, hourOf(at));
      }
      if (question.action === 'count' || !(topic !== 'any' || found.topics.length > 0 || question.action === 'list')) return true;
      listable++;
      if (listed.length < limit) listed.push({ ...event, at: at === null ? null : showTime(at), text: found.text.slice(0, 300) });
      return true;
    },
    span(): { first_time: string | null; last_time: string | null } {
      return { first_time: first === null ? null : showTime(first), last_time: last === null ? null : showTime(last) };
    },
    result(): Pick<LogAnswer, 'count' | 'by_topic' | 'by_device' | 'by_unit' | 'by_hour' | 'events' | 'events_truncated'> {
      const sorted = (map: Map<string, number>): Split[] =>
        [...map].map(([key, n]) => ({ key, count: n })).sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
      return {
        count,
        by_topic: topics.flatMap((key) => (splits.topic.has(key) ? [{ key, count: splits.topic.get(key)! }] : [])),
        by_device: sorted(splits.device),
        by_unit: sorted(splits.unit),
        by_hour: sorted(splits.hour).sort((a, b) => (a.key < b.key ? -1 : 1)),
        events: listed.toSorted((a, b) => a.line - b.line),
        events_truncated: listable > listed.length,
      };
    },
  };
}
