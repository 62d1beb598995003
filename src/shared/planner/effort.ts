import type { Estimate } from '../ledger.ts';
import { interpret } from './interpret.ts';
import type { Interpretation, World } from './types.ts';

export type Effort = Pick<Estimate, 'dependentCalls' | 'rows' | 'toolAnswers'>;

/**
 * Words that relate values with each other. No tool does this: its user calls once for each side, and the number says how many
 * calls that takes at least. Where `rows` is set, every sample has to be looked at, not one value a period.
 */
const relations: readonly { words: RegExp; calls: number; rows?: true }[] = [
  { words: /\bcompar|\bversus\b|\bvs\b|\bagainst\b|difference between|\bgap\b|对比|比较|相比|差值|之差/i, calls: 2 },
  { words: /correlat|\blag\b|\bfollows?\b.*\bby\b|相关|滞后|延迟多少/i, calls: 2, rows: true },
  { words: /\bfactor\b|\bratio\b|\bscale\b|proportion|倍数|比例|比值|换算/i, calls: 3 },
  { words: /\b(hourly|daily|by hour|per hour|each hour|every hour)\b|每小时|逐时|按小时|每天|逐日/i, calls: 2 },
  { words: /\bshifts?\b|班次|每班|各班/i, calls: 3 },
  { words: /\bfirst\b.{0,60}\bbefore\b|in which order|sequence|first.?out|root cause|先后|顺序|首出|最先/i, calls: 2 },
  { words: /\b(half|twice|double|third|percent|%) of\b|\b(plus|minus|times) the\b|一半|两倍|百分之|加上|减去/i, calls: 3 },
  {
    words: /standard deviation|variance|percentile|median|regression|slope|\bfit\b|outlier|标准差|方差|中位数|分位|回归|斜率|离群/i,
    calls: 1,
    rows: true,
  },
];
/** An event that counts only when it lasted: a tool counts every crossing, so its rows have to be looked at. */
const lasting =
  /\bfor\s+\d+(\.\d+)?\s*(s|sec|seconds?|min|minutes?)\s+or\s+(longer|more)|\bat least\s+\d+(\.\d+)?\s*(s|sec|seconds?|min|minutes?)\b|debounce|(持续|超过|至少)\s*\d+(\.\d+)?\s*(秒|分钟)(以上|及以上)?/i;
const threshold = /\b(above|over|below|under|exceed\w*|higher than|lower than)\s+-?\d|[<>≥≤]\s*-?\d|(高于|低于|超过|大于|小于)\s*-?\d/i;

/** Of ten samples about one lies beyond a limit, so that is what a tool that filters hands over. */
const beyondShare = 0.1;
/** A sample about every five seconds: changes and heartbeats of a tag that is polled each second. */
const samplesAnHour = 720;
/** What counting a log by unit and kind usually gives. */
const logGroups = 6;

/**
 * What a request will take, judged before anything runs: by what the built-in planner understands of it, by words that relate
 * values, and by how many tags it is about. `rowsKept`: samples or lines there are to look at, where that is known.
 */
export function effortOf(text: string, world: World, about: { files?: readonly string[]; rowsKept?: number } = {}): Effort {
  const files = about.files ?? [];
  const lasts = lasting.test(text);
  // How long an event lasted is not the period that was asked about.
  const meant = interpret(lasts ? text.replace(lasting, ' ') : text, world, { last: null, files });
  const tags = Math.max(1, tagsNamed(text, world));
  const onLog = meant.intent === 'analyze_log';
  const found = relations.filter(({ words }) => words.test(text));
  // Counting a log by its fields, shifts among them, is what the log tool does; an order of events is not.
  const related = onLog && meant.params['action'] === 'count' ? [] : found;
  const calls = related.reduce((most, r) => Math.max(most, r.calls), 1);
  if (!lasts && !related.some((r) => r.rows)) return { dependentCalls: calls, rows: onLog ? logGroups : tags, toolAnswers: true };
  const all = about.rowsKept ?? Math.ceil(tags * hoursOf(meant) * samplesAnHour);
  return { dependentCalls: calls, rows: Math.ceil(threshold.test(text) ? all * beyondShare : all), toolAnswers: false };
}

/** Tags that the words name, and the members of a run such as "S01 to S40". */
function tagsNamed(text: string, world: World): number {
  const words = text.normalize('NFKC').toLowerCase();
  const named = world.tags.filter((tag) => [tag.name, ...tag.aliases].some((a) => a.length > 1 && words.includes(a.toLowerCase()))).length;
  const run = /([a-z]*)(\d{1,4})\s*(?:to|through|until|-|–|~|到|至)\s*\1(\d{1,4})(?!\d|[:：点])/i.exec(words);
  const members = run === null || run[1] === '' ? 0 : Number(run[3]) - Number(run[2]) + 1;
  return Math.max(named, members);
}

function hoursOf({ params }: Interpretation): number {
  const [from, to] = [params['from'], params['to']].map((t) => (typeof t === 'string' ? Date.parse(t) : NaN));
  const hours = (to! - from!) / 3_600_000;
  return hours > 0 ? hours : 1;
}
