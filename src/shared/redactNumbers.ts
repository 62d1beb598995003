import type { Span } from './redact.ts';

type Group = { start: number; end: number; digits: string };
/** Digit groups parted by single blanks or hyphens, with the text around them. */
type Cluster = { text: string; groups: Group[]; hasWords: boolean; /** Up to here it is masked. */ maskedTo: number };

const accountWords =
  /(?<![a-z])(?:tel|telephone|phone|mobile|cellphone|fax|whatsapp|account|acct|iban|card|visa|identity|id[ _-]?(?:no|number|card))(?![a-z]{2})|phone|手机|电话|联系方式|致电|传真|账号|帐号|账户|帐户|户号|卡号|银行卡|储蓄卡|信用卡|身份证|证件/i;

/** Does a label or a text speak of phones, accounts, cards or identities at all? */
export function hasAccountWords(text: string): boolean {
  return accountWords.test(text);
}

/** Phones, identity numbers, cards and accounts: everything that is made of digits. */
export function findDigitSpans(text: string): Span[] {
  const spans: Span[] = [];
  const hasWords = hasAccountWords(text);
  let i = 0;
  while (i < text.length) {
    if (!isDigit(text.charCodeAt(i))) {
      i++;
      continue;
    }
    const groups = readGroups(text, i);
    const end = groups.at(-1)!.end;
    judgeCluster({ text, groups, hasWords, maskedTo: 0 }, spans);
    i = end;
  }
  findBracketPhones(text, spans);
  return spans;
}

function isDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 0xff10 && code <= 0xff19); // full-width digits come from Chinese keyboards
}

function readGroups(text: string, from: number): Group[] {
  const groups: Group[] = [];
  let at = from;
  for (;;) {
    const start = at;
    while (at < text.length && isDigit(text.charCodeAt(at))) at++;
    groups.push({ start, end: at, digits: plainDigits(text.slice(start, at)) });
    const separator = text.charCodeAt(at);
    if ((separator !== 32 && separator !== 45) || !isDigit(text.charCodeAt(at + 1))) return groups;
    at++;
  }
}

function plainDigits(text: string): string {
  return text.charCodeAt(0) < 128 && text.charCodeAt(text.length - 1) < 128
    ? text
    : text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xff10 + 48));
}

function judgeCluster(cluster: Cluster, spans: Span[]): void {
  const { groups } = cluster;
  if (groups.length === 1 && groups[0]!.digits.length < 7) return; // the usual case: a plain number
  let taken = judgePlus(cluster, spans);
  while (taken < groups.length) {
    const length = judgeAt(cluster, taken, spans);
    taken += Math.max(1, length);
  }
}

/** Looks at what starts with group `i`; answers how many groups were masked. */
function judgeAt(cluster: Cluster, i: number, spans: Span[]): number {
  const { text, groups } = cluster;
  const group = groups[i]!;
  if (!freeBefore(text, group.start)) return 0;
  const mask = (count: number, kind: Span['kind'], end = groups[i + count - 1]!.end): number => {
    spans.push({ start: group.start, end, kind });
    cluster.maskedTo = end;
    return count;
  };
  if (group.digits.length >= 7) {
    const identityEnd = identityEndAt(text, group);
    if (identityEnd !== -1) return mask(1, 'identity', identityEnd);
    if (freeAfter(text, group.end)) {
      if (isMobile(group.digits) && !isPlantNumber(text, group)) return mask(1, 'phone');
      if (isCard(group.digits) && !isPlantNumber(text, group)) return mask(1, 'card');
    }
  }
  return judgeGrouped(cluster, i, mask) || judgeLabelled(cluster, i, mask);
}

type Mask = (count: number, kind: Span['kind'], end?: number) => number;

/** Shapes of several groups: they must stand alone, so that a row of register words is not read as a card. */
function judgeGrouped(cluster: Cluster, i: number, mask: Mask): number {
  const { text, groups } = cluster;
  const first = groups[i]!.digits.length;
  if (first !== 3 && first !== 4 && first !== 6) return 0;
  const shape = (...lengths: number[]): boolean =>
    lengths.every(
      (length, k) =>
        groups[i + k]?.digits.length === length && (k === 0 || text[groups[i + k]!.start - 1] === text[groups[i + 1]!.start - 1]),
    ) && standsAlone(cluster, i, lengths.length);
  const joined = (count: number): string =>
    groups
      .slice(i, i + count)
      .map((group) => group.digits)
      .join('');
  if ((shape(4, 4, 4, 4) && isCard(joined(4))) || (shape(4, 6, 5) && isCard(joined(3))))
    return mask(groups[i + 1]!.digits.length === 4 ? 4 : 3, 'card');
  if ((shape(4, 4, 4, 4, 3) || shape(4, 4, 4, 4, 2) || shape(4, 4, 4, 4, 1)) && isCard(joined(5))) return mask(5, 'card');
  if (shape(6, 13) && isCard(joined(2))) return mask(2, 'card');
  const separator = groups[i + 1] === undefined ? '' : text[groups[i + 1]!.start - 1]!;
  if (shape(3, 4, 4) && isMobile(joined(3)) && (separator === '-' || labelled(text, groups[i]!.start, phoneLabel))) return mask(3, 'phone');
  if ((shape(3, 8) || shape(4, 7) || shape(4, 8)) && separator === '-' && isAreaCode(groups[i]!.digits)) return mask(2, 'phone');
  if (shape(6, 8, 4) && isIdentity(joined(3))) return mask(3, 'identity');
  return 0;
}

// The word, perhaps "number", then only punctuation: "telemetry: 1234567" and "card serial 12345678" are no phone and no account.
const numberWord = String.raw`s?(?:[ _-]?(?:no|number|nr|num))?(?:号码|号)?[.\s:：=,，"'（(是为+-]{0,6}$`;
const phoneLabel = new RegExp(
  String.raw`(?:(?<![A-Za-z])(?:tel|mobile|fax|whatsapp)|phone|手机|电话|联系方式|致电|传真)${numberWord}`,
  'i',
);
const accountLabel = new RegExp(
  String.raw`(?:(?<![A-Za-z])(?:account|acct|card|visa)|账号|帐号|账户|帐户|户号|卡号|银行卡|储蓄卡|信用卡|卡)${numberWord}`,
  'i',
);
const identityLabel = new RegExp(String.raw`(?:身份证|证件|identity|(?<![A-Za-z])id[ _-]?(?:no|number|card))${numberWord}`, 'i');
/** Identity numbers of before 1999: region, date of birth, sequence; no check digit. */
const oldIdentity = /^[1-8]\d{5}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}$/;

/** With a word before it, a number that has no check digit of its own: "account 12345678", "手机 138 0013 8000". */
function judgeLabelled(cluster: Cluster, i: number, mask: Mask): number {
  if (!cluster.hasWords) return 0;
  const { text, groups } = cluster;
  const group = groups[i]!;
  let count = 1;
  let length = group.digits.length;
  while (groups[i + count] !== undefined && length + groups[i + count]!.digits.length <= 24) length += groups[i + count++]!.digits.length;
  if (length < 7 || !freeAfter(text, groups[i + count - 1]!.end)) return 0;
  if (length <= 15 && labelled(text, group.start, phoneLabel)) return mask(count, 'phone');
  if (oldIdentity.test(group.digits) && labelled(text, group.start, identityLabel)) return mask(1, 'identity');
  if (length >= 8 && labelled(text, group.start, accountLabel)) return mask(count, 'account');
  return 0;
}

function labelled(text: string, start: number, label: RegExp): boolean {
  return label.test(text.slice(Math.max(0, start - 32), start));
}

/** `+49 170 1234567`: a plus, a country code, 8 to 15 digits. A signed measured value has a point, or is shorter. */
function judgePlus(cluster: Cluster, spans: Span[]): number {
  const { text, groups } = cluster;
  const first = groups[0]!;
  if (text[first.start - 1] !== '+' || first.digits[0] === '0' || !freeBefore(text, first.start - 1)) return 0;
  let count = 0;
  let length = 0;
  while (count < groups.length && count < 7 && length + groups[count]!.digits.length <= 15) length += groups[count++]!.digits.length;
  if (count === 0 || length < (count === 1 ? 11 : 10) || (count > 1 && first.digits.length > 3)) return 0;
  const last = groups[count - 1]!;
  if (!freeAfter(text, last.end) || isPlantNumber(text, { ...first, end: last.end })) return 0;
  spans.push({ start: first.start - 1, end: last.end, kind: 'phone' });
  return count;
}

/** `(555) 123-4567`, `(0755) 8888-9999`. */
function findBracketPhones(text: string, spans: Span[]): void {
  for (const match of text.matchAll(/(?<![A-Za-z0-9_])\(0?\d{2,3}\) ?\d{3,4}[ -]?\d{4}(?![\dA-Za-z_]|\.\d)/g)) {
    spans.push({ start: match.index, end: match.index + match[0].length, kind: 'phone' });
  }
}

/** Not in the middle of a word, a tag name (TI-101), a decimal or a longer number. */
function freeBefore(text: string, start: number): boolean {
  const before = text[start - 1] ?? '';
  if (/[A-Za-z_\d]/.test(before)) return false;
  const further = text[start - 2] ?? '';
  if (before === '.') return !/\d/.test(further);
  if (before === '-' && /[A-Za-z_]/.test(further))
    return /(?:tel|phone|mobile|fax|cell)-$/i.test(text.slice(Math.max(0, start - 8), start));
  return true;
}

function freeAfter(text: string, end: number): boolean {
  const after = text[end] ?? '';
  if (/[A-Za-z_%°℃]/.test(after)) return false;
  return !(after === '.' && /\d/.test(text[end + 1] ?? ''));
}

function standsAlone(cluster: Cluster, i: number, count: number): boolean {
  const { text, groups } = cluster;
  const separator = text[groups[i]!.end];
  const isWord = (group: Group | undefined): boolean => group !== undefined && group.digits.length < 7; // a longer one is no register
  const before = isWord(groups[i - 1]) && groups[i - 1]!.end > cluster.maskedTo && text[groups[i]!.start - 1] === separator;
  const after = isWord(groups[i + count]) && text[groups[i + count - 1]!.end] === separator;
  return !before && !after && freeAfter(text, groups[i + count - 1]!.end);
}

const counterBefore =
  /(?:(?<![A-Za-z])(?:counts?|counter|cnt|total(?:izer|iser)?|sum|seq|serial|timestamp|ts|time|epoch|ticks?|offset|value|val|pv|sv|pulses?|energy|k?wh)|计数|累计|累积|总量|脉冲|读数|电量|电度|数值|时间戳|序号|流量)["']?\s{0,2}[=:：是为]?\s{0,2}$/i;
const camelCounterBefore = /[a-z](?:Counts?|Counter|Total|Time|Timestamp|Ticks|Value|Pulses|Energy|Wh|KWh)["']?\s{0,2}[=:：]?\s{0,2}$/;
const unitAfter =
  /^\s?(?:[kMGmuµ]?(?:Wh|varh|VAh|Pa|bar|V|A|W|Hz|g|m|L|l|s|J)|m3|m³|t|rpm|pulses?|counts?|imp|ticks|个|次|脉冲|度|转|吨|升|立方|毫秒|微秒|秒|千瓦时)(?![A-Za-z])/;

/** A counter, a time stamp or a measured value says so itself: by the word before or by the unit behind. */
function isPlantNumber(text: string, group: { start: number; end: number }): boolean {
  const before = text.slice(Math.max(0, group.start - 24), group.start);
  return counterBefore.test(before) || camelCounterBefore.test(before) || unitAfter.test(text.slice(group.end, group.end + 12));
}

/** Number blocks that the Chinese networks use. */
function isMobile(digits: string): boolean {
  return digits.length === 11 && /^(?:13\d|14[014-9]|15[0-35-9]|16[2567]|17[0-8]|18\d|19[0-35-9])/.test(digits);
}

function isAreaCode(digits: string): boolean {
  return /^(?:010|02\d|0[3-9]\d{2})$/.test(digits);
}

const identityWeights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** End of an identity number that is this group (and an X behind it), or -1. */
function identityEndAt(text: string, group: Group): number {
  if (group.digits.length === 17 && /[xXｘＸ]/.test(text[group.end] ?? '') && !/[A-Za-z0-9_]/.test(text[group.end + 1] ?? '')) {
    return isIdentity(`${group.digits}X`) ? group.end + 1 : -1;
  }
  return group.digits.length === 18 && freeAfter(text, group.end) && isIdentity(group.digits) ? group.end : -1;
}

/** GB 11643: region, date of birth, sequence, check character (mod 11, 2). */
function isIdentity(number: string): boolean {
  if (
    !/^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])\d{4}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]$/.test(
      number,
    )
  )
    return false;
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += identityWeights[i]! * Number(number[i]);
  return '10X98765432'[sum % 11] === number[17];
}

/** Issuer ranges with their lengths; without them one counter in ten of the right length would pass Luhn. */
function isCard(digits: string): boolean {
  const length = digits.length;
  const known =
    (/^4/.test(digits) && (length === 16 || length === 13 || length === 19)) ||
    (/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/.test(digits) && length === 16) ||
    (/^3[47]/.test(digits) && length === 15) ||
    (/^3(?:0[0-5]|[68])/.test(digits) && length === 14) ||
    (/^(?:6011|65|64[4-9])/.test(digits) && length === 16) ||
    (/^35(?:2[89]|[3-8])/.test(digits) && length === 16) ||
    (/^(?:62|81)/.test(digits) && length >= 16 && length <= 19) ||
    (/^(?:9558|60[13]|9400|9559)/.test(digits) && (length === 18 || length === 19));
  return known && !/^(\d)\1+$/.test(digits) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 13616: length by country. */
const ibanLengths: Record<string, number> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MR: 27,
  MT: 31,
  MU: 30,
  NL: 18,
  NO: 15,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
};

export function findIbans(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(/(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?= ?[A-Z0-9])/g)) {
    const wanted = ibanLengths[match[0].slice(0, 2)];
    if (wanted === undefined) continue;
    let iban = '';
    let at = match.index;
    while (iban.length < wanted && at < text.length) {
      const char = text[at]!;
      if (/[A-Z0-9]/.test(char)) iban += char;
      else if (char !== ' ' || iban.length % 4 !== 0) break;
      at++;
    }
    if (iban.length === wanted && !/[A-Za-z0-9]/.test(text[at] ?? '') && passesMod97(iban))
      spans.push({ start: match.index, end: at, kind: 'iban' });
  }
  return spans;
}

function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
