import type { TrafficSummary } from './traffic/conversation.ts';

export const topics = ['timeout', 'crc_error', 'exception', 'disconnect', 'write', 'alarm'] as const;
export type Topic = (typeof topics)[number];
export type ColumnFn = 'max' | 'min' | 'avg' | 'sum' | 'count' | 'count_above' | 'count_below';

export type LogQuestion = {
  /** count, list, summarize: what happened. column: a statistic of one column of a table. */
  action: 'count' | 'list' | 'summarize' | 'column';
  topic?: Topic | 'any';
  /** Local plant time, half-open: from ≤ t < to. */
  from?: string;
  to?: string;
  /** Words that name the column: its header, a part of it, or an alias. The first that fits counts. */
  column?: readonly string[];
  fn?: ColumnFn;
  threshold?: number;
  /** Most events listed; the count is always of all. */
  limit?: number;
};

export type ColumnStats = {
  name: string;
  /** From the header, "Temp (°C)" or "Temp/°C"; '' where it says none. */
  unit: string;
  count: number;
  missing: number;
  /** Cells that are neither numbers nor known words for "no value". They are counted, never read as zero. */
  unreadable: number;
  min: number | null;
  min_at: string | null;
  max: number | null;
  max_at: string | null;
  avg: number | null;
  sum: number | null;
  first: number | null;
  last: number | null;
};

export type Split = { key: string; count: number };
export type LogEvent = { line: number; at: string | null; topics: Topic[]; device: string | null; unit: number | null; text: string };

/** An answer before it is known how large the file was. */
export type PartialAnswer = Omit<LogAnswer, 'source'> & { source: Omit<LogAnswer['source'], 'encoding' | 'bytes'> };

export type LogAnswer = {
  source: {
    kind: 'table' | 'log';
    dialect: string;
    encoding: string;
    bytes: number;
    lines: number;
    rows: number;
    first_time: string | null;
    last_time: string | null;
  };
  /** Rows or events that fit topic and time, of all that were read. */
  count: number;
  by_topic: Split[];
  by_device: Split[];
  by_unit: Split[];
  by_hour: Split[];
  events: LogEvent[];
  events_truncated: boolean;
  columns: ColumnStats[];
  /** The answer to a column question. `at` is when, line is where. */
  column: {
    name: string;
    unit: string;
    fn: ColumnFn;
    value: number | null;
    at: string | null;
    line: number | null;
    threshold: number | null;
    count: number;
  } | null;
  /** Requests and answers, where the log shows frames. */
  traffic: TrafficSummary | null;
  /** Known weaknesses of this reading, as codes: date-order-ambiguous, decimal-comma-assumed, mixed-decimals, rows-of-other-width, no-time-column, untimed-lines … */
  notes: string[];
};
