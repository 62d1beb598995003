// A reader for JSON as models print it. Outside strings it mends what rule 5 of the repair rules names, and nothing else; it
// finds the end of a value by its structure, and it tells a value that was cut off from one that is merely wrong.

export type LooseResult = {
  value: unknown;
  /** Index behind the value. */
  end: number;
  /** The text ended inside the value, so more might have come. */
  cut: boolean;
  /** Not readable even with repair. */
  bad: boolean;
  repaired: boolean;
};

type Token = 'none' | 'string' | 'bracket' | 'word' | 'number' | 'key' | 'colon' | 'comma' | 'bad';
const MAX_DEPTH = 100;
const quotes: Record<string, string> = { '"': '"', "'": "'", '“': '”“', '”': '”', '‘': '’‘', '’': '’', '＂': '＂' };
const literals: Record<string, unknown> = { true: true, false: false, null: null, True: true, False: false, None: null };
const openObject = '{｛';
const closeObject = '}｝';
const openArray = '[［';
const closeArray = ']］';
const commas = ',，';
const colons = ':：';

/** Reads one value from `start`. `terminators` are texts that end it although brackets are open (a closing tag, a fence). */
export function readLoose(text: string, start: number, terminators: readonly string[] = []): LooseResult {
  const reader = new LooseReader(text, start, terminators);
  const value = reader.value(0);
  reader.dropExtraCloser();
  return { value, end: reader.pos, cut: reader.cut, bad: reader.bad, repaired: reader.repaired };
}

export class LooseReader {
  readonly text: string;
  readonly terminators: readonly string[];
  pos: number;
  cut = false;
  bad = false;
  repaired = false;
  last: Token = 'none';
  private extraUsed = false;
  /** Where the answer really ends: only space follows. */
  private readonly realEnd: number;
  private stack: ('object' | 'array' | 'call')[] = [];

  constructor(text: string, start: number, terminators: readonly string[]) {
    this.text = text;
    this.pos = start;
    this.terminators = terminators;
    this.realEnd = text.trimEnd().length;
  }

  get char(): string {
    return this.text[this.pos] ?? '';
  }

  /** Is this the next character? (A getter would be narrowed as if it could not change.) */
  at(char: string): boolean {
    return this.text[this.pos] === char;
  }

  /** Nothing but space is left of the whole answer. */
  atRealEnd(): boolean {
    return this.pos >= this.realEnd;
  }

  atEnd(): boolean {
    return this.atRealEnd() || this.terminators.some((t) => this.text.startsWith(t, this.pos));
  }

  space(): void {
    for (;;) {
      const before = this.pos;
      while (this.pos < this.text.length && /\s|\u3000|\ufeff/.test(this.char)) this.pos++;
      if (this.text.startsWith('//', this.pos) || this.char === '#') this.comment('\n', 0);
      else if (this.text.startsWith('/*', this.pos)) this.comment('*/', 2);
      if (this.pos === before) return;
    }
  }

  private comment(close: string, length: number): void {
    const end = this.text.indexOf(close, this.pos);
    this.pos = end < 0 ? this.text.length : end + length;
    this.repaired = true;
  }

  value(depth: number): unknown {
    this.space();
    if (depth > MAX_DEPTH) return this.fail();
    if (this.atEnd()) return this.missing();
    const c = this.char;
    if (openObject.includes(c)) return this.object(depth);
    if (openArray.includes(c)) return this.array(depth);
    if (c in quotes) return this.string();
    if (/[-\d]/.test(c)) return this.number();
    if (/[\p{L}_$]/u.test(c)) return this.word();
    return this.fail();
  }

  private object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.open('object');
    for (let before = -1; ;) {
      this.advance(before);
      before = this.pos;
      this.space();
      if (this.closes(closeObject, closeArray)) break;
      const key = this.key();
      if (key === null) break;
      this.space();
      if (!colons.includes(this.char) || this.char === '') {
        if (this.atRealEnd()) this.cut = true;
        else this.bad = true;
        this.last = 'key';
        if (this.atEnd() || closeObject.includes(this.char) || commas.includes(this.char)) {
          if (commas.includes(this.char) && this.char !== '') this.pos++;
          if (this.atEnd()) break;
          continue;
        }
        // No colon: read on as if it stood there, so that the end is still found.
      } else {
        if (this.char !== ':') this.repaired = true;
        this.pos++;
        this.last = 'colon';
      }
      entries.push([key, this.value(depth + 1)]);
      if (!this.separator(closeObject, closeArray)) break;
    }
    this.stack.pop();
    return Object.fromEntries(entries);
  }

  private array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.open('array');
    for (let before = -1; ;) {
      this.advance(before);
      before = this.pos;
      this.space();
      if (this.closes(closeArray, closeObject)) break;
      items.push(this.value(depth + 1));
      if (!this.separator(closeArray, closeObject)) break;
    }
    this.stack.pop();
    return items;
  }

  /** Whatever stands here, each round of a level reads on by at least one character: no text can hold the reader. */
  private advance(before: number): void {
    if (this.pos === before) this.pos++;
  }

  private open(kind: 'object' | 'array'): void {
    if (!'{['.includes(this.char)) this.repaired = true;
    this.pos++;
    this.last = 'bracket';
    this.stack.push(kind);
  }

  /** At a closer of our own, at one of the level above (ours is missing), or at the end (all are missing). */
  private closes(own: string, other: string): boolean {
    if (this.atEnd()) {
      this.closeMissing();
      return true;
    }
    const c = this.char;
    if (own.includes(c)) {
      if (!'}]'.includes(c)) this.repaired = true;
      this.pos++;
      this.last = 'bracket';
      return true;
    }
    if (!other.includes(c)) return false;
    const outer = this.stack.slice(0, -1).includes(other === closeArray ? 'array' : 'object');
    if (outer) {
      this.closeMissing();
      return true;
    }
    return this.skipExtra() ? this.closes(own, other) : false;
  }

  /** A closing bracket that is missing may be put after a complete token only; behind anything else the answer was cut. */
  private closeMissing(): void {
    this.repaired = true;
    if (this.last === 'string' || this.last === 'bracket' || this.last === 'word') return;
    if (this.atRealEnd()) this.cut = true;
    else this.bad = true;
  }

  /** One closing bracket too many after a complete value is left out, once. */
  private skipExtra(): boolean {
    if (this.extraUsed || this.last !== 'bracket') return false;
    this.extraUsed = true;
    this.repaired = true;
    this.pos++;
    this.space();
    return true;
  }

  dropExtraCloser(): void {
    const here = this.pos;
    this.space();
    if (!this.cut && (closeObject + closeArray).includes(this.char) && this.char !== '' && this.skipExtra()) return;
    this.pos = here;
  }

  /** After a value: true when another follows, false when the level ended. */
  private separator(own: string, other: string): boolean {
    this.space();
    if (this.closes(own, other)) return false;
    if (commas.includes(this.char)) {
      if (this.char !== ',') this.repaired = true;
      this.pos++;
      this.last = 'comma';
      this.space();
      if (this.atEnd()) {
        this.closeMissing();
        return false;
      }
      if (commas.includes(this.char)) return this.nothingBetween();
      if (own.includes(this.char)) this.repaired = true; // a trailing comma
      return true;
    }
    this.bad = true;
    if (!/[\p{L}\d"'“‘＂{[｛［$_-]/u.test(this.char)) this.pos++;
    return !this.atEnd();
  }

  private nothingBetween(): boolean {
    this.bad = true;
    while (commas.includes(this.char) && this.char !== '') this.pos++;
    return !this.atEnd();
  }

  private key(): string | null {
    const c = this.char;
    if (c in quotes) {
      const text = this.string();
      this.last = 'key';
      if (typeof text !== 'string') return null;
      if (this.cut) return null;
      this.spaceThenCutIfEnd();
      return this.cut ? null : text;
    }
    const bare = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(this.text.slice(this.pos, this.pos + 200))?.[0];
    if (bare === undefined) {
      this.bad = true;
      while (!this.atEnd() && !this.startsKey()) this.pos++;
      return this.atEnd() || (closeObject + closeArray).includes(this.char) ? null : this.key();
    }
    this.pos += bare.length;
    this.repaired = true;
    this.last = 'key';
    this.spaceThenCutIfEnd();
    return this.cut ? null : bare;
  }

  private startsKey(): boolean {
    return this.char in quotes || (closeObject + closeArray).includes(this.char) || /[\p{L}_$]/u.test(this.char);
  }

  private spaceThenCutIfEnd(): void {
    if (this.atRealEnd()) this.cut = true;
  }

  private string(): string | null {
    const open = this.char;
    const closers = quotes[open]!;
    const strict = open === '"';
    if (!strict) this.repaired = true;
    let out = '';
    for (let i = this.pos + 1; i < this.text.length; i++) {
      const c = this.text[i]!;
      if (c === '\\') {
        const [char, length] = this.escape(i);
        out += char;
        i += length - 1;
      } else if (closers.includes(c) && (open !== "'" && open !== '‘' ? true : this.closesHere(i))) {
        this.pos = i + 1;
        this.last = 'string';
        return out;
      } else {
        if (c < ' ') this.bad = true;
        out += c;
      }
    }
    this.pos = this.text.length;
    this.cut = true;
    this.last = 'bad';
    return null;
  }

  /** A single quote inside a word ("it's") is no end; one before a comma, colon or bracket is. */
  private closesHere(i: number): boolean {
    return (
      /^\s*([,，:：}\])｝］]|$)/.test(this.text.slice(i + 1, i + 40)) ||
      this.terminators.some((t) =>
        this.text
          .slice(i + 1, i + 60)
          .trimStart()
          .startsWith(t),
      )
    );
  }

  private escape(i: number): [string, number] {
    const c = this.text[i + 1] ?? '';
    const simple: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '"': '"', '\\': '\\', '/': '/', "'": "'" };
    if (c in simple) return [simple[c]!, 2];
    const hex = /^u([0-9a-fA-F]{4})/.exec(this.text.slice(i + 1, i + 6))?.[1];
    if (hex !== undefined) return [String.fromCharCode(parseInt(hex, 16)), 6];
    if (i + 1 < this.text.length) this.bad = true;
    return [c, 2];
  }

  private number(): number | null {
    const found = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(this.text.slice(this.pos, this.pos + 400))?.[0];
    const whole = /^[-+.\w]+/.exec(this.text.slice(this.pos, this.pos + 400))?.[0] ?? '';
    const end = this.pos + whole.length;
    const atRealEnd = end >= this.realEnd;
    this.pos = end === this.pos ? this.pos + 1 : end;
    this.last = 'number';
    if (atRealEnd) {
      this.cut = true;
      return null;
    }
    if (whole === '-Infinity') return -Infinity;
    if (found !== whole) {
      this.bad = true;
      return null;
    }
    return Number(whole);
  }

  private word(): unknown {
    const word = /^[\p{L}\p{N}_$]+/u.exec(this.text.slice(this.pos, this.pos + 400))?.[0] ?? '';
    this.pos += Math.max(1, word.length);
    if (Object.hasOwn(literals, word)) {
      if (/^[TFN]/.test(word)) this.repaired = true;
      this.last = 'word';
      return literals[word];
    }
    this.last = 'bad';
    if (this.atRealEnd()) this.cut = true;
    else if (word === 'NaN' || word === 'Infinity') return word === 'NaN' ? NaN : Infinity;
    else this.bad = true;
    return null;
  }

  private missing(): null {
    if (this.atRealEnd()) this.cut = true;
    else this.bad = true;
    return null;
  }

  private fail(): null {
    this.bad = true;
    this.last = 'bad';
    // A bracket that closes is left for the level it belongs to.
    if (!(closeObject + closeArray + commas).includes(this.char)) this.pos++;
    return null;
  }
}
