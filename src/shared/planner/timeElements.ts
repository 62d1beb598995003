import type { Token } from './lexer.ts';

export const minute = 60_000;

export const hour = 60 * minute;

export const day = 24 * hour;

export const startOfDay = (at: number): number => Math.floor(at / day) * day;

const mondayOf = (at: number): number => startOfDay(at) - ((new Date(at).getUTCDay() + 6) % 7) * day;

export const monthStart = (at: number, shift = 0): number => {
  const d = new Date(at);
  return Date.UTC(d.getUTCFullYear(), d.getUTCMonth() + shift, 1);
};

const minusMonths = (at: number, n: number): number => {
  const d = new Date(at);
  const lastOfTarget = new Date(Date.UTC(d.getUTCFullYear(), d.getUTCMonth() - n + 1, 0)).getUTCDate();
  return Date.UTC(d.getUTCFullYear(), d.getUTCMonth() - n, Math.min(d.getUTCDate(), lastOfTarget)) + (at - startOfDay(at));
};

export type Part = 'dawn' | 'morning' | 'noon' | 'afternoon' | 'evening' | 'night';

type Element = { used: number[] } & (
  | { is: 'day'; at: number }
  | { is: 'dayOfMonth'; n: number }
  | { is: 'part'; part: Part }
  | { is: 'clock'; minutes: number; sure: boolean }
  | { is: 'instant'; at: number }
  | { is: 'span'; from: number; to: number }
  | { is: 'since' | 'until' | 'to' | 'now' | 'between' | 'future' | 'open' | 'start' | 'nextDay' | 'whole' }
);

export function readElements(tokens: readonly Token[], taken: readonly boolean[], now: number): Element[] {
  const elements: Element[] = [];
  for (let i = 0; i < tokens.length;) {
    const read = taken[i] ? null : elementAt(tokens, taken, i, now, elements);
    if (!read) {
      i++;
      continue;
    }
    elements.push(...read.elements);
    i = read.next;
  }
  return elements;
}

const unitsMs: Readonly<Record<string, number>> = {
  'u:second': 1000,
  'u:minute': minute,
  'u:hour': hour,
  'u:day': day,
  'u:week': 7 * day,
  'u:fortnight': 14 * day,
};

type Read = { elements: Element[]; next: number };

function elementAt(tokens: readonly Token[], taken: readonly boolean[], i: number, now: number, before: readonly Element[]): Read | null {
  const t = tokens[i]!;
  const at = (k: number): Token | undefined => (k < tokens.length && !taken[k] ? tokens[k] : undefined);
  const has = (k: number, meaning: string): boolean => at(k)?.times.includes(meaning) ?? false;
  const span = (count: number): number[] => Array.from({ length: count }, (_, k) => i + k);
  const today = startOfDay(now);
  const one = (e: Element, length = 1): Read => ({ elements: [e], next: i + length });

  // last N hours, 过去两小时, 最近半小时, 24小时内, 3天前
  const relative = relativeAt(tokens, taken, i, now);
  if (relative) return relative;
  const date = dateAt(tokens, taken, i, now, before);
  if (date) return date;
  const clock = clockAt(tokens, taken, i);
  if (clock) return clock;

  for (const meaning of t.times) {
    const [kind, n] = meaning.split(':') as [string, string | undefined];
    const used = span(1);
    const monday = mondayOf(now);
    if (kind === 'wd')
      return one({
        is: 'day',
        used,
        at: monday + (Number(n) - 1) * day > now ? monday + (Number(n) - 8) * day : monday + (Number(n) - 1) * day,
      });
    if (kind === 'lw')
      return one({ is: 'day', used, at: /^last/.test(t.text) ? previousWeekday(now, Number(n)) : monday + (Number(n) - 8) * day });
    if (kind === 'tw') return one({ is: 'day', used, at: monday + (Number(n) - 1) * day });
  }
  const is = (meaning: string) => t.times.includes(meaning);
  const used = span(1);
  if (is('today')) return one({ is: 'day', used, at: today });
  if (is('yesterday')) return one({ is: 'day', used, at: today - day });
  if (is('beforeYesterday')) return one({ is: 'day', used, at: today - 2 * day });
  if (is('threeDaysAgo')) return one({ is: 'day', used, at: today - 3 * day });
  if (['tomorrow', 'afterTomorrow', 'nextWeek', 'nextMonth', 'nextYear'].some(is)) return one({ is: 'future', used });
  if (
    is('future') &&
    (at(i + 1)?.kind === 'number' ||
      Object.keys(unitsMs).some((u) => has(i + 1, u)) ||
      has(i + 1, 'u:halfHour') ||
      t.text === '未来' ||
      t.text === '将来')
  )
    return one({ is: 'future', used });
  if (is('thisWeek')) return one({ is: 'span', used, from: mondayOf(now), to: now });
  if (is('lastWeek')) return one({ is: 'span', used, from: mondayOf(now) - 7 * day, to: mondayOf(now) });
  if (is('thisMonth')) return one({ is: 'span', used, from: monthStart(now), to: now });
  if (is('lastMonth')) return one({ is: 'span', used, from: monthStart(now, -1), to: monthStart(now) });
  if (is('thisYear')) return one({ is: 'span', used, from: Date.UTC(new Date(now).getUTCFullYear(), 0, 1), to: now });
  if (is('lastYear'))
    return one({
      is: 'span',
      used,
      from: Date.UTC(new Date(now).getUTCFullYear() - 1, 0, 1),
      to: Date.UTC(new Date(now).getUTCFullYear(), 0, 1),
    });
  if (is('lastNight'))
    return {
      elements: [
        { is: 'day', used, at: today - day },
        { is: 'part', used: [], part: 'night' },
      ],
      next: i + 1,
    };
  if (is('tonight'))
    return {
      elements: [
        { is: 'day', used, at: today },
        { is: 'part', used: [], part: 'evening' },
      ],
      next: i + 1,
    };
  if (is('thisMorning'))
    return {
      elements: [
        { is: 'day', used, at: today },
        { is: 'part', used: [], part: 'morning' },
      ],
      next: i + 1,
    };
  if (is('thisAfternoon'))
    return {
      elements: [
        { is: 'day', used, at: today },
        { is: 'part', used: [], part: 'afternoon' },
      ],
      next: i + 1,
    };
  if (is('midnight')) return one({ is: 'clock', used, minutes: 0, sure: true });
  for (const part of ['dawn', 'morning', 'noon', 'afternoon', 'evening', 'night'] as const) {
    if (!is(part)) continue;
    if (part === 'noon' && !t.han) return one({ is: 'clock', used, minutes: 720, sure: true });
    return one({ is: 'part', used, part });
  }
  if (is('shift')) return one({ is: 'open', used });
  if (is('recently')) return one({ is: 'open', used });
  if (is('nextDay')) return one({ is: 'nextDay', used });
  if (is('wholeDay')) return one({ is: 'whole', used });
  if (is('between')) return one({ is: 'between', used });
  if (t.text === 'from' || t.text === '从' || t.text === '自') return one({ is: 'start', used: [] });
  const pendingTime = before.some((e) => ['day', 'dayOfMonth', 'part', 'clock', 'instant', 'span'].includes(e.is));
  if (pendingTime && (t.classes.has('to') || t.classes.has('dash') || t.text === '至' || is('until')) && !is('since'))
    return one({ is: 'to', used });
  if (pendingTime && t.text === 'and' && before.some((e) => e.is === 'between')) return one({ is: 'to', used });
  if (pendingTime && (t.text === '和' || t.text === '与') && before.some((e) => e.is === 'clock')) return one({ is: 'to', used: [] });
  if (is('since'))
    return t.text === '开始' ||
      t.text === '起' ||
      t.text === 'after' ||
      t.text === 'to now' ||
      t.text === '以后' ||
      t.text === '之后' ||
      t.text === '后'
      ? pendingTime || t.text === 'after'
        ? one({ is: 'since', used })
        : null
      : one({ is: 'since', used });
  if (t.text === 'before' || ((t.text === '之前' || t.text === '以前' || t.text === '前') && before[before.length - 1]?.is === 'clock'))
    return one({ is: 'until', used });
  if (is('until')) return one({ is: 'until', used });
  if (is('nowPoint') && before.some((e) => e.is === 'to' || e.is === 'start')) return one({ is: 'now', used });
  return null;
}

function previousWeekday(now: number, n: number): number {
  const monday = mondayOf(now) + (n - 1) * day;
  return monday >= startOfDay(now) ? monday - 7 * day : monday;
}

function relativeAt(tokens: readonly Token[], taken: readonly boolean[], i: number, now: number): Read | null {
  const at = (k: number): Token | undefined => (k < tokens.length && !taken[k] ? tokens[k] : undefined);
  const has = (k: number, meaning: string): boolean => at(k)?.times.includes(meaning) ?? false;
  let k = i;
  const marked = has(k, 'recent') || has(k, 'within');
  if (marked) k++;
  while (marked && (at(k)?.text === '的' || at(k)?.text === 'the' || at(k)?.text === '这')) k++;
  if (marked && has(k, 'recent')) k++; // "within the last"
  const amount = durationAt(tokens, taken, k, marked);
  if (!amount) {
    if (
      marked &&
      (at(k)?.text === 'few' || at(k)?.text === 'couple' || at(k)?.classes.has('howMany') || at(k)?.text === '几') &&
      has(k, 'recent') === false
    ) {
      const few = at(k)!.text === 'couple' ? 2 : null;
      let u = k + 1;
      if (at(u)?.text === 'of' || at(u)?.text === '个') u++;
      const unit = unitAt(tokens, taken, u);
      if (unit && few !== null)
        return { elements: [{ is: 'span', used: range(i, unit.next), from: now - few * unit.ms, to: now }], next: unit.next };
      if (unit) return { elements: [{ is: 'open', used: range(i, unit.next) }], next: unit.next };
    }
    return null;
  }
  let next = amount.next;
  if (has(next, 'ago') && !marked) {
    // 3天前 is that day, 两小时前 that moment
    const used = range(i, next + 1);
    const back = amount.months > 0 ? minusMonths(now, amount.months) : now - amount.ms;
    if (amount.ms >= day || amount.months > 0) return { elements: [{ is: 'day', used, at: startOfDay(back) }], next: next + 1 };
    return { elements: [{ is: 'instant', used, at: back }], next: next + 1 };
  }
  if (!marked && !amount.explicit) return null;
  if (has(next, 'within')) next++;
  else if (at(next)?.text === '的' && has(next + 1, 'within')) next += 2;
  const from = amount.months > 0 ? minusMonths(now, amount.months) : now - amount.ms;
  return { elements: [{ is: 'span', used: range(i, next), from, to: now }], next };
}

export const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);

function unitAt(tokens: readonly Token[], taken: readonly boolean[], k: number): { ms: number; months: number; next: number } | null {
  const t = taken[k] ? undefined : tokens[k];
  if (!t) return null;
  for (const meaning of t.times) {
    if (meaning === 'u:month' && (t.text !== '月' || tokens[k - 1]?.text === '个')) return { ms: 0, months: 1, next: k + 1 };
    const ms = unitsMs[meaning];
    if (ms !== undefined && !(t.text === '日' || t.text === '时' || t.text === '分' || t.text === 's' || t.text === 'd'))
      return { ms, months: 0, next: k + 1 };
    if (ms !== undefined && (t.text === 's' || t.text === 'd') && !t.apart) return { ms, months: 0, next: k + 1 };
  }
  return null;
}

/** 2 hours, 两个小时, 半小时, an hour, 24h, 1.5小时; without a number one of the unit is meant ("the last hour"). */
function durationAt(
  tokens: readonly Token[],
  taken: readonly boolean[],
  k: number,
  marked: boolean,
): { ms: number; months: number; next: number; explicit: boolean } | null {
  const t = taken[k] ? undefined : tokens[k];
  if (!t) return null;
  const fixed: Readonly<Record<string, number>> = {
    'u:halfHour': hour / 2,
    'u:halfDay': 12 * hour,
    'u:hourAndHalf': 1.5 * hour,
    'u:quarterHour': hour / 4,
    'u:threeQuarterHour': 0.75 * hour,
  };
  for (const meaning of t.times) if (fixed[meaning] !== undefined) return { ms: fixed[meaning], months: 0, next: k + 1, explicit: true };
  if (t.kind === 'number' && t.amount!.hexOrHours) return { ms: Number(t.amount!.digits) * hour, months: 0, next: k + 1, explicit: true };
  if (t.kind === 'number' && t.amount!.value > 0) {
    let next = k + 1;
    let half = 0;
    if (tokens[next]?.text === '个' && !taken[next]) next++;
    if (tokens[next]?.text === '半' && !taken[next]) {
      half = 0.5;
      next++;
    }
    if (tokens[next]?.times.includes('u:halfHour') && next > k + 1 && !taken[next])
      return { ms: (t.amount!.value + 0.5) * hour, months: 0, next: next + 1, explicit: true };
    const unit = unitAt(tokens, taken, next);
    if (!unit) return null;
    let ms = (t.amount!.value + half) * unit.ms;
    let end = unit.next;
    const more = tokens[end]?.kind === 'number' ? durationAt(tokens, taken, end, false) : null; // 1小时30分钟
    if (more && more.ms < unit.ms && more.explicit) {
      ms += more.ms;
      end = more.next;
    } else if (tokens[end]?.text === '半' && !taken[end]) {
      ms += unit.ms / 2;
      end++;
    }
    return { ms, months: t.amount!.value * unit.months, next: end, explicit: true };
  }
  if (!marked && !(t.text === 'an' || t.text === 'a' || t.text === 'one')) return null;
  const article = t.text === 'an' || t.text === 'a' || t.text === 'full' || t.text === 'whole';
  const unit = unitAt(tokens, taken, article ? k + 1 : k);
  if (!unit || (article && !marked && unit.ms > hour)) return null;
  return { ms: unit.ms, months: unit.months, next: unit.next, explicit: marked };
}

function dateAt(tokens: readonly Token[], taken: readonly boolean[], i: number, now: number, before: readonly Element[]): Read | null {
  const at = (k: number): Token | undefined => (k < tokens.length && !taken[k] ? tokens[k] : undefined);
  const t = tokens[i]!;
  const year = new Date(now).getUTCFullYear();
  const dayOf = (y: number, m: number, d: number, used: number[], next: number): Read | null => {
    const date = Date.UTC(y, m - 1, d);
    const valid = m >= 1 && m <= 12 && d >= 1 && new Date(date).getUTCDate() === d;
    return valid ? { elements: [{ is: 'day', used, at: date }], next } : { elements: [{ is: 'open', used }], next };
  };
  if (t.kind === 'date') {
    const [y, m, d] = t.text.split(/[-/.]/).map(Number) as [number, number, number];
    return dayOf(y, m, d, [i], i + 1);
  }
  const number = (k: number): number | null =>
    at(k)?.kind === 'number' && Number.isInteger(at(k)!.amount!.value) ? at(k)!.amount!.value : null;
  let k = i;
  let y = year;
  if (number(k) !== null && number(k)! > 1900 && number(k)! < 2200 && at(k + 1)?.text === '年') {
    y = number(k)!;
    k += 2;
  }
  const month = number(k);
  if (month !== null && month >= 1 && month <= 12 && (at(k + 1)?.text === '月' || at(k + 1)?.text === '月份')) {
    const d = number(k + 2);
    if (
      d !== null &&
      (at(k + 3)?.times.includes('dayMark') || (d <= 31 && at(k + 3)?.classes.has('dash')) || (d <= 31 && at(k + 3)?.classes.has('to')))
    ) {
      const end = at(k + 3)!.times.includes('dayMark') ? k + 4 : k + 3;
      return dayOf(y, month, d, range(i, end), end);
    }
    return {
      elements: [
        {
          is: 'span',
          used: range(i, k + 2),
          from: Date.UTC(y, month - 1, 1),
          to: y === year && Date.UTC(y, month, 1) > now ? Math.max(now, Date.UTC(y, month - 1, 1) + 1) : Date.UTC(y, month, 1),
        },
      ],
      next: k + 2,
    };
  }
  const monthName = t.times.find((m) => m.startsWith('mo:'));
  if (monthName !== undefined) {
    const m = Number(monthName.slice(3));
    const d = number(i + 1);
    if (d !== null && d <= 31) {
      let end = i + 2;
      const withYear = number(end + (at(end)?.classes.has('comma') ? 1 : 0));
      if (withYear !== null && withYear > 1900 && withYear < 2200) {
        end += at(end)?.classes.has('comma') ? 2 : 1;
        return dayOf(withYear, m, d, range(i, end), end);
      }
      return dayOf(year, m, d, range(i, end), end);
    }
    if (m === 5 || t.text === 'mar' || t.text === 'sun') return null; // "may" is a verb first
    return {
      elements: [
        { is: 'span', used: [i], from: Date.UTC(year, m - 1, 1), to: m - 1 === new Date(now).getUTCMonth() ? now : Date.UTC(year, m, 1) },
      ],
      next: i + 1,
    };
  }
  const first = number(i);
  if (first !== null && first >= 1 && first <= 31) {
    const of = at(i + 1)?.text === 'of' ? i + 2 : i + 1;
    const name = at(of)?.times.find((m) => m.startsWith('mo:'));
    if (name !== undefined) return dayOf(year, Number(name.slice(3)), first, range(i, of + 1), of + 1);
    const afterDay =
      before[before.length - 1]?.is === 'to' &&
      before.some((e) => e.is === 'day' || e.is === 'dayOfMonth') &&
      !before.some((e) => e.is === 'clock');
    if (at(i + 1)?.times.includes('dayMark') && (afterDay || at(i + 1)!.text === '日' || at(i + 1)!.text === '号'))
      return { elements: [{ is: 'dayOfMonth', n: first, used: [i, i + 1] }], next: i + 2 };
    if (afterDay && before.some((e) => e.is === 'day' && e.used.length > 1) && !at(i + 1)?.times.includes('oclock'))
      return { elements: [{ is: 'dayOfMonth', n: first, used: [i] }], next: i + 1 };
  }
  return null;
}

function clockAt(tokens: readonly Token[], taken: readonly boolean[], i: number): Read | null {
  const at = (k: number): Token | undefined => (k < tokens.length && !taken[k] ? tokens[k] : undefined);
  const t = tokens[i]!;
  if (t.kind === 'clock') {
    const found = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?(am|pm|a\.m\.|p\.m\.)?$/.exec(t.text);
    if (!found) return null;
    let h = Number(found[1]);
    const half = found[3]?.[0];
    if (half === 'p' && h < 12) h += 12;
    if (half === 'a' && h === 12) h = 0;
    if (h > 24 || Number(found[2] ?? 0) > 59) return { elements: [{ is: 'open', used: [i] }], next: i + 1 };
    return { elements: [{ is: 'clock', used: [i], minutes: h * 60 + Number(found[2] ?? 0), sure: half !== undefined }], next: i + 1 };
  }
  const n = t.kind === 'number' && t.amount!.value >= 0 && t.amount!.value <= 24 ? t.amount!.value : null;
  if (n === null) return null;
  if (!Number.isInteger(n)) return null;
  const mark = at(i + 1);
  if (mark?.times.includes('oclock')) {
    let minutes = n * 60;
    let next = i + 2;
    if (at(next)?.text === '半') [minutes, next] = [minutes + 30, next + 1];
    else if (at(next)?.times.includes('quarter')) [minutes, next] = [minutes + 15, next + 1];
    else if (
      at(next)?.kind === 'number' &&
      at(next)!.amount!.value < 60 &&
      (at(next + 1)?.text === '分' || at(next)!.start === at(next - 1)!.end)
    ) {
      minutes += at(next)!.amount!.value;
      next += at(next + 1)?.text === '分' ? 2 : 1;
    }
    return { elements: [{ is: 'clock', used: range(i, next), minutes, sure: n > 12 }], next };
  }
  // bare hours only in pairs: between 8 and 10, 8 to 10, 8到10点, from 8 till 10; or after since / from / 自
  const isTo = (token: Token | undefined): boolean =>
    token !== undefined &&
    (token.classes.has('to') || token.classes.has('dash') || token.times.includes('until') || token.text === 'and' || token.text === '至');
  const partner = at(i + 2);
  const pair = (other: Token | undefined): boolean =>
    other !== undefined &&
    ((other.kind === 'number' && Number.isInteger(other.amount!.value) && other.amount!.value <= 24 && other.amount!.value >= 0) ||
      other.kind === 'clock' ||
      other.times.includes('midnight') ||
      other.text === 'noon');
  const forwards = isTo(mark) && pair(partner) && (mark!.text !== 'and' || at(i - 1)?.text === 'between');
  const backwards = isTo(at(i - 1)) && pair(at(i - 2)) && (at(i - 1)!.text !== 'and' || at(i - 3)?.text === 'between');
  const afterClock = isTo(at(i - 1)) && (at(i - 2)?.times.some((m) => m === 'oclock' || m === 'morning' || m === 'afternoon') ?? false);
  const alone =
    (at(i - 1)?.text === 'since' || at(i - 1)?.text === 'after' || at(i - 1)?.text === 'before') &&
    (mark === undefined || mark.unit === null);
  if (forwards || backwards || afterClock || alone)
    return { elements: [{ is: 'clock', used: [i], minutes: n * 60, sure: n > 12 }], next: i + 1 };
  return null;
}
