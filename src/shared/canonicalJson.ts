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

type Trail = (string | number)[];

/** Throws NotCanonical. A property whose value is undefined is absent, as in JSON.stringify; in an array it is refused. */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

function refuse(what: string, trail: Trail): never {
  const path = trail.slice(0, 20).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  throw new NotCanonical(what, `$${path.join('')}`);
}

function write(value: unknown, trail: Trail): string {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) refuse('a lone surrogate', trail);
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return writeNumber(value, trail);
    case 'object':
      if (value === null) return 'null';
      if (trail.length >= maxDepth) refuse('nesting too deep', trail);
      return Array.isArray(value) ? writeArray(value, trail) : writeObject(value, trail);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      return refuse(`a ${typeof value}`, trail);
  }
}

function writeNumber(value: number, trail: Trail): string {
  if (!Number.isFinite(value)) refuse(String(value), trail);
  if (Object.is(value, -0)) refuse('-0', trail);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) refuse('an integer past 2^53', trail);
  return String(value);
}

function writeArray(value: unknown[], trail: Trail): string {
  let text = '[';
  for (let i = 0; i < value.length; i++) {
    trail.push(i);
    text += (i === 0 ? '' : ',') + write(value[i], trail);
    trail.pop();
  }
  return text + ']';
}

function writeObject(value: object, trail: Trail): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(`an object of class ${value.constructor.name}`, trail);
  const source = value as Record<string, unknown>;
  let text = '{';
  for (const key of Object.keys(source).sort()) {
    const item = source[key];
    if (item === undefined) continue;
    trail.push(key);
    if (!key.isWellFormed()) refuse('a lone surrogate in a key', trail);
    text += (text.length === 1 ? '' : ',') + JSON.stringify(key) + ':' + write(item, trail);
    trail.pop();
  }
  return text + '}';
}
