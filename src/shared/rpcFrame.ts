/**
 * One WebSocket message: u32 length of the head, little endian | head, JSON | padding to 8 | the typed arrays, each
 * padded to 8 so that a view can be laid on it. In the head an array stands as {"\0bin": n, "type", "length"}; an object
 * that happens to have such a key itself travels as {"\0obj": entries}.
 */
const arrayTypes = { f64: Float64Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array } as const;
type ArrayName = keyof typeof arrayTypes;
type Typed = Float64Array | Uint8Array | Uint16Array | Uint32Array;
const binKey = '\0bin';
const objKey = '\0obj';
const padded = (n: number): number => (n + 7) & ~7;

function nameOf(value: unknown): ArrayName | null {
  for (const name of Object.keys(arrayTypes) as ArrayName[]) if (value instanceof arrayTypes[name]) return name;
  return null;
}

export function encodeFrame(message: unknown): Uint8Array {
  const tails: Typed[] = [];
  const head = new TextEncoder().encode(
    JSON.stringify({ m: message }, function (this: Record<string, unknown>, key: string, shown: unknown) {
      const value = this[key]; // as it was before a toJSON of its own: a Node Buffer would turn into a list of numbers
      const type = nameOf(value);
      if (type !== null) {
        tails.push(value as Typed);
        return { [binKey]: tails.length - 1, type, length: (value as Typed).length };
      }
      if (typeof value === 'bigint') return String(value);
      if (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        (Object.hasOwn(value, binKey) || Object.hasOwn(value, objKey))
      )
        return { [objKey]: Object.entries(value) };
      return shown;
    }),
  );
  const start = padded(4 + head.length);
  const out = new Uint8Array(start + tails.reduce((sum, tail) => sum + padded(tail.byteLength), 0));
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(head, 4);
  let at = start;
  for (const tail of tails) {
    out.set(new Uint8Array(tail.buffer, tail.byteOffset, tail.byteLength), at);
    at += padded(tail.byteLength);
  }
  return out;
}

/** Throws on anything that is not such a frame; lengths are checked before a view is laid on them. */
export function decodeFrame(frame: Uint8Array): unknown {
  // A fresh buffer: views need an aligned start, and a socket hands out slices of its pool.
  const bytes = frame.byteOffset % 8 === 0 ? frame : Uint8Array.from(frame); // not slice(): a Node Buffer's shares its memory
  if (bytes.length < 4) throw new RangeError('a frame has at least 4 bytes');
  const headLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (headLength > bytes.length - 4) throw new RangeError('the head is longer than the frame');
  let at = padded(4 + headLength);
  const head: unknown = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(4, 4 + headLength)),
    (_key, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value;
      if (Object.hasOwn(value, objKey)) return Object.fromEntries((value as Record<string, [string, unknown][]>)[objKey]!);
      if (!Object.hasOwn(value, binKey)) return value;
      const { type, length } = value as { type?: unknown; length?: unknown };
      const make = Object.hasOwn(arrayTypes, String(type)) ? arrayTypes[type as ArrayName] : undefined;
      if (!make || !Number.isSafeInteger(length) || (length as number) < 0) throw new RangeError('not an array we know');
      const byteLength = (length as number) * make.BYTES_PER_ELEMENT;
      if (at + byteLength > bytes.length) throw new RangeError('an array is longer than the frame');
      const view = new make(bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length as number);
      at += padded(byteLength);
      return view;
    },
  );
  if (typeof head !== 'object' || head === null || !Object.hasOwn(head, 'm')) throw new RangeError('the head carries no message');
  return (head as { m: unknown }).m;
}
