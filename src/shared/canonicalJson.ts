// One text for one value: RFC 8785 (keys sorted by UTF-16 code units, numbers as ECMAScript prints them, no spaces), and
// narrower: what two languages could read differently (-0, integers past 2^53, lone surrogates) is refused, not printed.

/** The value cannot be told in canonical JSON; `path` says where. */
export class NotCanonical extends Error {
  readonly path: string;
  constructor(what: string, path: string) {
    super(`${what} at ${path}`);
    this.name = 'NotCanonical';
    this.path = path;
  }
}

/** Deeper nesting is no data of ours; a limit of our own is better than a stack overflow. */
const maxDepth = 200;

/** Throws NotCanonical. A property whose value is undefined is absent, as in JSON.stringify; in an array it is refused. */
export function canonicalJson(value: unknown): string {
  return write(value, '$', 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > maxDepth) throw new NotCanonical('nesting too deep', path.slice(0, 80));
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new NotCanonical('a lone surrogate', path);
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return writeNumber(value, path);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value, path, depth) : writeObject(value, path, depth);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      throw new NotCanonical(`a ${typeof value}`, path);
  }
}

function writeNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new NotCanonical(String(value), path);
  if (Object.is(value, -0)) throw new NotCanonical('-0', path);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new NotCanonical('an integer past 2^53', path);
  return String(value);
}

function writeArray(value: unknown[], path: string, depth: number): string {
  let text = '[';
  for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + write(value[i], `${path}[${i}]`, depth + 1);
  return text + ']';
}

function writeObject(value: object, path: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotCanonical(`an object of class ${value.constructor.name}`, path);
  const source = value as Record<string, unknown>;
  let text = '{';
  let first = true;
  for (const key of Object.keys(source).sort()) {
    const item = source[key];
    if (item === undefined) continue;
    if (!key.isWellFormed()) throw new NotCanonical('a lone surrogate in a key', path);
    text += (first ? '' : ',') + JSON.stringify(key) + ':' + write(item, `${path}.${key}`, depth + 1);
    first = false;
  }
  return text + '}';
}
