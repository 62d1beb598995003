import type { Token } from './lexer.ts';
import { minute, hour, day, startOfDay, monthStart, type Part, readElements } from './timeElements.ts';

/** What a request says about time. `open`: words of time that cannot be resolved (a shift, "recently"). */
export type TimeFound =
  | { kind: 'none' }
  | { kind: 'range'; from: string; to: string; used: number[] }
  | { kind: 'future'; used: number[] }
  | { kind: 'open'; used: number[] };

const parse = (local: string): number => Date.parse(`${local}Z`);

export const writeTime = (at: number): string => new Date(at).toISOString().slice(0, 19);

const partHours: Readonly<Record<Part, [number, number]>> = {
  dawn: [0, 6],
  morning: [6, 12],
  noon: [11, 13],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [18, 30],
};

type Point = {
  day: number | null;
  dayOfMonth: number | null;
  part: Part | null;
  clock: { minutes: number; sure: boolean } | null;
  instant: number | null;
  now: boolean;
  span: { from: number; to: number } | null;
  nextDay: boolean;
};

const emptyPoint = (): Point => ({
  day: null,
  dayOfMonth: null,
  part: null,
  clock: null,
  instant: null,
  now: false,
  span: null,
  nextDay: false,
});

export function findTime(tokens: readonly Token[], taken: readonly boolean[], nowText: string): TimeFound {
  const now = parse(nowText);
  const elements = readElements(tokens, taken, now);
  const used = elements.flatMap((e) => e.used);
  const meaningful = elements.some((e) => ['day', 'dayOfMonth', 'part', 'clock', 'instant', 'span', 'future', 'open'].includes(e.is));
  if (!meaningful) return { kind: 'none' };
  if (elements.some((e) => e.is === 'open')) return { kind: 'open', used };
  if (elements.some((e) => e.is === 'future')) return { kind: 'future', used };
  const points: Point[] = [emptyPoint()];
  let since = false;
  let until = false;
  let start = false;
  for (const e of elements) {
    const point = points[points.length - 1]!;
    if (e.is === 'day') point.day = e.at;
    else if (e.is === 'dayOfMonth') point.dayOfMonth = e.n;
    else if (e.is === 'part') point.part = e.part;
    else if (e.is === 'clock') point.clock = { minutes: e.minutes, sure: e.sure };
    else if (e.is === 'instant') point.instant = e.at;
    else if (e.is === 'span') point.span = e;
    else if (e.is === 'now') point.now = true;
    else if (e.is === 'nextDay') point.nextDay = true;
    else if (e.is === 'since') since = true;
    else if (e.is === 'until') until = true;
    else if (e.is === 'start') start = true;
    else if (e.is === 'to' && isFilled(point)) points.push(emptyPoint());
  }
  const filled = points.filter((p) => isFilled(p));
  if (filled.length > 2) return { kind: 'open', used };
  const range =
    filled.length === 2
      ? twoPoints(filled[0]!, filled[1]!, now)
      : filled.length === 1
        ? onePoint(filled[0]!, now, since || (start && (filled[0]!.clock !== null || filled[0]!.instant !== null)), until)
        : null;
  if (range === null || range.to <= range.from) {
    if (range !== null && range.from >= now) return { kind: 'future', used };
    return { kind: 'open', used };
  }
  if (range.from >= now) return { kind: 'future', used };
  return { kind: 'range', from: writeTime(range.from), to: writeTime(range.to), used };
}

const isFilled = (p: Point): boolean =>
  p.day !== null || p.dayOfMonth !== null || p.part !== null || p.clock !== null || p.instant !== null || p.now || p.span !== null;

type Range = { from: number; to: number };

function onePoint(p: Point, now: number, since: boolean, until: boolean): Range | null {
  if (p.span) return since ? { from: p.span.from, to: now } : p.span;
  if (p.instant !== null) return since ? { from: p.instant, to: now } : null;
  if (p.now) return null;
  const base = p.day ?? dayInMonth(p.dayOfMonth, now) ?? startOfDay(now);
  if (p.clock) {
    const at = base + clockMinutes(p.clock, p.part) * minute;
    if (since) return { from: at, to: now };
    if (until) return { from: base, to: at };
    return null;
  }
  if (p.part) {
    const [a, b] = partHours[p.part];
    if (since) return { from: base + (p.part === 'noon' ? 12 : a) * hour, to: now };
    const range = { from: base + a * hour, to: base + b * hour };
    return range.from < now ? { from: range.from, to: Math.min(range.to, now) } : range;
  }
  if (since) return { from: base, to: now };
  return base === startOfDay(now) ? { from: base, to: now } : { from: base, to: base + day };
}

const dayInMonth = (n: number | null, near: number): number | null => (n === null ? null : monthStart(near) + (n - 1) * day);

function twoPoints(a: Point, b: Point, now: number): Range | null {
  if (a.span && !b.clock) return { from: a.span.from, to: b.now ? now : (b.span?.to ?? endOf(b, now)) };
  const dayA = a.day ?? dayInMonth(a.dayOfMonth, b.day ?? now);
  const dayB = b.day ?? dayInMonth(b.dayOfMonth, a.day ?? now);
  const firstDay = dayA ?? dayB ?? startOfDay(now);
  let from: number;
  if (a.instant !== null) from = a.instant;
  else if (a.clock) from = firstDay + clockMinutes(a.clock, a.part ?? (dayA === null || dayB === null ? b.part : null)) * minute;
  else if (a.part) from = firstDay + partHours[a.part][0] * hour;
  else from = firstDay;
  if (b.now) return { from, to: now };
  if (b.instant !== null) return { from, to: b.instant };
  const secondDay = b.nextDay ? firstDay + day : (dayB ?? firstDay);
  if (!b.clock) {
    if (b.part) return { from, to: secondDay + partHours[b.part][1] * hour };
    return { from, to: secondDay === startOfDay(now) ? now : secondDay + day };
  }
  let minutes = clockMinutes(b.clock, b.part ?? (b.clock.sure ? null : a.part));
  const firstMinutes = (from - firstDay) / minute;
  // 10点到2点 within one named day: the second clock has passed noon, or midnight when the first has
  if (
    dayB === null &&
    !b.nextDay &&
    minutes <= firstMinutes &&
    !b.clock.sure &&
    b.part === null &&
    minutes + 720 > firstMinutes &&
    minutes < 720 &&
    firstMinutes < 720
  )
    minutes += 720;
  let to = secondDay + minutes * minute;
  if (to <= from && (dayB === null || dayA === null) && !b.nextDay) to += day;
  return { from, to };
}

const endOf = (p: Point, now: number): number => {
  const base = p.day ?? dayInMonth(p.dayOfMonth, now) ?? startOfDay(now);
  return base === startOfDay(now) ? now : base + day;
};

function clockMinutes(clock: { minutes: number; sure: boolean }, part: Part | null): number {
  const h = Math.floor(clock.minutes / 60);
  const add = (n: number) => clock.minutes + n * 60;
  if (part === null || clock.sure) return clock.minutes;
  if (part === 'afternoon') return h < 12 ? add(12) : clock.minutes;
  if (part === 'evening' || part === 'night') return h < 5 && part === 'night' ? add(24) : h <= 12 && h >= 5 ? add(12) : clock.minutes;
  if (part === 'noon') return h < 6 ? add(12) : clock.minutes;
  if (part === 'dawn') return h === 12 ? add(-12) : clock.minutes;
  return clock.minutes;
}
