import { any, ask, copyOf, deviceOf, done, is, namesIn, numbersLeft, timeIn, type Reading } from './context.ts';
import type { Token } from './lexer.ts';
import { fit, type Name } from './names.ts';
import { readRegisters, speaksOfRegisters } from './rules/registers.ts';
import { bitValue } from './rules/registerWords.ts';
import { isRealName } from './rules/tags.ts';
import type { TimeFound } from './times.ts';
import type { Interpretation, World } from './types.ts';
import { factorBetween, unitName } from './units.ts';
import { keyOf, type Thing, type Vocabulary } from './vocabulary.ts';

// A request that leans on the one before it: "and pump 2?", 再加2度, "no, 2号", or the answer to a question asked back.
// What it says replaces what was said; the rest stays; and the whole is checked again like any request.

type Params = Record<string, unknown>;

/** The things the last request was about, in order; a single one can stand for "it". */
function lastThing(last: Interpretation, vocabulary: Vocabulary): Thing | null {
  const p = last.params;
  const name = typeof p.tag === 'string' ? p.tag : Array.isArray(p.tags) && p.tags.length === 1 ? (p.tags[0] as string) : null;
  if (name === null) return null;
  return vocabulary.full.get(keyOf(namesOf(name, vocabulary)[0] ?? []))?.find((t) => t.id === name) ?? null;
}

const namesOf = (id: string, vocabulary: Vocabulary): string[][] => {
  for (const things of vocabulary.full.values())
    for (const thing of things) if (thing.id === id && thing.kind === 'tag') return thing.names;
  return [];
};

/** The request with its "it" replaced by the tag spoken of before; without a pronoun the tag is put in front. */
export function withAntecedent(r: Reading, last: Interpretation | null): Reading | null {
  if (last === null) return null;
  const thing = lastThing(last, r.vocabulary);
  if (!thing || thing.kind !== 'tag') return null;
  const at = r.tokens.findIndex((t) => is(t, 'pronoun'));
  const entity = (t: Token): Token => ({
    ...t,
    kind: 'entity',
    classes: new Set(),
    times: [],
    unit: null,
    atom: null,
    amount: null,
    thing,
  });
  if (at >= 0) {
    const tokens = r.tokens.map((t, i) => (i === at ? entity(t) : t));
    return { ...r, tokens, used: tokens.map(() => false) };
  }
  const first = r.tokens[0];
  if (!first) return null;
  const tokens = [entity({ ...first, text: '', end: first.start }), ...r.tokens];
  return { ...r, tokens, used: tokens.map(() => false) };
}

const isFiller = (t: Token, i: number, r: Reading): boolean =>
  r.used[i] === true ||
  is(t, 'fill', 'alsoFor', 'again', 'stop', 'question', 'comma', 'quote', 'negation', 'pronoun') ||
  [
    'no',
    'not',
    'sorry',
    'mean',
    'meant',
    'i meant',
    'actually',
    '不对',
    '不',
    '错了',
    '应该',
    '应该是',
    '而是',
    'instead',
    'rather',
    'wrong',
    '说错了',
    '更正',
    '错',
    '不是',
    '同样',
    '号',
    '也一样',
  ].includes(t.text);

/** Nothing but a fragment: a name, a number, a time, with small words around it. */
function fragment(r: Reading, dated: boolean): { names: Name[]; numbers: number[]; time: TimeFound; bare: boolean } {
  const names = namesIn(r).filter((n) => isRealName(n, r));
  const rest = copyOf(r);
  for (const n of names) for (let i = n.from; i < n.to; i++) rest.used[i] = true;
  const time: TimeFound = dated ? timeIn(rest) : { kind: 'none' };
  if (time.kind !== 'none') for (const i of time.used) rest.used[i] = true;
  const numbers = numbersLeft(rest);
  for (const i of numbers) {
    rest.used[i] = true;
    if (rest.tokens[i + 1]?.unit) rest.used[i + 1] = true;
  }
  return { names, numbers, time, bare: rest.tokens.every((t, i) => isFiller(t, i, rest)) };
}

/** The meaning of a request that leans on `last`; null when it does not. */
export function followUp(r: Reading, last: Interpretation | null, world: World): Interpretation | null {
  if (last === null || !leanable.has(last.intent)) return null;
  const corrects = /^(?:no|not|sorry|wrong|actually|i meant|不对|不是|不，|不,|错了|说错|更正|不)(?![a-z])/.test(r.normal.text);
  const leads = /^(?:and|also|what about|how about|same for|那|还有|再看|换成|改成看)(?![a-z])/.test(r.normal.text);
  const trails = /(?:呢|too|as well|instead|也一样|也是)[?？。.!]*$/.test(r.normal.text);
  const answers = last.needs_clarification;
  if (!corrects && !leads && !trails && !answers) return null;
  const asks = /[?？]$|呢/.test(r.normal.text) && !corrects && !answers;
  const registers = registerPart(r, last);
  if (registers && !(asks && last.intent === 'modbus_write')) return settle(last.intent, merged(last.params, registers), world);
  const found = fragment(r, ['trend', 'aggregate', 'analyze_log'].includes(last.intent));
  if (!found.bare) return null;
  const params = replaced(r, last, found, corrects);
  if (!params) return null;
  // A question after a change asks for a value; it does not change the next thing as well.
  if (asks && (last.intent === 'tag_write' || last.intent === 'undo'))
    return typeof params.tag === 'string' ? done('tag_read', { tags: [params.tag] }) : null;
  if (asks && last.intent === 'modbus_write') return null;
  return settle(last.intent, params, world);
}

const leanable = new Set([
  'tag_read',
  'tag_write',
  'trend',
  'aggregate',
  'analyze_log',
  'modbus_read',
  'modbus_write',
  'undo',
  'scan_devices',
  'connect',
]);
const byTags = new Set(['tag_read', 'trend', 'aggregate']);

function registerPart(r: Reading, last: Interpretation): Params | null {
  if (last.intent !== 'modbus_read' && last.intent !== 'modbus_write') return null;
  const device = namesIn(r).some((n) => deviceOf(n) !== null);
  if (!speaksOfRegisters(r) && !device && !any(r, 'unitWord', 'count')) return null;
  const read = readRegisters(copyOf(r), true);
  return read === null || read.reason === 'conflicting_table' ? null : mentioned(r, read.params);
}

/** Only what was said: a table that is merely the default does not replace the one before. */
function mentioned(r: Reading, params: Params): Params {
  const said =
    any(r, 'holding', 'inputReg', 'coil', 'discrete', 'fc', 'register') ||
    r.tokens.some((t) => t.kind === 'number' && t.amount!.digits.length >= 5);
  const { table, count, ...rest } = params;
  const counted = any(r, 'count', 'measure', 'first') || r.tokens.some((t) => is(t, 'dash') || ['to', '到', '至'].includes(t.text));
  return { ...rest, ...(said && table !== undefined ? { table } : {}), ...(counted && count !== undefined ? { count } : {}) };
}

function merged(last: Params, said: Params): Params {
  const params = { ...last, ...said };
  if ('unit' in said) delete params.device;
  if ('device' in said) delete params.unit;
  return params;
}

function replaced(r: Reading, last: Interpretation, found: ReturnType<typeof fragment>, corrects: boolean): Params | null {
  const { names, numbers, time } = found;
  const p: Params = { ...last.params };
  let changed = false;
  const tags = names.flatMap((n) => tagFor(n, last, r.vocabulary));
  if (names.length > 0 && tags.length === 0) return null;
  const number = numbers.length === 1 ? r.tokens[numbers[0]!]! : null;
  if (tags.length > 0) {
    delete p.candidates;
    delete p.query;
    if (byTags.has(last.intent)) p.tags = [...new Set(tags)];
    else if ((last.intent === 'tag_write' || last.intent === 'undo') && new Set(tags).size === 1) {
      p.tag = tags[0];
      if (last.intent === 'undo') delete p.steps;
    } else return null;
    changed = true;
  } else if (number !== null && corrects && numberedAs(r, numbers[0]!)) {
    // "no, 2号": the other pump
    const other = renumbered(last, number.amount!.value, r.vocabulary);
    if (!other) return null;
    if (byTags.has(last.intent)) p.tags = [other];
    else p.tag = other;
    return p;
  }
  if (time.kind === 'range' && ['trend', 'aggregate', 'analyze_log'].includes(last.intent)) {
    Object.assign(p, { from: time.from, to: time.to });
    changed = true;
  }
  if (number !== null && !r.tokens.some((t, i) => is(t, 'unitWord') && Math.abs(i - numbers[0]!) <= 2)) {
    const value = number.amount!.value;
    const key = numberKey(last);
    if (key === null || number.amount!.comma) return changed ? p : null;
    if (key === 'value') {
      const unit = r.tokens[numbers[0]! + 1]?.unit ?? null;
      const tag = r.vocabulary.tags.get(String(p.tag));
      const factor = tag ? factorBetween(unit, unitName(tag.unit)) : unit === null ? 1 : null;
      if (factor === null) return null;
      delete p.delta;
      p.value = value * factor;
    } else p[key] = key === 'values' ? [value] : value;
    changed = true;
  } else if (numbers.length === 0 && last.reason === 'missing_value' && bitValue(r) !== null) {
    if (last.intent === 'tag_write') p.value = bitValue(r);
    else p.values = [bitValue(r)];
    changed = true;
  }
  return changed && numbers.length <= 1 ? p : null;
}

const numberedAs = (r: Reading, i: number): boolean =>
  ['号', '#', '台'].includes(r.tokens[i + 1]?.text ?? '') || ['#', 'no', 'number'].includes(r.tokens[i - 1]?.text ?? '');

/** What a bare number answers or corrects. */
function numberKey(last: Interpretation): string | null {
  const byReason: Readonly<Record<string, string>> = {
    missing_unit: 'unit',
    missing_count: 'count',
    missing_address: 'address',
    missing_value: last.intent === 'tag_write' ? 'value' : 'values',
    invalid_value: last.intent === 'tag_write' ? 'value' : 'values',
    unit_mismatch: 'value',
    out_of_range: last.intent === 'tag_write' ? 'value' : '',
  };
  const key = byReason[last.reason ?? ''];
  if (key !== undefined) return key === '' ? null : key;
  if (last.intent === 'tag_write') return 'value';
  return last.intent === 'modbus_write' && Array.isArray(last.params.values) && last.params.values.length === 1 ? 'values' : null;
}

/** The tag a name means beside the last one: after "pump 1 frequency", "pump 2" is its frequency. */
function tagFor(name: Name, last: Interpretation, vocabulary: Vocabulary): string[] {
  const thing = lastThing(last, vocabulary);
  const number = name.atoms.find((a) => a.startsWith('#'));
  const words = name.atoms.filter((a) => !a.startsWith('#'));
  if (thing && number !== undefined) {
    for (const own of thing.names) {
      if (!words.every((w) => own.includes(w)) || !own.some((a) => a.startsWith('#'))) continue;
      const full = fit(
        own.map((a) => (a.startsWith('#') ? number : a)),
        vocabulary,
      );
      if (full.full && full.things.length === 1) return [full.things[0]!.id];
    }
  }
  const offered = Array.isArray(last.params.candidates) ? (last.params.candidates as string[]) : [];
  const chosen = offered.filter((id) => namesOf(id, vocabulary).some((own) => name.atoms.every((a) => own.includes(a))));
  if (chosen.length === 1) return chosen;
  const tags = name.things.filter((t) => t.kind === 'tag');
  return tags.length === 1 ? [tags[0]!.id] : [];
}

function renumbered(last: Interpretation, n: number, vocabulary: Vocabulary): string | null {
  const thing = lastThing(last, vocabulary);
  for (const own of thing?.names ?? []) {
    if (!own.some((a) => a.startsWith('#'))) continue;
    const full = fit(
      own.map((a) => (a.startsWith('#') ? `#${n}` : a)),
      vocabulary,
    );
    if (full.full && full.things.length === 1) return full.things[0]!.id;
  }
  return null;
}

/** A put-together request, checked as if it had been said in one piece. */
export function settle(intent: Interpretation['intent'], params: Params, world: World): Interpretation {
  if (intent === 'tag_write') return settleTag(params, world);
  if (intent === 'modbus_read' || intent === 'modbus_write') return settleRegisters(intent, params);
  if (byTags.has(intent) && !Array.isArray(params.tags)) return ask(intent, params, 'missing_tag');
  if (['trend', 'aggregate'].includes(intent) && params.from === undefined) return ask(intent, params, 'missing_range');
  return done(intent, params);
}

function settleTag(params: Params, world: World): Interpretation {
  const tag = world.tags.find((t) => t.name === params.tag);
  if (!tag) return ask('tag_write', params, Array.isArray(params.candidates) ? 'ambiguous_tag' : 'missing_tag');
  if (!tag.write) return ask('tag_write', params, 'read_only_tag');
  if (typeof params.delta === 'number') return tag.type === 'bool' ? ask('tag_write', params, 'out_of_range') : done('tag_write', params);
  if (params.value === undefined) return ask('tag_write', params, 'missing_value');
  if (tag.type === 'bool') {
    if (typeof params.value === 'boolean') return done('tag_write', params);
    return params.value === 0 || params.value === 1
      ? done('tag_write', { ...params, value: params.value === 1 })
      : ask('tag_write', params, 'out_of_range');
  }
  if (typeof params.value !== 'number') return ask('tag_write', { tag: tag.name }, 'missing_value');
  const outside = (tag.min !== undefined && params.value < tag.min) || (tag.max !== undefined && params.value > tag.max);
  return outside ? ask('tag_write', params, 'out_of_range') : done('tag_write', params);
}

function settleRegisters(intent: 'modbus_read' | 'modbus_write', params: Params): Interpretation {
  const { unit, address, count, table, values } = params;
  const size = intent === 'modbus_read' ? Number(count ?? 1) : Array.isArray(values) ? values.length : 1;
  if (unit === undefined && params.device === undefined) return ask(intent, params, 'missing_unit');
  if (typeof unit === 'number' && (unit < 1 || unit > 247)) return ask(intent, params, 'out_of_range');
  if (typeof address === 'number' && (address < 0 || address + size > 65536)) return ask(intent, params, 'out_of_range');
  if (address === undefined) return ask(intent, params, 'missing_address');
  if (intent === 'modbus_read')
    return typeof count === 'number' && count >= 1 ? done(intent, params) : ask(intent, params, 'missing_count');
  if (table === 'input' || table === 'discrete') return ask(intent, params, 'read_only_table');
  if (!Array.isArray(values) || values.length === 0) return ask(intent, params, 'missing_value');
  const fits = (v: unknown): boolean =>
    table === 'coil' ? typeof v === 'boolean' || v === 0 || v === 1 : typeof v === 'number' && Number.isInteger(v) && v >= 0 && v <= 65535;
  if (params.type === undefined && !values.every(fits)) return ask(intent, params, 'invalid_value');
  return done(intent, table === 'coil' ? { ...params, values: values.map((v) => v === true || v === 1) } : params);
}
