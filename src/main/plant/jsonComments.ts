/** A place in a text, as editors count: from 1. */
export const placeAt = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
};

/**
 * Blanks out comments and trailing commas, character for character, so that every place in the result is the same place
 * in the original and an error can name its line.
 */
export function blankComments(text: string): string {
  let out = '';
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (at === 1) out = ' ';
  const blank = (piece: string) => piece.replace(/[^\n\r]/g, ' ');
  while (at < text.length) {
    const two = text.slice(at, at + 2);
    let end = at + 1;
    if (text[at] === '"') {
      while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      end++;
      out += text.slice(at, end);
    } else if (two === '//') {
      while (end < text.length && text[end] !== '\n') end++;
      out += blank(text.slice(at, end));
    } else if (two === '/*') {
      const close = text.indexOf('*/', at + 2);
      if (close < 0) return out + text.slice(at);
      end = close + 2;
      out += blank(text.slice(at, end));
    } else out += text[at];
    at = end;
  }
  return blankTrailingCommas(out);
}

function blankTrailingCommas(text: string): string {
  // Strings are matched first and kept, so a comma inside one is never touched.
  return text.replace(/"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])/g, (match) => (match === ',' ? ' ' : match));
}
