import { builtIn, corrected, isCommonEnglish, oneTypoApart, type Dictionary, type Entry } from './dictionary.ts';
import { isHan, type Normal } from './normalise.ts';
import { scanChinese, scanDigits, type Amount } from './numbers.ts';
import { unitName, unitSpellings } from './units.ts';
import { keyOf, type Thing, type Vocabulary } from './vocabulary.ts';

export type TokenKind = 'number' | 'word' | 'unknown' | 'mark' | 'ip' | 'port' | 'file' | 'frame' | 'clock' | 'date' | 'entity';

/** One piece of a request. A word knows everything it can mean; the rules decide by what stands around it. */
export type Token = {
  kind: TokenKind;
  text: string;
  start: number;
  end: number;
  classes: ReadonlySet<string>;
  times: readonly string[];
  unit: string | null;
  atom: string | null;
  amount: Amount | null;
  /** Written in Chinese characters. */
  han: boolean;
  /** Follows a space. */
  apart: boolean;
  thing: Thing | null;
};

const none: ReadonlySet<string> = new Set();
const marks: Readonly<Record<string, string>> = {
  ',': 'comma',
  '，': 'comma',
  '、': 'comma',
  ';': 'semicolon',
  '。': 'stop',
  '.': 'stop',
  '!': 'stop',
  '?': 'question',
  ':': 'colon',
  '=': 'equals',
  '-': 'dash',
  '~': 'dash',
  '#': 'hash',
  '/': 'slash',
  '>': 'greater',
  '<': 'less',
  '@': 'at',
  '+': 'plus',
  '"': 'quote',
  "'": 'quote',
  '(': 'bracket',
  ')': 'bracket',
  '[': 'bracket',
  ']': 'bracket',
  '&': 'ampersand',
  '%': 'percentSign',
  '\n': 'stop',
  '*': 'star',
  '^': 'caret',
};

const numberWords: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const ordinalWords: Readonly<Record<string, number>> = {
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};

export function lex(normal: Normal, vocabulary: Vocabulary): Token[] {
  const { text } = normal;
  const dictionaries = [vocabulary.dictionary, builtIn];
  const tokens: Token[] = [];
  let i = 0;
  const push = (kind: TokenKind, end: number, extra: Partial<Token> = {}) => {
    tokens.push({
      kind,
      text: text.slice(i, end),
      start: i,
      end,
      classes: none,
      times: [],
      unit: null,
      atom: null,
      amount: null,
      han: isHan(text[i]),
      apart: text[i - 1] === ' ',
      thing: null,
      ...extra,
    });
    i = end;
  };
  while (i < text.length) {
    if (text[i] === ' ') {
      i++;
      continue;
    }
    const rest = text.slice(i, i + 80);
    const before = text[i - 1] ?? ' ';
    const wordStart = !/[a-z0-9_]/.test(before) || !/[a-z0-9_]/.test(rest[0]!) || /[a-z]/.test(before) !== /[a-z]/.test(rest[0]!);
    const previous = tokens[tokens.length - 1];
    const symbol = previous?.kind === 'number' ? symbolUnit(rest) : null;
    if (symbol) {
      push('word', i + symbol.length, { unit: symbol.unit });
      continue;
    }
    if (previous?.end === i && rest.startsWith("'s") && !/[a-z]/.test(rest[2] ?? '')) {
      i += 2;
      continue;
    }
    const special = specialToken(rest, before, wordStart);
    if (special) {
      push(special.kind, i + special.length, { amount: null });
      continue;
    }
    const phrase = longestHan(text, i, dictionaries);
    const han = scanChinese(text, i, true);
    if (han && (!phrase || han.end - i > phrase.length || (han.end - i === phrase.length && phrase.length === 1))) {
      push('number', han.end, { amount: han.amount, classes: isApproximate(text, i, han.end) ? new Set(['gluedNumber']) : none });
      continue;
    }
    const setpoint = text.startsWith('设定', i) ? setpointAt(text, i, tokens, vocabulary) : null;
    if (setpoint) {
      push('word', i + setpoint.length, setpoint.noun ? { atom: 'setpoint' } : { classes: new Set(['set']) });
      continue;
    }
    if (phrase) {
      push('word', i + phrase.length, fromEntries(phrase.entries));
      continue;
    }
    if (/[a-z0-9_]/.test(rest[0]!) && wordStart) {
      const word = latinWord(text, i, dictionaries, vocabulary, tokens[tokens.length - 1]);
      if (word) {
        push(word.kind, word.end, word.extra);
        continue;
      }
    }
    const signed = signAt(text, i, tokens);
    if (/\d/.test(rest[0]!) || signed) {
      const scanned = scanDigits(text, i + (signed ? 1 : 0));
      if (scanned) {
        if (signed && rest[0] === '-') scanned.amount.value = -scanned.amount.value;
        const ordinal = /^(st|nd|rd|th)(?![a-z])/.exec(text.slice(scanned.end, scanned.end + 3));
        const bits = new Set<string>();
        if (ordinal) bits.add('ordinalNumber');
        if (signed && rest[0] === '+') bits.add('plusNumber');
        if (previous?.end === i && (/^[a-z]$/.test(previous.text) || (previous.kind === 'unknown' && !previous.han)))
          bits.add('gluedNumber'); // l0
        // 3O, 1e3, 5x: letters run on from the digits and are no unit; a write must not take such a number
        const tail = /^[a-z]+/.exec(text.slice(scanned.end, scanned.end + 12))?.[0];
        if (
          tail !== undefined &&
          !ordinal &&
          unitSpellings.get(tail) === undefined &&
          tail !== 'm' &&
          !/^(?:hz|bps|s|sec|min|h|hr|d|x)$/.test(tail)
        )
          bits.add('gluedNumber');
        push('number', scanned.end + (ordinal ? 2 : 0), { amount: scanned.amount, classes: bits });
        continue;
      }
    }
    if (isHan(rest[0])) {
      const last = tokens[tokens.length - 1];
      if (last && last.kind === 'unknown' && last.han && last.end === i) {
        tokens[tokens.length - 1] = { ...last, text: last.text + rest[0]!, end: i + 1 };
        i++;
      } else push('unknown', i + 1);
      continue;
    }
    const dots = /^\.{2,3}(?=\d)/.exec(rest)?.[0];
    if (dots !== undefined && previous?.kind === 'number') {
      push('mark', i + dots.length, { classes: new Set(['dash']), han: false }); // 20..29
      continue;
    }
    const mark = marks[rest[0]!];
    push('mark', i + 1, { classes: new Set(mark ? [mark] : []), unit: rest[0] === '%' ? '%' : null, han: false });
  }
  return tokens;
}

/** 五六, 三四十: two neighbouring numerals in speech mean one or the other. */
function isApproximate(text: string, from: number, end: number): boolean {
  const order = '一二三四五六七八九';
  const next = (a: string, b: string): boolean => order.includes(a) && order.indexOf(b) === order.indexOf(a) + 1;
  const plain = (c: string | undefined): string => (c === '两' ? '二' : (c ?? ' '));
  const [first, second] = [plain(text[from]), plain(text[from + 1])];
  return (end === from + 2 && next(first, second)) || next(plain(text[from - 1]), first);
}

function specialToken(rest: string, before: string, wordStart: boolean): { kind: TokenKind; length: number } | null {
  if (!wordStart) return null;
  const free = !/[\d.]/.test(before);
  const tests: [TokenKind, RegExp, boolean][] = [
    ['ip', /^\d{1,3}\.\d{1,3}\.\d{1,3}\.(?:\d{1,3}(?:\/\d{1,2})?|x|\*)(?!\d|\.\d|[a-z])/, free],
    ['ip', /^\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d|\.[\dx*])/, free],
    ['file', /^(?:[a-z]:)?[\w./\\-]*[\w-]\.(?:log|csv|txt|jsonl|json|xlsx|xls|tsv|pcapng|pcap|gz|zip|dat|db)(?![a-z0-9_])/, true],
    ['port', /^com ?\d{1,3}(?![\d.])/, !/[a-z]/.test(before)],
    ['port', /^\/dev\/[\w/.-]*\w/, true],
    ['port', /^tty(?:usb|acm|s|ama|mxuport|o)\d+/, !/[a-z]/.test(before)],
    ['date', /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)/, free],
    ['clock', /^\d{1,2}:\d{2}(?::\d{2})?(?: ?(?:am|pm|a\.m\.|p\.m\.))?(?![\d:])/, free],
    ['clock', /^\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.)(?![a-z])/, free],
    ['frame', /^[5-8](?:[-,/ ]?)[noe](?:[-,/ ]?)[12](?![a-z0-9])/, free],
  ];
  for (const [kind, pattern, allowed] of tests) {
    const found = allowed ? pattern.exec(rest) : null;
    if (found) return { kind, length: found[0].length };
  }
  return null;
}

function longestHan(text: string, i: number, dictionaries: readonly Dictionary[]): { length: number; entries: Entry[] } | null {
  let best: { length: number; entries: Entry[] } | null = null;
  for (const dictionary of dictionaries) {
    for (const item of dictionary.han.get(text[i]!) ?? []) {
      if (best && item.text.length < best.length) break;
      if (!text.startsWith(item.text, i) || (/\d/.test(item.text[0]!) && /[\d.]/.test(text[i - 1] ?? ''))) continue;
      if (best && item.text.length === best.length) best.entries.push(item.entry);
      else best = { length: item.text.length, entries: [item.entry] };
      break;
    }
  }
  return best;
}

/**
 * 设定 is a noun in 锅炉温度设定, where the longest name wins (锅炉温度设定为150), and a verb before the thing it sets (设定进水阀为40).
 * Null: read it like any other word.
 */
function setpointAt(text: string, i: number, tokens: readonly Token[], vocabulary: Vocabulary): { length: number; noun: boolean } | null {
  const atoms = ['setpoint'];
  for (let k = tokens.length - 1; k >= 0 && k >= tokens.length - 8; k--) {
    const t = tokens[k]!;
    if (t.atom !== null) atoms.push(t.atom);
    else if (t.kind === 'number') atoms.push(`#${t.amount!.value}`);
    else if (t.text !== '号' && t.text !== '#' && t.text !== '的') break;
  }
  if (atoms.length > 1 && vocabulary.full.has(keyOf(atoms))) return { length: text[i + 2] === '值' ? 3 : 2, noun: true };
  const verb =
    atoms.length === 1 && !/^设定[值为到成至]/.test(text.slice(i)) && /[为到成至=]\s*[-负零一二两三四五六七八九十百\d]/.test(text.slice(i));
  return verb ? { length: 2, noun: false } : null;
}

function fromEntries(entries: readonly Entry[]): Partial<Token> {
  return {
    classes: new Set(entries.flatMap((e) => [...e.classes])),
    times: entries.flatMap((e) => e.times),
    unit: entries.find((e) => e.unit !== null)?.unit ?? null,
    atom: entries.find((e) => e.atom !== null)?.atom ?? null,
  };
}

/** A Latin word or phrase, typos mended; an identifier such as pump1_freq; or a number in words. */
function latinWord(
  text: string,
  i: number,
  dictionaries: readonly Dictionary[],
  vocabulary: Vocabulary,
  last: Token | undefined,
): { kind: TokenKind; end: number; extra: Partial<Token> } | null {
  const identifier = /^[a-z_][a-z0-9_]*/.exec(text.slice(i, i + 80))?.[0];
  if (identifier !== undefined) {
    const thing = vocabulary.byIdentifier.get(identifier.replaceAll('_', '')) ?? typoIdentifier(identifier, vocabulary);
    if (thing && identifier.includes('_')) return { kind: 'entity', end: i + identifier.length, extra: { thing } };
  }
  const pieces = piecesFrom(text, i, dictionaries);
  const first = pieces[0];
  if (!first) return null;
  let best: { length: number; entries: Entry[] } | null = null;
  for (const dictionary of dictionaries) {
    for (const item of dictionary.latin.get(first.word) ?? []) {
      if (best && item.pieces.length < best.length) break;
      if (!item.pieces.every((piece, k) => pieces[k]?.word === piece)) continue;
      if (best && item.pieces.length === best.length) best.entries.push(item.entry);
      else best = { length: item.pieces.length, entries: [item.entry] };
      break;
    }
  }
  if (/^\d/.test(first.word)) {
    // "32-bit float" and "4x registers" begin with a digit; a bare number is no word.
    return best && (best.length > 1 || !/^\d+$/.test(first.word)) && last?.kind !== 'mark' && !/^\d+h$/.test(first.word)
      ? { kind: 'word', end: pieces[best.length - 1]!.end, extra: fromEntries(best.entries) }
      : null;
  }
  const spelled = numberWords[first.word];
  if (spelled !== undefined && !(best && best.length > 1)) {
    const unit = spelled >= 20 ? numberWords[pieces[1]?.word ?? ''] : undefined;
    const value = spelled + (unit !== undefined && unit > 0 && unit < 10 ? unit : 0);
    return {
      kind: 'number',
      end: value === spelled ? first.end : pieces[1]!.end,
      extra: { amount: { value, digits: String(value), hex: false, fraction: false, comma: false, hexOrHours: false, chinese: false } },
    };
  }
  const ordinal = ordinalWords[first.word];
  if (ordinal !== undefined)
    return {
      kind: 'number',
      end: first.end,
      extra: {
        classes: new Set(['ordinalNumber']),
        amount: { value: ordinal, digits: String(ordinal), hex: false, fraction: false, comma: false, hexOrHours: false, chinese: false },
      },
    };
  if (best) return { kind: 'word', end: pieces[best.length - 1]!.end, extra: fromEntries(best.entries) };
  const abbreviated = vocabulary.byInitials.get(first.word);
  if (abbreviated?.size === 1 && !isCommonEnglish(first.word))
    return { kind: 'entity', end: first.end, extra: { thing: [...abbreviated][0]! } };
  return {
    kind: isCommonEnglish(first.word) ? 'word' : 'unknown',
    end: first.end,
    extra: { classes: new Set(isCommonEnglish(first.word) ? ['common'] : []) },
  };
}

type Piece = { word: string; end: number };

function piecesFrom(text: string, i: number, dictionaries: readonly Dictionary[]): Piece[] {
  const pieces: Piece[] = [];
  let at = i;
  while (pieces.length < 7) {
    const ahead = text.slice(at, at + 40);
    const whole = /^[a-z]+\d+(?![a-z0-9])/.exec(ahead)?.[0]; // int32 is a word, slave2 is two
    const found =
      whole !== undefined && dictionaries.some((d) => d.known.has(whole))
        ? whole
        : /^(?:\d*[a-z]+(?:'[a-z]+)?|\d+(?![.\d]))/.exec(ahead)?.[0];
    if (found === undefined) break;
    let word = found;
    if (word.endsWith("'s") && !dictionaries.some((d) => d.latin.has(word))) word = word.slice(0, -2);
    const plain = corrected(word, dictionaries);
    const end = at + word.length;
    pieces.push({ word: plain, end });
    if (word !== found) break;
    if (/[ -]/.test(text[end] ?? '') && /[a-z0-9]/.test(text[end + 1] ?? '')) at = end + 1;
    else break;
  }
  return pieces;
}

/** pump1_ferq: one typo in the letters; the digits must be the same, they name another pump. */
function typoIdentifier(identifier: string, vocabulary: Vocabulary): Thing | null {
  if (!identifier.includes('_') || identifier.length < 5 || identifier.length > 40) return null;
  const plain = identifier.replaceAll('_', '');
  const digits = plain.replace(/\D/g, '');
  const found = new Set<Thing>();
  for (const [name, thing] of vocabulary.byIdentifier) {
    if (Math.abs(name.length - plain.length) > 1 || !oneTypoApart(name, plain) || name.replace(/\D/g, '') !== digits) continue;
    found.add(thing);
  }
  return found.size === 1 ? [...found][0]! : null;
}

/** A minus or plus that belongs to the number behind it, and is no range. */
function signAt(text: string, i: number, tokens: readonly Token[]): boolean {
  if (!/[-+]/.test(text[i]!) || !/\d/.test(text[i + 1] ?? '')) return false;
  const last = tokens[tokens.length - 1];
  if (!last) return true;
  if (last.end === i) return last.kind === 'word' ? last.han || last.classes.has('to') : last.kind === 'mark' && !last.classes.has('dash');
  return last.kind !== 'number' || text[i - 1] === ' ';
}

/** Units with a sign in them (m3/h, °C, %) are no words; they are looked for behind a number only. */
function symbolUnit(rest: string): { length: number; unit: string } | null {
  for (let length = Math.min(8, rest.length); length > 0; length--) {
    const spelling = rest.slice(0, length);
    const unit = /[/%°^]/.test(spelling) ? unitSpellings.get(spelling) : undefined;
    if (unit !== undefined && !/[a-z0-9/]/.test(rest[length] ?? '')) return { length, unit: unitName(rest.slice(0, length)) };
  }
  return null;
}
