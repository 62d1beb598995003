import chardet from 'chardet';
import iconv from 'iconv-lite';

export type Encoding = { name: string; bom: boolean };

/**
 * The encoding of a text by its beginning: byte order mark, then zero bytes (UTF-16 without a mark), then whether it is
 * valid UTF-8, and only then statistics, which are good at Chinese but wrong about short Latin texts.
 */
export function detectEncoding(head: Uint8Array): Encoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { name: 'utf8', bom: true };
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf16le', bom: true };
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf16be', bom: true };
  const zeros = [0, 0];
  const looked = Math.min(head.length, 4096) & ~1;
  for (let i = 0; i < looked; i++) if (head[i] === 0) zeros[i & 1]!++;
  if (zeros[1]! > looked / 6 && zeros[0]! < zeros[1]! / 10) return { name: 'utf16le', bom: false };
  if (zeros[0]! > looked / 6 && zeros[1]! < zeros[0]! / 10) return { name: 'utf16be', bom: false };
  if (isUtf8(head)) return { name: 'utf8', bom: false };
  const east = eastAsian(head);
  if (east !== null) return { name: east, bom: false };
  const best = chardet.analyse(head).find((guess) => !/GB18030|GBK|GB2312|Big5|UTF/i.test(guess.name) && iconv.encodingExists(guess.name));
  return { name: best?.name ?? 'windows-1252', bom: false };
}

/**
 * Chinese by its byte pairs. A plant system's table is mostly digits with a few GBK words, too few for statistics (they say
 * Big5). GB2312 keeps its words at B0-F7, A1-FE, which Big5 text hits for barely half of its pairs; a Latin text has single
 * high bytes between letters.
 */
function eastAsian(head: Uint8Array): 'gb18030' | 'big5' | null {
  let pairs = 0;
  let inGb2312 = 0;
  let lonely = 0;
  for (let i = 0; i < head.length; i++) {
    const lead = head[i]!;
    if (lead < 0x80) continue;
    const trail = head[i + 1];
    if (trail === undefined) break;
    if (lead < 0x81 || trail < 0x40 || trail === 0x7f || trail === 0xff) lonely++;
    else {
      pairs++;
      if (trail < 0x80 && (head[i - 1] ?? 0) < 0x80) lonely += 0.5;
      if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1) inGb2312++;
    }
    i++;
  }
  if (pairs === 0 || lonely > (pairs + lonely) * 0.4) return null;
  return inGb2312 >= pairs * 0.8 ? 'gb18030' : 'big5';
}

/** Valid UTF-8, but for a sequence that the end of the piece cut. */
function isUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Bytes to text piece by piece, in constant memory. */
export function createDecoder(encoding: Encoding): { write(bytes: Uint8Array): string; end(): string } {
  const decoder = iconv.getDecoder(encoding.name, { stripBOM: true });
  return { write: (bytes) => decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)), end: () => decoder.end() ?? '' };
}
