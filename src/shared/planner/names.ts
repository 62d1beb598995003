import type { Token } from './lexer.ts';
import { asTyped, type Normal } from './normalise.ts';
import { keyOf, type Thing, type Vocabulary } from './vocabulary.ts';

/** A name in the request: tokens `from`..`to` (exclusive), and what of the plant it can be. */
export type Name = { from: number; to: number; atoms: string[]; foreign: boolean; things: Thing[]; full: boolean; query: string };

const isHao = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.text === '号' || t.text === '#' || t.text === '号的' || t.text === 'no' || t.text === 'number' || t.text === 'nr' || t.text === '台');
const hasUnit = (t: Token | undefined): boolean => t !== undefined && t.unit !== null;
const isDot = (t: Token | undefined): boolean => t?.text === '.';
const isOf = (t: Token | undefined): boolean => t !== undefined && (t.text === 'of' || t.text === '的');
const isLooseLink = (t: Token | undefined): boolean =>
  t !== undefined && (t.text === 'in' || t.text === 'for' || t.text === 'on' || t.text === 'at' || t.text === '里' || t.text === '上');
/** 锅炉现在的压力: the time stands inside the name. */
const isNow = (t: Token | undefined): boolean => t !== undefined && ['现在', '目前', '当前', '此刻', '这会儿'].includes(t.text);
const isArticle = (t: Token | undefined): boolean =>
  t !== undefined && (t.text === 'the' || t.text === 'our' || t.text === 'my' || t.text === 'a');
export const isContent = (t: Token | undefined): boolean =>
  t !== undefined && (t.kind === 'entity' || t.atom !== null || t.kind === 'unknown' || t.classes.has('noun'));
export const isAnd = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.classes.has('comma') ||
    t.classes.has('ampersand') ||
    ['and', '和', '与', '跟', '及', '以及', '还有', 'plus', 'vs', 'versus', '对比', '或', 'or', 'with', '并'].includes(t.text));

const isPlainNumber = (t: Token | undefined): boolean =>
  t?.kind === 'number' && Number.isInteger(t.amount!.value) && t.amount!.value >= 0 && t.amount!.value < 1000 && !t.amount!.hex;
const numberAtom = (t: Token): string => `#${t.amount!.value}`;

/** Tokens the rules have already given a meaning are no part of a name. */
export function findNames(tokens: readonly Token[], used: readonly boolean[], vocabulary: Vocabulary, normal: Normal): Name[] {
  const names: Name[] = [];
  for (let i = 0; i < tokens.length;) {
    const name = used[i] ? null : nameAt(tokens, used, i, vocabulary, normal);
    if (!name) {
      i++;
      continue;
    }
    names.push(...splitIfTwo(name, tokens, vocabulary, normal));
    i = name.to;
  }
  return shareHeads(names, tokens, vocabulary, normal);
}

function nameAt(tokens: readonly Token[], used: readonly boolean[], start: number, vocabulary: Vocabulary, normal: Normal): Name | null {
  const free = (i: number): Token | undefined => (i < tokens.length && !used[i] ? tokens[i] : undefined);
  let i = start;
  const atoms: string[] = [];
  let foreign = false;
  let contents = 0;
  const takeContent = (t: Token) => {
    contents++;
    if (t.kind === 'entity') atoms.push(...(t.thing!.names[0] ?? []));
    else if (t.atom !== null) atoms.push(t.atom);
    else foreign = true;
  };
  // "30 rpm" is a value with its unit; "run pump 1" begins with a verb
  const head = tokens[start]!;
  if (head.unit !== null && head.atom === null && tokens[start - 1]?.kind === 'number') return null;
  if (head.text === 'run' && (isContent(free(start + 1)) || leadingNumber(free, start + 1) !== null || isArticle(free(start + 1))))
    return null;
  // 1号泵, 1#泵, #1 pump, no. 1 pump, 1泵: a number before the noun
  const leading = leadingNumber(free, i);
  if (leading) {
    atoms.push(numberAtom(tokens[leading.at]!));
    i = leading.next;
  }
  if (!isContent(free(i))) return null;
  let end = i;
  while (i < tokens.length) {
    const t = free(i);
    if (!t) break;
    if (isContent(t)) {
      takeContent(t);
      i++;
      end = i;
      continue;
    }
    if (contents > 0) {
      const trailing = trailingNumber(tokens, free, i, vocabulary);
      if (trailing) {
        atoms.push(numberAtom(tokens[trailing.at]!));
        i = trailing.next;
        end = i;
        continue;
      }
    }
    const link = linkTo(free, i);
    if (link === null) break;
    const next = leadingNumber(free, link.next);
    if (!isContent(free(next ? next.next : link.next))) break;
    if (link.loose) {
      const further = nameAt(tokens, used, link.next, vocabulary, normal);
      if (!further || foreign || (isNow(t) && further.foreign) || fit([...atoms, ...further.atoms], vocabulary).things.length === 0) break;
    }
    if (next) {
      atoms.push(numberAtom(tokens[next.at]!));
      i = next.next;
    } else i = link.next;
  }
  return finish(tokens, start, end, atoms, foreign, vocabulary, normal);
}

function finish(
  tokens: readonly Token[],
  from: number,
  to: number,
  atoms: string[],
  foreign: boolean,
  vocabulary: Vocabulary,
  normal: Normal,
): Name {
  let found = foreign ? { things: [], full: false } : fit(atoms, vocabulary);
  let start = from;
  let end = to;
  const single = tokens.slice(from, to);
  if (single.length === 1 && single[0]!.kind === 'entity') found = { things: [single[0]!.thing!], full: true };
  // "current boiler temp": current as an adjective; 锅炉温度状态, "boiler temp status": status as a filler
  if (found.things.length === 0 && !foreign && atoms.length > 1) {
    if (tokens[from]!.text === 'current') {
      const rest = fit(atoms.slice(1), vocabulary);
      if (rest.things.length > 0) [found, start, atoms] = [rest, from + 1, atoms.slice(1)];
    } else if (atoms[atoms.length - 1] === 'status') {
      const rest = fit(atoms.slice(0, -1), vocabulary);
      if (rest.things.length > 0) [found, end, atoms] = [rest, to - 1, atoms.slice(0, -1)];
    }
  }
  return {
    from: start,
    to: end,
    atoms,
    foreign,
    things: found.things,
    full: found.full,
    query: asTyped(normal, tokens[start]!.start, tokens[end - 1]!.end),
  };
}

function leadingNumber(free: (i: number) => Token | undefined, i: number): { at: number; next: number } | null {
  const t = free(i);
  if (t === undefined) return null;
  // 3月10号, 3月10号到12号: a day, and no number of a thing
  const month = (k: number): boolean => free(k)?.text === '月' || free(k)?.text === '月份';
  const dated =
    month(i - 1) || ((free(i - 1)?.classes.has('to') ?? false) && ['号', '日'].includes(free(i - 2)?.text ?? '') && month(i - 4));
  if (t.text === '#' || t.text === 'no' || t.text === 'number' || t.text === '第') {
    const at = isDot(free(i + 1)) ? i + 2 : i + 1;
    if (!isPlainNumber(free(at))) return null;
    let next = at + 1;
    if (isHao(free(next))) next++;
    return isContent(free(next)) ? { at, next } : null;
  }
  if (!isPlainNumber(t) || dated) return null;
  if (isHao(free(i + 1))) {
    const next = isOf(free(i + 2)) ? i + 3 : i + 2;
    return isContent(free(next)) ? { at: i, next } : null;
  }
  const after = free(i + 1);
  if (t.classes.has('ordinalNumber') && isContent(after)) return { at: i, next: i + 1 };
  return after !== undefined &&
    after.han &&
    after.atom !== null &&
    !after.classes.has('unit') &&
    after.unit === null &&
    after.start === t.end
    ? { at: i, next: i + 1 }
    : null;
}

const equipment = new Set(
  'pump|tank|fan|blower|motor|compressor|boiler|chiller|turbine|generator|heater|burner|cooler|mixer|agitator|conveyor|furnace|reactor|valve|silo|tower|plc|vfd|drive|inverter|unit|line|kiln|oven|dryer|泵|风机|鼓风机|引风机|送风机|电机|马达|罐|储罐|水箱|油箱|锅炉|冷却塔|冷水机|冷机|压缩机|空压机|汽轮机|发电机|加热器|燃烧器|阀|阀门|炉|搅拌机|皮带机|反应釜|换热器|料仓|变频器|产线|循环泵|给煤机|磨煤机|机组'.split(
    '|',
  ),
);

/** pump 1, pump #1, tank no. 2, 泵1: a number behind a noun that is counted, or between two parts of a name. */
function trailingNumber(
  tokens: readonly Token[],
  free: (i: number) => Token | undefined,
  i: number,
  vocabulary: Vocabulary,
): { at: number; next: number } | null {
  let at = i;
  let marked = false;
  if (isHao(free(at)) && free(at)!.text !== '号') {
    at++;
    if (isDot(free(at))) at++;
    marked = true;
  }
  const t = free(at);
  if (!isPlainNumber(t) || tokens[at - 1]!.kind === 'number') return null;
  const noun = tokens[i - 1]!;
  let next = at + 1;
  if (isHao(free(next)) && free(next)!.text !== 'no' && free(next)!.text !== 'number') next++;
  const known = noun.atom === null ? equipment.has(noun.text) : counted(noun.atom, vocabulary) || (equipment.has(noun.text) && marked);
  if (marked && (known || noun.classes.has('noun'))) return { at, next };
  if (!known) return null;
  const after = free(next);
  if (hasUnit(after) && !isContent(after)) return null; // "pump 40 Hz" names no pump 40
  return { at, next };
}

/** Do names of this plant number that noun (pump 1, pump 2)? */
function counted(atom: string, vocabulary: Vocabulary): boolean {
  for (const thing of vocabulary.byAtom.get(atom) ?? []) {
    for (const name of thing.names) {
      const at = name.indexOf(atom);
      if (at >= 0 && (name[at + 1]?.startsWith('#') || (at === 1 && name[0]!.startsWith('#')))) return true;
    }
    if (thing.names.length > 50) return false;
  }
  return false;
}

function linkTo(free: (i: number) => Token | undefined, i: number): { next: number; loose: boolean } | null {
  const t = free(i);
  const strong = isOf(t);
  const loose = isLooseLink(t);
  if (isNow(t)) return { next: isOf(free(i + 1)) ? i + 2 : i + 1, loose: true };
  if (!strong && !loose) return null;
  return { next: isArticle(free(i + 1)) ? i + 2 : i + 1, loose };
}

/** What the atoms can name. All of a name: that thing. Part of names: all of them, but a bare counted noun (泵) means the things so called. */
export function fit(atoms: readonly string[], vocabulary: Vocabulary): { things: Thing[]; full: boolean } {
  const inOrder = (things: Thing[]) => [...things].sort((a, b) => (a.kind === b.kind ? a.order - b.order : a.kind === 'tag' ? -1 : 1));
  const full = vocabulary.full.get(keyOf(atoms));
  if (full) return { things: inOrder(full), full: true };
  if (!atoms.some((atom) => !atom.startsWith('#'))) return { things: [], full: false };
  const lists = atoms.map((atom) => vocabulary.byAtom.get(atom));
  if (lists.some((list) => list === undefined)) return { things: [], full: false };
  const shortest = lists.reduce((a, b) => (b!.size < a!.size ? b : a))!;
  const generic: Thing[] = [];
  const partial: Thing[] = [];
  for (const thing of shortest) {
    if (!lists.every((list) => list!.has(thing))) continue;
    const rests = thing.names.map((name) => restOf(name, atoms)).filter((rest) => rest !== null);
    if (rests.length === 0) continue;
    partial.push(thing);
    if (rests.some((rest) => rest.every((atom) => atom.startsWith('#')))) generic.push(thing);
  }
  const named = generic.length > 0 ? generic : partial;
  return { things: inOrder(named), full: false };
}

/** What a name has beyond the atoms; null when they are not all in it. */
function restOf(name: readonly string[], atoms: readonly string[]): string[] | null {
  const rest = [...name];
  for (const atom of atoms) {
    const at = rest.indexOf(atom);
    if (at < 0) return null;
    rest.splice(at, 1);
  }
  return rest;
}

/** Two full names side by side without a word between them. */
function splitIfTwo(name: Name, tokens: readonly Token[], vocabulary: Vocabulary, normal: Normal): Name[] {
  if (name.things.length > 0 || name.foreign || name.to - name.from > 14) return [name];
  for (let cut = name.from + 1; cut < name.to; cut++) {
    const used = tokens.map((_, i) => i < name.from || i >= name.to);
    const left = used.map((u, i) => u || i >= cut);
    const right = used.map((u, i) => u || i < cut);
    const a = nameAt(tokens, left, name.from, vocabulary, normal);
    const b = nameAt(tokens, right, cut, vocabulary, normal);
    if (a?.full && b?.full && a.to === cut && b.to === name.to) return [a, b];
  }
  return [name];
}

/** "pump 1 and 2 frequency", 1号和2号泵的频率, "levels of tanks 1 and 2", 1号泵和2号泵的频率: the shared part belongs to both. */
function shareHeads(names: Name[], tokens: readonly Token[], vocabulary: Vocabulary, normal: Normal): Name[] {
  const result: Name[] = [];
  for (const name of names) {
    const before = result[result.length - 1];
    const withNumber = (atoms: readonly string[], number: string) => [...atoms.filter((a) => !a.startsWith('#')), number];
    const make = (from: number, to: number, atoms: string[]): Name => finish(tokens, from, to, atoms, false, vocabulary, normal);
    const number = name.atoms.find((a) => a.startsWith('#'));
    if (
      before &&
      number !== undefined &&
      between(tokens, before.to, name.from).every(isAnd) &&
      before.to < name.from &&
      !before.foreign &&
      !name.foreign
    ) {
      const own = before.atoms.find((a) => a.startsWith('#'));
      const words = before.atoms.filter((a) => !a.startsWith('#'));
      if (own !== undefined && words.every((w) => name.atoms.includes(w)) && words.length < name.atoms.length - 1) {
        const shared = make(before.from, before.to, withNumber(name.atoms, own));
        if (shared.full) result[result.length - 1] = { ...shared, from: before.from, to: before.to };
      }
    }
    result.push(name);
  }
  return loneNumbers(result, tokens, vocabulary, normal);
}

const between = (tokens: readonly Token[], from: number, to: number): Token[] => tokens.slice(from, to);

function loneNumbers(names: Name[], tokens: readonly Token[], vocabulary: Vocabulary, normal: Normal): Name[] {
  const result = [...names];
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i]!;
    if (!isPlainNumber(t) || result.some((n) => i >= n.from && i < n.to)) continue;
    const after = isHao(tokens[i + 1]) ? i + 2 : i + 1;
    const right = result.find((n) => n.from === after + 1 && isAnd(tokens[after]) && n.atoms[0]?.startsWith('#') && n.things.length > 0);
    const left = result.find((n) => n.to === i - 1 && isAnd(tokens[i - 1]) && n.atoms.some((a) => a.startsWith('#')));
    const set = (name: Name, atoms: string[]): Name => ({
      ...finish(tokens, i, after, atoms, false, vocabulary, normal),
      from: i,
      to: after,
      full: fit(atoms, vocabulary).full,
      things: fit(atoms, vocabulary).things,
      query: asTyped(normal, t.start, name.from > i ? tokens[name.to - 1]!.end : tokens[after - 1]!.end),
    });
    if (right && isHao(tokens[i + 1])) {
      const made = set(right, [...right.atoms.filter((a) => !a.startsWith('#')), numberAtom(t)]);
      if (made.things.length > 0) result.push(made);
    } else if (left && !isContent(tokens[after])) {
      const made = set(left, [...left.atoms.filter((a) => !a.startsWith('#')), numberAtom(t)]);
      if (made.things.length > 0 && !hasUnit(tokens[i + 1])) result.push(made);
    } else if (left) {
      // pump 1 and 2 frequency
      const tail = result.find((n) => n.from === after);
      if (!tail || tail.atoms.some((a) => a.startsWith('#'))) continue;
      const head = left.atoms.filter((a) => !a.startsWith('#'));
      const own = left.atoms.find((a) => a.startsWith('#'))!;
      const first = fit([...head, own, ...tail.atoms], vocabulary);
      const second = fit([...head, numberAtom(t), ...tail.atoms], vocabulary);
      if (!first.full || !second.full) continue;
      result.splice(result.indexOf(left), 1, { ...left, things: first.things, full: true, atoms: [...left.atoms, ...tail.atoms] });
      result.splice(result.indexOf(tail), 1, {
        ...tail,
        from: i,
        things: second.things,
        full: true,
        atoms: [...head, numberAtom(t), ...tail.atoms],
      });
    }
  }
  return result.sort((a, b) => a.from - b.from);
}
