/** Makes a program's bytes safe to show: well-formed Unicode, no control sequences for a terminal, no hidden direction marks. */
const PICTURES = 0x2400;

export function readable(text: string): string {
  let out = '';
  for (const char of text.toWellFormed()) {
    const code = char.codePointAt(0)!;
    if (char === '\n' || char === '\t') out += char;
    else if (code < 0x20) out += String.fromCharCode(PICTURES + code);
    else if (code === 0x7f) out += '\u2421';
    else if ((code >= 0x80 && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) out += '\ufffd';
    else out += char;
  }
  return out;
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
export const decodeStream = (bytes: Uint8Array): string => readable(decoder.decode(bytes).replaceAll('\r\n', '\n'));
