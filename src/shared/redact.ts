import { findCredentials } from './redactSecrets.ts';
import { findDigitSpans, findIbans, hasAccountWords } from './redactNumbers.ts';

// Masks secrets and personal data before anything is hashed, stored or shown to a model: e-mail, phone, identity number,
// bank card, IBAN, account numbers, credentials. Plant data stays: tag names, time stamps, counters, measured values,
// addresses. Check digits and shapes decide, not length alone. Every pass walks the text once with bounded look-around:
// a plain e-mail expression over 1 MB of "yyyy…" once held a host for minutes.

export type RedactionKind = 'phone' | 'email' | 'identity' | 'card' | 'iban' | 'account' | 'secret';
export type Span = { start: number; end: number; kind: RedactionKind };

/** What stands in the place of a masked text; the same in both languages so that records compare. */
export const maskOf: Record<RedactionKind, string> = {
  phone: '[PHONE]',
  email: '[EMAIL]',
  identity: '[ID-NUMBER]',
  card: '[CARD]',
  iban: '[IBAN]',
  account: '[ACCOUNT]',
  secret: '[SECRET]',
};

export type RedactOptions = {
  /** What the text is the value of, e.g. a key or a column: "phone", "count". Read like a word before it. */
  label?: string;
};

/** Anything below cannot match without one of these; most texts end here. */
const worthALook =
  /@|[0-9０-９]{7}|[0-9０-９][ -][0-9０-９]|\([0-9]{3}|[A-Z]{2}[0-9]{2}|:\/\/|pass|pwd|secret|key|token|bearer|sk-|gh[pousr]_|authori|密码|口令|密钥|令牌/i;

/** A time stamp alone: every event has some, and they cannot hide anything. */
const timeOnly = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

export function redactText(text: string, options: RedactOptions = {}): { text: string; count: number } {
  if (text.length < 3 || !worthALook.test(text) || (text.length < 40 && timeOnly.test(text))) return { text, count: 0 };
  const before = options.label === undefined ? '' : `${options.label.slice(0, 40)}: `;
  const spans = findSpans(before + text).filter((span) => span.start >= before.length);
  if (spans.length === 0) return { text, count: 0 };
  let out = '';
  let at = 0;
  for (const span of spans) {
    out += text.slice(at, span.start - before.length) + maskOf[span.kind];
    at = span.end - before.length;
  }
  return { text: out + text.slice(at), count: spans.length };
}

/** Sorted, not overlapping; where two overlap the earlier (and of those the longer) stands. */
export function findSpans(text: string): Span[] {
  const found = [...findCredentials(text), ...findEmails(text), ...findIbans(text), ...findDigitSpans(text)];
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Span[] = [];
  let end = 0;
  for (const span of found) {
    if (span.start < end) continue;
    kept.push(span);
    end = span.end;
  }
  return kept;
}

const maxLocalPart = 64;
const maxDomain = 253;

function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start <= maxLocalPart && isLocalChar(text.charCodeAt(start - 1))) start--;
    while (start < at && text[start] === '.') start++; // "see.…@" and dots at the front are no part of it
    if (start === at || at - start > maxLocalPart) continue;
    let end = at + 1;
    while (end < text.length && end - at <= maxDomain && isDomainChar(text.charCodeAt(end))) end++;
    while (end > at + 1 && (text[end - 1] === '.' || text[end - 1] === '-')) end--;
    if (isMailDomain(text.slice(at + 1, end))) spans.push({ start, end, kind: 'email' });
  }
  return spans;
}

/**
 * A tag may look like an address ("Pump@Line1.PV"): a domain ends in lower case, or in one of the few endings that
 * people write in capitals. 10.0.0.5 behind an @ is a host of the plant.
 */
function isMailDomain(domain: string): boolean {
  const labels = domain.split('.');
  const last = labels.at(-1)!;
  if (labels.length < 2 || labels.length > 9 || labels.some((label) => label === '' || label.length > 63)) return false;
  if (/^[a-z]{2,24}$/.test(last)) return true;
  return /^(?:com|net|org|edu|gov|info|cn|de|uk|us|eu|fr|io)$/i.test(last);
}

function isLocalChar(code: number): boolean {
  return isAlnum(code) || code === 46 || code === 95 || code === 43 || code === 37 || code === 45; // . _ + % -
}
function isDomainChar(code: number): boolean {
  return isAlnum(code) || code === 46 || code === 45;
}
function isAlnum(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const secretKeys = new Set(
  'password passwd pwd passphrase secret clientsecret apikey accesstoken refreshtoken authtoken bearertoken token authorization proxyauthorization cookie setcookie privatekey credentials 密码 口令 密钥 令牌'.split(
    ' ',
  ),
);
/** Digests, ids and frames are ours and may by chance look like a card: under these keys hexadecimal and ids stay. */
const machineKeys = /(?:^|_)(?:id|hex|frame|digest|sha256|hash|raw)$/;
const machineText = /^(?:[0-9a-fA-F]{2}(?: ?[0-9a-fA-F]{2})*|[0-9A-HJKMNP-TV-Z]{26})$/;

/** Deep, for plain JSON values; what needs no mask is handed back as it is. Keys are looked at too. */
export function redactValue<T>(value: T): { value: T; count: number } {
  const tally = { count: 0 };
  return { value: redactAny(value, undefined, tally) as T, count: tally.count };
}

function redactAny(value: unknown, label: string | undefined, tally: { count: number }): unknown {
  if (typeof value === 'string') return redactString(value, label, tally);
  if (typeof value === 'number' || typeof value === 'bigint') return redactNumber(value, label, tally);
  if (Array.isArray(value)) return redactArray(value, label, tally);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return isTable(value) ? redactTable(value, tally) : redactObject(value as Record<string, unknown>, tally);
}

function redactArray(source: unknown[], label: string | undefined, tally: { count: number }): unknown[] {
  let out: unknown[] | null = null;
  for (let i = 0; i < source.length; i++) {
    const item = redactAny(source[i], label, tally);
    if (out === null && item !== source[i]) out = source.slice(0, i);
    out?.push(item);
  }
  return out ?? source;
}

function redactString(value: string, label: string | undefined, tally: { count: number }): string {
  if (label !== undefined) {
    if (value !== '' && secretKeys.has(label.toLowerCase().replace(/[_-]/g, ''))) {
      tally.count++;
      return maskOf.secret;
    }
    if (machineKeys.test(label) && machineText.test(value)) return value;
  }
  const { text, count } = redactText(value, label === undefined ? {} : { label });
  tally.count += count;
  return text;
}

/** A number is a measured value or a counter, unless its own label says that it is a phone, an account or the like. */
function redactNumber(value: number | bigint, label: string | undefined, tally: { count: number }): unknown {
  if (label === undefined || (typeof value === 'number' && !Number.isSafeInteger(value)) || value < 1_000_000 || !hasAccountWords(label))
    return value;
  const { text, count } = redactText(String(value), { label });
  tally.count += count;
  return count === 0 ? value : text;
}

function redactObject(source: Record<string, unknown>, tally: { count: number }): Record<string, unknown> {
  const keys = Object.keys(source);
  let out: Record<string, unknown> | null = null; // nearly always there is nothing to mask and nothing to copy
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const item = redactAny(source[key], key, tally);
    const name = redactKey(key, out, tally);
    if (out === null && (item !== source[key] || name !== key)) {
      out = {};
      for (const earlier of keys.slice(0, i)) set(out, earlier, source[earlier]);
    }
    if (out !== null) set(out, name, item);
  }
  return out ?? source;
}

/** "__proto__" is a key like any other. */
function set(out: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(out, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Keys repeat: those that were looked at and need no mask are remembered. */
const plainKeys = new Set<string>();
const maxPlainKeys = 5_000;

function redactKey(key: string, out: Record<string, unknown> | null, tally: { count: number }): string {
  if (plainKeys.has(key)) return key;
  const masked = redactText(key);
  if (masked.count === 0) {
    if (plainKeys.size < maxPlainKeys && key.length < 64) plainKeys.add(key);
    return key;
  }
  tally.count += masked.count;
  let name = masked.text;
  for (let twin = 2; out !== null && Object.hasOwn(out, name); twin++) name = `${masked.text} ${twin}`; // two masked keys stay two
  return name;
}

type Table = { columns: unknown[]; rows: unknown[][] };
function isTable(value: object): value is Table {
  const { columns, rows } = value as Partial<Table>;
  return Array.isArray(columns) && Array.isArray(rows) && rows.every(Array.isArray);
}

function redactTable(table: Table, tally: { count: number }): unknown {
  const labels = table.columns.map((column) => (typeof column === 'string' ? column : undefined));
  const rows = table.rows.map((row) =>
    sameOr(
      row,
      row.map((cell, i) => redactAny(cell, labels[i], tally)),
    ),
  );
  const { columns: _columns, rows: _rows, ...rest } = table as Table & Record<string, unknown>;
  const others = redactObject({ ...rest }, tally);
  return { columns: redactAny(table.columns, undefined, tally), rows: sameOr(table.rows, rows), ...others };
}

function sameOr<T>(before: T[], after: T[]): T[] {
  return after.every((item, i) => item === before[i]) ? before : after;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
