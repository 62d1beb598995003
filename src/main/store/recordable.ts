import { canonicalJson } from '../../shared/canonicalJson.ts';
import { redactValue } from '../../shared/redact.ts';

/**
 * Payload of an event as the text that is hashed: masked first, then canonical. What JSON cannot say exactly but a plant
 * may well answer (NaN, -0, 3.4e38 of a wrong word order, 64-bit integers) is written as {"$number": "…"} and comes back
 * as it was; a record that refused such a reading would lose the call that shows the fault.
 */
export function payloadText(payload: unknown): { text: string; value: unknown } {
  const { value } = redactValue(payload);
  return { text: canonicalJson(toRecord(value)), value };
}

export function readPayload(text: string): unknown {
  return fromRecord(JSON.parse(text));
}

function toRecord(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : value.toWellFormed();
    case 'number':
      return isPlainNumber(value) ? value : { $number: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { $number: `${value}n` };
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return arrayToRecord(value);
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
      if (ArrayBuffer.isView(value)) return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
      return objectToRecord(value as Record<string, unknown>);
    case 'undefined':
      return undefined;
    case 'boolean':
      return value;
    case 'function':
    case 'symbol':
      return { $dropped: typeof value };
  }
}

function arrayToRecord(source: unknown[]): unknown[] {
  let out: unknown[] | null = null; // copied from the first item on that has to change its form
  for (let i = 0; i < source.length; i++) {
    const item = source[i] === undefined ? null : toRecord(source[i]);
    if (out === null && item !== source[i]) out = source.slice(0, i);
    out?.push(item);
  }
  return out ?? source;
}

function objectToRecord(source: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(source);
  const plain = Object.getPrototypeOf(source) === Object.prototype;
  let out: Record<string, unknown> | null = plain ? null : {};
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const item = toRecord(source[key]);
    // A key of the data that begins with our mark gets one more, so that reading back cannot confuse the two.
    const name = key.startsWith('$') ? `$${key}` : key.isWellFormed() ? key : key.toWellFormed();
    if (out === null && (item !== source[key] || name !== key)) {
      out = {};
      for (const earlier of keys.slice(0, i)) set(out, earlier, source[earlier]);
    }
    if (out !== null && item !== undefined) set(out, name.isWellFormed() ? name : name.toWellFormed(), item);
  }
  return out ?? source;
}

function set(out: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(out, name, { value, enumerable: true, writable: true, configurable: true });
}

function isPlainNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function fromRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromRecord);
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  if (keys.length === 1) {
    if (typeof source.$number === 'string')
      return source.$number.endsWith('n') ? BigInt(source.$number.slice(0, -1)) : Number(source.$number);
    if (typeof source.$bytes === 'string') return new Uint8Array(Buffer.from(source.$bytes, 'base64'));
  }
  const out: Record<string, unknown> = {};
  for (const key of keys) {
    const name = key.startsWith('$$') ? key.slice(1) : key;
    Object.defineProperty(out, name, { value: fromRecord(source[key]), enumerable: true, writable: true, configurable: true });
  }
  return out;
}
