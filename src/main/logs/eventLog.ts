import { createEventCounts } from './eventCounts.ts';
import { timeRange } from './analyze.ts';
import type { LogAnswer, LogQuestion, Topic } from './types.ts';

/** One event that is known already, with its topics; `at` is local wall time as if it were UTC, ms. */
export type KnownEvent = { at: number; topics: Topic[]; device: string | null; unit: number | null; text: string };

/** The same answer as for a file, about events that need no reading of text: the program's own record. */
export function analyzeEvents(events: Iterable<KnownEvent>, question: LogQuestion, dialect: string): LogAnswer {
  const counts = createEventCounts(question, timeRange(question));
  let lines = 0;
  for (const event of events) counts.add({ line: ++lines, ...event });
  return {
    source: { kind: 'log', dialect, encoding: 'utf8', bytes: 0, lines, rows: lines, ...counts.span() },
    ...counts.result(),
    columns: [],
    column: null,
    traffic: null,
    notes: [],
  };
}
