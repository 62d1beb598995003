import {
  any,
  anyText,
  ask,
  compact,
  deviceOf,
  done,
  is,
  isDoubtful,
  isScheduled,
  namesIn,
  numbersLeft,
  timeIn,
  unknown,
  use,
  type Reading,
} from '../context.ts';
import { isContent, type Name } from '../names.ts';
import { roundSmall } from '../numbers.ts';
import { factorBetween, unitName } from '../units.ts';
import type { Interpretation, WorldTag } from '../types.ts';
import { isQuestion } from './mood.ts';

export type Target = { params: Record<string, unknown>; reason: string | null; tags: WorldTag[] };

/** Which tags are meant: all names resolved, or the first reason why not. */
export function targetOf(r: Reading, names: readonly Name[], single: boolean): Target {
  const tags: WorldTag[] = [];
  const everyOne = any(r, 'all') || anyText(r, 'both') || r.tokens.some((t, i) => t.text === '两' && r.used[i] === true);
  for (const name of names) {
    if (name.things.length === 0) return { params: { query: name.query }, reason: 'unknown_tag', tags: [] };
  }
  for (const name of names) {
    const fits = name.things.filter((t) => t.kind === 'tag').map((t) => r.vocabulary.tags.get(t.id)!);
    if (fits.length === 0) return { params: { query: name.query }, reason: 'unknown_tag', tags: [] };
    if (fits.length > 1 && !(everyOne && !single))
      return { params: { candidates: fits.map((t) => t.name) }, reason: 'ambiguous_tag', tags: [] };
    for (const tag of fits) if (!tags.includes(tag)) tags.push(tag);
  }
  if (tags.length === 0) return { params: {}, reason: 'missing_tag', tags };
  if (single && tags.length > 1) return { params: { candidates: tags.map((t) => t.name) }, reason: 'ambiguous_tag', tags: [] };
  return { params: single ? { tag: tags[0]!.name } : { tags: tags.map((t) => t.name) }, reason: null, tags };
}

/** Names of tags (known or not) with their tokens taken; what only looks like a name (状态 alone) is left. */
export function takeNames(r: Reading): Name[] {
  takeBoth(r);
  const names = namesIn(r).filter((n) => deviceOf(n) === null && isSpoken(n, r));
  for (const n of names) use(r, n.from, n.to);
  return names;
}

/** 两个泵, 两台泵: a number that says how many, and no part of a name. */
function takeBoth(r: Reading): void {
  r.tokens.forEach((t, i) => {
    if (t.kind === 'number' && t.amount!.chinese && ['个', '台', '只'].includes(r.tokens[i + 1]?.text ?? '') && isContent(r.tokens[i + 2]))
      use(r, i, i + 2);
  });
}

const emptyAtoms = new Set(['status', 'total', 'run', 'position', 'opening']);

function isSpoken(name: Name, r: Reading): boolean {
  if (name.things.length > 0) return !name.atoms.every((a) => emptyAtoms.has(a));
  const tokens = r.tokens.slice(name.from, name.to);
  if (name.atoms.length > 0 && name.atoms.every((a) => emptyAtoms.has(a)) && !name.foreign) return false;
  return tokens.some((t) => t.atom !== null || is(t, 'noun')) || tokens.some((t) => t.kind === 'unknown');
}

export const isRealName = (name: Name, r: Reading): boolean =>
  name.things.length > 0 || r.tokens.slice(name.from, name.to).some((t) => t.atom !== null || is(t, 'noun'));

type Value = { number: number; unit: string | null; at: number; signed: boolean };

function valuesIn(r: Reading): Value[] {
  return numbersLeft(r).map((at) => {
    const t = r.tokens[at]!;
    const percent = is(r.tokens[at - 1], 'percentOf');
    const minus = is(r.tokens[at - 1], 'minus') || (percent && is(r.tokens[at - 2], 'minus'));
    const next = r.tokens[at + 1];
    const unit = percent ? '%' : (next?.unit ?? null);
    return {
      number: minus ? -t.amount!.value : t.amount!.value,
      unit: unit === null ? null : unit,
      at,
      signed: minus || t.amount!.value < 0 || t.classes.has('plusNumber'),
    };
  });
}

const changing = ['set', 'write', 'up', 'down', 'on', 'off', 'open', 'close', 'fullOpen', 'equals', 'half', 'toggle'] as const;

/** Does the rest of the request (names already taken) ask for a change? */
export function asksForChange(r: Reading): boolean {
  return r.tokens.some((t, i) => !r.used[i] && is(t, ...changing) && !isIdle(r, i));
}

/** Verbs of change that here are nothing but small words. */
function isIdle(r: Reading, i: number): boolean {
  const t = r.tokens[i]!;
  if (t.text === 'up' || t.text === 'down' || t.text === 'drop') return !r.tokens.some((x) => is(x, 'by', 'to') || x.kind === 'number');
  if (t.text === 'make' || t.text === 'load' || t.text === 'enter' || t.text === 'store') return numbersLeft(r).length === 0;
  if (t.text === 'on' || t.text === '上') return true;
  return false;
}

export function tagRequest(r: Reading): Interpretation | null {
  const names = takeNames(r);
  const real = names.filter((n) => isRealName(n, r));
  const question = isQuestion(r) || switchAsked(r);
  const change = asksForChange(r) || bareSwitch(r, real);
  const running = any(r, 'running') && !anyText(r, '把', '将', '给我', '帮我', '帮', '请');
  if (!question && change && !(running && !any(r, 'set', 'up', 'down'))) return tagWrite(r, real.length > 0 ? real : names);
  if (question && change && !any(r, 'what', 'isAre', 'read', 'howMany') && !running && any(r, 'wonder')) {
    return real.length > 0 && any(r, 'running') ? tagRead(r, real) : unknown('not_understood');
  }
  if (real.length === 0) {
    const strong =
      names.length > 0 &&
      r.tokens.some(
        (t, i) =>
          !r.used[i] &&
          is(t, 'read') &&
          ['read', '读', '读取', '读一下', '读下', '采集', '读出', '查询', '查一下', 'fetch'].includes(t.text),
      ) &&
      numbersLeft(r).length === 0;
    return strong ? tagRead(r, names) : null;
  }
  return tagRead(r, real);
}

/** "pump 1 stop?", 1号泵开？: the name first and a question mark last asks how it stands. */
function switchAsked(r: Reading): boolean {
  const last = r.tokens[r.tokens.length - 1];
  const verb = r.tokens.findIndex((t, i) => !r.used[i] && is(t, 'on', 'off'));
  return is(last, 'question') && r.used[0] === true && verb >= 0 && !any(r, 'set', 'up', 'down') && numbersLeft(r).length === 0;
}

/** pump 1 on, 2号泵停: a switch word beside a name is a command. */
function bareSwitch(r: Reading, names: readonly Name[]): boolean {
  return (
    names.length > 0 &&
    r.tokens.some(
      (t, i) =>
        !r.used[i] &&
        (t.text === 'on' || t.text === 'off') &&
        (i === r.tokens.length - 1 || is(r.tokens[i + 1], 'stop', 'fill')) &&
        !any(r, 'read', 'what', 'isAre'),
    )
  );
}

function tagRead(r: Reading, names: readonly Name[]): Interpretation | null {
  const time = timeIn(r);
  const target = targetOf(r, names, false);
  if (time.kind === 'range' && !anyText(r, 'today')) {
    const params = { ...target.params, from: time.from, to: time.to };
    return target.reason ? ask('trend', params, target.reason) : done('trend', params);
  }
  if (time.kind === 'future') return ask('trend', target.params, target.reason ?? 'future_range');
  if (target.reason) return target.reason === 'missing_tag' ? null : ask('tag_read', target.params, target.reason);
  const left = numbersLeft(r).filter((i) => !(time.kind !== 'none' && time.used.includes(i)));
  if (left.length > 0) {
    const terse =
      target.tags.length === 1 &&
      target.tags[0]!.write &&
      left.length === 1 &&
      left[0]! > names[0]!.from &&
      !any(r, 'read', 'what', 'question', 'isAre', 'list') &&
      !isQuestion(r);
    return terse ? tagWrite(r, names) : unknown('not_understood');
  }
  return done('tag_read', target.params);
}

export function tagWrite(r: Reading, names: readonly Name[]): Interpretation | null {
  if (names.length > 0 && isScheduled(r)) return unknown('not_supported');
  const target = targetOf(r, names, true);
  const tag = target.tags[0];
  const values = valuesIn(r);
  const result = amountOf(r, tag, values);
  if (result === 'unclear')
    return target.reason
      ? ask('tag_write', target.params, target.reason)
      : ask('tag_write', target.params, tag!.write ? 'missing_value' : 'read_only_tag');
  const params = { ...target.params, ...result.params };
  if (target.reason === 'missing_tag' && Object.keys(result.params).length === 0) return null;
  if (target.reason) return ask('tag_write', params, target.reason);
  if (!tag!.write) return ask('tag_write', params, 'read_only_tag');
  if (Object.keys(result.params).length === 0) return ask('tag_write', params, 'missing_value');
  if (result.reason) return ask('tag_write', params, result.reason);
  return done('tag_write', params);
}

type Amount = { params: Record<string, unknown>; reason: string | null };

const isBool = (tag: WorldTag): boolean => tag.type === 'bool' || tag.type === 'boolean';
const isValve = (tag: WorldTag): boolean => !isBool(tag) && [tag.name, ...tag.aliases].some((n) => /valve|阀/i.test(n));

function amountOf(r: Reading, tag: WorldTag | undefined, values: Value[]): Amount | 'unclear' {
  if (values.length === 0) return withoutNumber(r, tag);
  let value = values[0]!;
  if (values.length > 1) {
    // from 30 to 40 Hz: the last one, when the first is plainly where it stands now
    const last = values[values.length - 1]!;
    const from = r.tokens[value.at - 1];
    if (values.length !== 2 || !(from?.text === 'from' || from?.text === '从' || from?.text === '由') || !toBefore(r, last.at))
      return 'unclear';
    value = last;
  }
  if (isDoubtful(r, value.at)) return 'unclear';
  const comma = r.tokens[value.at]!.amount!.comma;
  const direction = directionOf(r, tag);
  if (direction === 'both') return 'unclear';
  const by = r.tokens.some((t, i) => !r.used[i] && t.text === 'by' && i < value.at);
  const plus = r.tokens[value.at]!.classes.has('plusNumber');
  const relative = plus || (direction !== 0 && !toBefore(r, value.at)) || (by && !toBefore(r, value.at));
  if (relative && direction === 0 && !value.signed) return 'unclear';
  if (plus && toBefore(r, value.at)) return 'unclear';
  if (relative && direction !== 0 && value.number < 0) return 'unclear';
  const key = relative ? 'delta' : 'value';
  const raw = relative && direction === -1 ? -value.number : value.number;
  if (!tag) return { params: { [key]: raw }, reason: null };
  if (isBool(tag)) {
    if (value.unit !== null) return { params: { [key]: raw }, reason: 'unit_mismatch' };
    if (!relative && (raw === 0 || raw === 1)) return { params: { value: raw === 1 }, reason: null };
    return { params: { [key]: raw }, reason: 'out_of_range' };
  }
  const factor = factorBetween(unitMeant(value.unit, tag), unitName(tag.unit));
  if (factor === null) return { params: { [key]: raw }, reason: comma ? 'invalid_value' : 'unit_mismatch' };
  const converted = roundSmall(raw * factor);
  if (comma) return { params: { [key]: converted }, reason: 'invalid_value' };
  const outside = !relative && ((tag.min !== undefined && converted < tag.min) || (tag.max !== undefined && converted > tag.max));
  return { params: { [key]: converted }, reason: outside ? 'out_of_range' : null };
}

/** "m" or "c" alone may be a word; a unit that a tag has in common with the typed one is meant as that. */
function unitMeant(typed: string | null, tag: WorldTag): string | null {
  const own = unitName(tag.unit);
  if (typed === '°c' && own !== '°c') return typed;
  return typed;
}

function toBefore(r: Reading, at: number): boolean {
  let k = at - 1;
  while (
    k >= 0 &&
    (is(r.tokens[k], 'minus', 'percentOf', 'colon') ||
      ['about', 'around', 'approximately', 'roughly', '大约', '大概', 'exactly'].includes(r.tokens[k]!.text))
  )
    k--;
  const t = r.tokens[k];
  return t !== undefined && !r.used[k] && (is(t, 'to', 'equals') || /[到至为成]$/.test(t.text));
}

function directionOf(r: Reading, tag: WorldTag | undefined): 1 | -1 | 0 | 'both' {
  const up = r.tokens.some((t, i) => !r.used[i] && is(t, 'up'));
  const down = r.tokens.some((t, i) => !r.used[i] && is(t, 'down'));
  if (up && down) return 'both';
  if (up) return 1;
  if (down) return -1;
  if (tag && isValve(tag) && r.tokens.some((t, i) => !r.used[i] && t.text === 'by')) {
    if (any(r, 'open')) return 1;
    if (any(r, 'close')) return -1;
  }
  return 0;
}

function withoutNumber(r: Reading, tag: WorldTag | undefined): Amount | 'unclear' {
  const free = (...classes: string[]): boolean => r.tokens.some((t, i) => !r.used[i] && is(t, ...classes));
  const bitOn = r.tokens.some(
    (t, i) =>
      !r.used[i] &&
      is(t, 'bitOn') &&
      !['合', '通', 'high', 'active', 'closed', '真', 'energized'].includes(t.text) &&
      (t.text !== 'on' || isSwitchWord(r, i)),
  );
  const bitOff = r.tokens.some(
    (t, i) => !r.used[i] && is(t, 'bitOff') && !['分', 'low', 'inactive', '断', '假', '清', '释放'].includes(t.text),
  );
  if (tag && isValve(tag)) {
    const full = free('fullOpen');
    const close = r.tokens.some((t, i) => !r.used[i] && (is(t, 'close') || ['shut off', 'close off'].includes(t.text)));
    if (full && !(close && !anyText(r, '全关'))) return { params: { value: 100 }, reason: null };
    if (full) return 'unclear';
    if (close && !free('open', 'half')) return { params: { value: 0 }, reason: null };
    return 'unclear';
  }
  const on = free('on') || bitOn;
  const off = free('off') || bitOff;
  if (on === off) return tag ? 'unclear' : { params: {}, reason: null };
  if (free('up', 'down', 'half')) return 'unclear';
  if (tag && !isBool(tag)) return tag.write ? 'unclear' : { params: { value: on }, reason: null };
  return { params: { value: on }, reason: null };
}

const isSwitchWord = (r: Reading, i: number): boolean => {
  const next = r.tokens[i + 1];
  return (
    next === undefined ||
    is(next, 'stop', 'question', 'comma') ||
    (next.atom === null && next.thing === null && !is(next, 'unitWord', 'deviceWord') && !['the', 'plc1'].includes(next.text)) ||
    r.used[i + 1] === true
  );
};

export { compact };
