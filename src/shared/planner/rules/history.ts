import { any, anyText, ask, compact, done, is, timeIn, use, type Reading } from '../context.ts';
import { roundSmall } from '../numbers.ts';
import { factorBetween, unitName } from '../units.ts';
import type { TimeFound } from '../times.ts';
import type { Interpretation } from '../types.ts';
import { isRealName, takeNames, targetOf } from './tags.ts';

export const writeNow = (r: Reading): string => r.world.now;
export const todaySoFar = (r: Reading): { from: string; to: string } => ({ from: `${r.world.now.slice(0, 10)}T00:00:00`, to: r.world.now });

/** The range of a request, or why there is none. `fallback` counts only when nothing was said of time. */
export function rangeOf(
  time: TimeFound,
  fallback: { from: string; to: string } | null,
): { params: Record<string, unknown>; reason: string | null } {
  if (time.kind === 'range') return { params: { from: time.from, to: time.to }, reason: null };
  if (time.kind === 'future') return { params: {}, reason: 'future_range' };
  if (time.kind === 'open') return { params: {}, reason: 'missing_range' };
  return { params: fallback ?? {}, reason: null };
}

type Fn = 'max' | 'min' | 'avg' | 'count_above' | 'count_below';
type Wanted = { fn: Fn; threshold: { at: number; number: number; unit: string | null } | null };

/** What is to be worked out over time, if anything. Takes the threshold's tokens. */
function wanted(r: Reading): Wanted | null {
  for (const [name, fn] of [
    ['above', 'count_above'],
    ['below', 'count_below'],
  ] as const) {
    for (let i = 0; i < r.tokens.length; i++) {
      if (r.used[i] || !(is(r.tokens[i], name) || is(r.tokens[i], name === 'above' ? 'greater' : 'less'))) continue;
      const threshold = thresholdNear(r, i);
      if (!threshold) continue;
      use(r, Math.min(i, threshold.at), Math.max(i, threshold.at) + 1);
      if (threshold.unitAt !== null) r.used[threshold.unitAt] = true;
      return { fn, threshold };
    }
  }
  if (any(r, 'max')) return { fn: 'max', threshold: null };
  if (any(r, 'min')) return { fn: 'min', threshold: null };
  if (any(r, 'avg')) return { fn: 'avg', threshold: null };
  const word = r.tokens.find(
    (t, i) =>
      !r.used[i] && is(t, 'above', 'below') && !['over', 'under', 'top', 'beyond', 'at least', '超', '落到', '降到'].includes(t.text),
  );
  if (word && any(r, 'howMany')) return { fn: is(word, 'above') ? 'count_above' : 'count_below', threshold: null };
  return null;
}

type Threshold = { at: number; number: number; unit: string | null; unitAt: number | null };

function thresholdNear(r: Reading, i: number): Threshold | null {
  const t = r.tokens;
  const make = (at: number): Threshold | null => {
    const amount = t[at]!.amount!;
    const next = t[at + 1];
    const minus = is(t[at - 1], 'minus') || (is(t[at - 1], 'percentOf') && is(t[at - 2], 'minus'));
    if ((next === undefined || next.unit === null) && next?.times.some((m) => m.startsWith('u:') && next.text !== 'm' && next.text !== 'c'))
      return null; // "over 2 hours"
    if (next !== undefined && ['次', 'times', '回'].includes(next.text)) return null;
    if (amount.hexOrHours) return null;
    return {
      at,
      number: minus ? -amount.value : amount.value,
      unit: is(t[at - 1], 'percentOf') ? '%' : (next?.unit ?? null),
      unitAt: next !== undefined && next.unit !== null ? at + 1 : null,
    };
  };
  for (let k = i + 1; k <= i + 4 && k < t.length; k++) {
    if (t[k]!.kind === 'number' && !r.used[k]) return make(k);
    if (
      !is(t[k], 'fill', 'minus', 'percentOf', 'equals', 'to', 'above', 'below', 'greater', 'less') &&
      t[k]!.text !== '了' &&
      t[k]!.text !== '过'
    )
      break;
  }
  // 100A以上
  if (t[i]!.text === '以上' || t[i]!.text === '以下') {
    const at = t[i - 1]?.kind === 'number' ? i - 1 : t[i - 2]?.kind === 'number' && t[i - 1]!.unit !== null ? i - 2 : -1;
    if (at >= 0) return make(at);
  }
  return null;
}

function hasThreshold(r: Reading): boolean {
  const found = wanted({ ...r, used: [...r.used] });
  return found !== null && found.threshold !== null;
}

export function speaksOfAggregate(r: Reading): boolean {
  return any(r, 'max', 'min', 'avg') || hasThreshold(r) || (any(r, 'above', 'below') && any(r, 'howMany'));
}

export function aggregateRequest(r: Reading, files: readonly string[] = []): Interpretation | null {
  const names = takeNames(r).filter((n) => isRealName(n, r));
  const want = wanted(r);
  if (!want) return null;
  const target = targetOf(r, names, false);
  const time = timeIn(r);
  const range = rangeOf(time, files.length > 0 ? null : todaySoFar(r));
  const tag = target.tags[0];
  let threshold = want.threshold?.number;
  let mismatch = false;
  if (want.threshold && tag) {
    const factor = factorBetween(want.threshold.unit, unitName(tag.unit));
    if (factor === null) mismatch = true;
    else threshold = roundSmall(want.threshold.number * factor);
  }
  const params = compact({ ...target.params, fn: want.fn, threshold, ...range.params });
  if (target.reason) return ask('aggregate', params, target.reason);
  if (want.fn.startsWith('count') && threshold === undefined) return ask('aggregate', params, 'missing_value');
  if (mismatch) return ask('aggregate', params, 'unit_mismatch');
  if (range.reason) return ask('aggregate', params, range.reason);
  return done('aggregate', params);
}

export function trendRequest(r: Reading): Interpretation | null {
  const names = takeNames(r).filter((n) => isRealName(n, r));
  const target = targetOf(r, names, false);
  const time = timeIn(r);
  const range = rangeOf(time, { from: hourBefore(r.world.now), to: r.world.now });
  const params = { ...target.params, ...range.params };
  if (target.reason) return ask('trend', params, target.reason);
  if (range.reason) return ask('trend', params, range.reason);
  return done('trend', params);
}

const hourBefore = (now: string): string => new Date(Date.parse(`${now}Z`) - 3_600_000).toISOString().slice(0, 19);

const topics = ['timeout', 'crc', 'exception', 'disconnect', 'alarm', 'write'] as const;
const topicNames: Readonly<Record<(typeof topics)[number], string>> = {
  timeout: 'timeout',
  crc: 'crc_error',
  exception: 'exception',
  disconnect: 'disconnect',
  alarm: 'alarm',
  write: 'write',
};
const bareWrites = new Set(['write', '写', 'writing', 'wrote', '写入', '写过', '写的']);

export function topicOf(r: Reading): string | null {
  for (const topic of topics) {
    if (r.tokens.some((t, i) => !r.used[i] && is(t, `${topic}Topic`) && !(topic === 'write' && bareWrites.has(t.text) && !pastWrite(r, i))))
      return topicNames[topic];
  }
  return null;
}

/** 写入 as a noun: counted, listed or made. */
function pastWrite(r: Reading, i: number): boolean {
  return (
    any(r, 'howMany') ||
    anyText(r, '次', '笔', '记录', '列出', '列一下', 'made', 'happened') ||
    ['了', '过', '的'].includes(r.tokens[i + 1]?.text ?? '') ||
    (any(r, 'list') && timeIn(r).kind !== 'none')
  );
}

export function logRequest(r: Reading): Interpretation | null {
  const file = r.tokens.find((t) => t.kind === 'file');
  const topic = topicOf(r) ?? 'any';
  const action =
    any(r, 'howMany') && !onlyLists(r)
      ? 'count'
      : any(r, 'summarize') || anyText(r, '怎么样', '正常吗', '正常', '如何', 'how is', 'how are', '怎样')
        ? 'summarize'
        : 'list';
  const time = timeIn(r);
  const range = rangeOf(time, file ? null : todaySoFar(r));
  const params = compact({
    action,
    topic,
    ...range.params,
    file: file ? r.normal.source.slice(r.normal.at[file.start], (r.normal.at[file.end - 1] ?? 0) + 1) : undefined,
  });
  if (range.reason) return ask('analyze_log', params, range.reason);
  return done('analyze_log', params);
}

const onlyLists = (r: Reading): boolean =>
  r.tokens.filter((t, i) => !r.used[i] && is(t, 'howMany')).every((t) => t.text === 'number of' && false);

/** A log is meant by its name, a file, or a thing that logs hold, with a question about the past. */
export function speaksOfLog(r: Reading): boolean {
  if (r.tokens.some((t) => t.kind === 'file')) return true;
  const topic = topicOf(r);
  const log = r.tokens.some(
    (t, i) =>
      !r.used[i] &&
      is(t, 'log') &&
      !['记录', 'comms', 'communication', '通信', '通讯', 'record', 'records', 'comm', 'events', 'event', 'entries'].includes(t.text),
  );
  const weakLog = any(r, 'log');
  const asks = any(r, 'howMany', 'list', 'summarize', 'happened');
  if (log) return true;
  if (topic !== null || any(r, 'anyTopic'))
    return asks || r.tokens.every((t) => is(t, 'alarmTopic', 'stop', 'question')) || timeIn(r).kind !== 'none' || weakLog;
  const happened = r.tokens.some(
    (t) =>
      is(t, 'summarize') &&
      [
        'what happened',
        '发生了什么',
        '发生了啥',
        '发生什么',
        'what went wrong',
        '出了什么问题',
        'what has happened',
        '发生过什么',
        '发生啥',
        '出了啥事',
        '出了什么事',
        '出什么事了',
        '出了哪些问题',
        'what is happening',
      ].includes(t.text),
  );
  return happened || (weakLog && (asks || any(r, 'what') || anyText(r, '正常')) && (any(r, 'summarize') || timeIn(r).kind !== 'none'));
}
