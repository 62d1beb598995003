import type { WordOrder } from '../contracts/plant.ts';

/**
 * The bytes of a value as they arrive, brought to big-endian (and back: each order is its own inverse).
 * 123456.0 = 47F12000h arrives as 47F1 2000 (ABCD), 2000 47F1 (CDAB), F147 0020 (BADC), 0020 F147 (DCBA). Names in the
 * field are unreliable (a well-known library calls DCBA "abcd"), bytes are not: these four are defined by the bytes.
 */
export function bytesInOrder(words: readonly number[], order: WordOrder): Uint8Array {
  const bytes = new Uint8Array(words.length * 2);
  const swapWords = order === 'CDAB' || order === 'DCBA';
  const swapBytes = order === 'BADC' || order === 'DCBA';
  for (let i = 0; i < words.length; i++) {
    const word = words[swapWords ? words.length - 1 - i : i]!;
    bytes[2 * i] = swapBytes ? word : word >>> 8;
    bytes[2 * i + 1] = swapBytes ? word >>> 8 : word;
  }
  return bytes;
}

export function wordsInOrder(bytes: Uint8Array, order: WordOrder): number[] {
  const words: number[] = [];
  for (let i = 0; i < bytes.length; i += 2) words.push((bytes[i]! << 8) | bytes[i + 1]!);
  const arranged = bytesInOrder(words, order);
  return words.map((_, i) => (arranged[2 * i]! << 8) | arranged[2 * i + 1]!);
}

export const wordOrders: readonly WordOrder[] = ['ABCD', 'CDAB', 'BADC', 'DCBA'];

/** What manuals and other programs call the four orders. */
const synonyms: Readonly<Record<string, WordOrder>> = {
  abcd: 'ABCD',
  abcdefgh: 'ABCD',
  be: 'ABCD',
  'big endian': 'ABCD',
  bigendian: 'ABCD',
  be_be: 'ABCD',
  'msw first': 'ABCD',
  motorola: 'ABCD',
  '#bb': 'ABCD',
  none: 'ABCD',
  '1234': 'ABCD',
  '12345678': 'ABCD',
  大端: 'ABCD',
  cdab: 'CDAB',
  ghefcdab: 'CDAB',
  word: 'CDAB',
  'swapped fp': 'CDAB',
  'lsw first': 'CDAB',
  'low word first': 'CDAB',
  be_le: 'CDAB',
  '#bl': 'CDAB',
  sw: 'CDAB',
  '3412': 'CDAB',
  '78563412': 'CDAB',
  'little endian with byte swap': 'CDAB',
  低字在前: 'CDAB',
  badc: 'BADC',
  badcfehg: 'BADC',
  byte: 'BADC',
  '#lb': 'BADC',
  sb: 'BADC',
  '2143': 'BADC',
  '21436587': 'BADC',
  'big endian with byte swap': 'BADC',
  dcba: 'DCBA',
  hgfedcba: 'DCBA',
  le: 'DCBA',
  'little endian': 'DCBA',
  littleendian: 'DCBA',
  le_le: 'DCBA',
  intel: 'DCBA',
  word_byte: 'DCBA',
  '#ll': 'DCBA',
  '4321': 'DCBA',
  '87654321': 'DCBA',
  小端: 'DCBA',
};

/** The order a name means, or undefined: an unknown name is never read as the default. */
export function parseWordOrder(name: string): WordOrder | undefined {
  return synonyms[
    name
      .trim()
      .toLowerCase()
      .replace(/[-\s]+/g, ' ')
  ];
}
