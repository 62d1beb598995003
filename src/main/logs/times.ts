/** Local plant time as milliseconds, as if it were UTC: log lines carry no offset, and no clock change may move them. */
export type LocalMs = number;
export type DateOrder = 'ymd' | 'dmy' | 'mdy';

const pattern =
  /^\s*(?:(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?|(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2}))(?:[T\s]+(\d{1,2})[:时](\d{2})(?:[:分](\d{2})秒?(?:[.,:](\d{1,6}))?)?\s*([AaPp][Mm])?\s*(Z|[+-]\d{2}:?\d{2})?)?/;

export type ParsedTime = { at: LocalMs; length: number; hasTime: boolean };

/** A date with or without time at the beginning of a text. `order` decides 03/04/2026; null where it does not parse. */
export function parseTime(text: string, order: DateOrder = 'dmy'): ParsedTime | null {
  const m = pattern.exec(text);
  if (!m) return null;
  let [year, month, day] = [Number(m[1]), Number(m[2]), Number(m[3])];
  if (m[4] !== undefined) {
    const [a, b] = [Number(m[4]), Number(m[5])];
    year = Number(m[6]) + (m[6]!.length === 2 ? 2000 : 0);
    [day, month] = order === 'mdy' ? [b, a] : [a, b];
  }
  let hour = Number(m[7] ?? 0);
  if (m[11]) hour = (hour % 12) + (/p/i.test(m[11]) ? 12 : 0);
  const [minute, second] = [Number(m[8] ?? 0), Number(m[9] ?? 0)];
  const fraction = m[10] ? Math.floor(Number(`0.${m[10]}`) * 1000) : 0;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return null;
  const at = Date.UTC(year, month - 1, day, hour, minute, second, fraction);
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  return { at: m[12] ? shiftToLocal(at, m[12]) : at, length: m[0].length, hasTime: m[7] !== undefined };
}

/** A time with an offset, as the local time of this machine. */
function shiftToLocal(at: number, offset: string): LocalMs {
  const minutes = offset === 'Z' ? 0 : (offset.startsWith('-') ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2)));
  const instant = at - minutes * 60_000;
  return instant - new Date(instant).getTimezoneOffset() * 60_000;
}

export function parseClock(text: string): number | null {
  const m = /^\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:](\d{1,6}))?)?\s*([AaPp][Mm])?\s*$/.exec(text);
  if (!m) return null;
  let hour = Number(m[1]);
  if (m[5]) hour = (hour % 12) + (/p/i.test(m[5]) ? 12 : 0);
  if (hour > 24 || Number(m[2]) > 59) return null;
  return ((hour * 60 + Number(m[2])) * 60 + Number(m[3] ?? 0)) * 1000 + (m[4] ? Math.floor(Number(`0.${m[4]}`) * 1000) : 0);
}

/**
 * `YYYY-MM-DDTHH:MM:SS` with milliseconds only where there are some. A log that shows clock times only has no date to show:
 * its times lie on day 0.
 */
export function showTime(at: LocalMs): string {
  const text = new Date(at).toISOString().replace(/(\.000)?Z$/, '');
  return at >= 0 && at < 86_400_000 ? text.slice(11) : text;
}

/** The time of a log line, near its beginning; `hasDate` false: only a clock time, on day 0. */
export function timeInLine(line: string, order: DateOrder): { at: LocalMs; hasDate: boolean } | null {
  const head = line.slice(0, 80);
  for (const start of head.matchAll(/(?<!\d)(?:\d{4}[-/.年]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b)/g)) {
    const time = parseTime(head.slice(start.index), order);
    if (time) return { at: time.at, hasDate: true };
  }
  const epoch = /^\W*(\d{10})(\.\d{1,6})?\b/.exec(head);
  if (epoch) {
    const instant = Number(epoch[1]) * 1000 + (epoch[2] ? Math.floor(Number(epoch[2]) * 1000) : 0);
    return { at: instant - new Date(instant).getTimezoneOffset() * 60_000, hasDate: true };
  }
  const clock = /(?<![\d:.])\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,6})?(?![\d:])/.exec(head);
  const at = clock ? parseClock(clock[0]) : null;
  return at === null ? null : { at, hasDate: false };
}

/** The order of day and month that fits all samples; null when both fit, so that one can ask or say it. */
export function dateOrderOf(samples: readonly string[]): DateOrder | null {
  let dmy = true;
  let mdy = true;
  let any = false;
  for (const sample of samples) {
    const m = /^\s*(\d{1,2})[-/.](\d{1,2})[-/.]\d{2,4}/.exec(sample);
    if (!m) continue;
    any = true;
    if (Number(m[1]) > 12) mdy = false;
    if (Number(m[2]) > 12) dmy = false;
    if (/^\s*\d{1,2}\./.test(sample)) mdy = false; // points are written day first
  }
  if (!any) return 'ymd';
  return dmy && mdy ? null : dmy ? 'dmy' : 'mdy';
}
