import type { DecodedValue, StringEncoding, StringShape, ValueShape } from './valueTypes.ts';

/** The characters' bytes in reading order. */
function bytesOfText(words: readonly number[], shape: StringShape): number[] {
  return words.flatMap((word) => {
    const high = word >>> 8;
    const low = word & 0xff;
    switch (shape) {
      case 'high-first':
        return [high, low];
      case 'low-first':
        return [low, high];
      case 'high-only':
        return [high];
      case 'low-only':
        return [low];
      default:
        return shape satisfies never;
    }
  });
}

/** Text ends at the first NUL and loses padding spaces. Bytes that are no text of the encoding make the value bad. */
export function decodeText(words: readonly number[], shape: ValueShape): DecodedValue {
  let bytes = bytesOfText(words, shape.stringShape ?? 'high-first').slice(0, shape.length ?? undefined);
  const end = bytes.indexOf(0);
  if (end >= 0) bytes = bytes.slice(0, end);
  const encoding: StringEncoding = shape.encoding ?? 'utf-8';
  try {
    if (encoding === 'ascii' && bytes.some((byte) => byte > 127)) throw new Error('not ASCII');
    const text =
      encoding === 'latin1' || encoding === 'ascii'
        ? String.fromCharCode(...bytes)
        : new TextDecoder(encoding, { fatal: true }).decode(Uint8Array.from(bytes));
    return { quality: 'good', value: text.replace(/ +$/, '') };
  } catch {
    return {
      quality: 'bad',
      value: null,
      reason: `not ${encoding} text`,
      shown: bytes.map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(' '),
    };
  }
}

/** Register words of a text, filled up with NUL. Undefined when it does not fit or cannot be written in that encoding. */
export function encodeText(text: string, shape: ValueShape): number[] | undefined {
  const encoding: StringEncoding = shape.encoding ?? 'utf-8';
  if (encoding === 'gbk') return undefined; // no encoder in every host: refused rather than mangled
  const limit = encoding === 'ascii' ? 127 : 255;
  const bytes = encoding === 'utf-8' ? [...new TextEncoder().encode(text)] : [...text].map((character) => character.codePointAt(0)!);
  const length = shape.length ?? 0;
  if (bytes.length > length || bytes.some((byte) => byte > limit || byte === 0)) return undefined;
  while (bytes.length < length) bytes.push(0);
  const place = shape.stringShape ?? 'high-first';
  if (place === 'high-only') return bytes.map((byte) => byte << 8);
  if (place === 'low-only') return bytes;
  if (bytes.length % 2) bytes.push(0);
  const words: number[] = [];
  for (let i = 0; i < bytes.length; i += 2)
    words.push(place === 'high-first' ? (bytes[i]! << 8) | bytes[i + 1]! : (bytes[i + 1]! << 8) | bytes[i]!);
  return words;
}
