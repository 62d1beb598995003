// Terms for the full-text index. Chinese has no blanks and two-character words are the rule (电机, 压力), which the trigram
// index of SQLite cannot find; so a run of Han or kana characters is indexed as overlapping pairs plus its last character.
// A word of n characters is then a phrase of n-1 pairs, one character is a prefix, and everything else goes by words.

const pieces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々〆]+|[\p{Letter}\p{Number}]+/gu;
const paired = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々〆]/u;
/** Longer than any word or tag part; keeps base64 and the like out of the index. */
const maxWord = 48;
const latin = /[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々〆]+/gu;

export function indexTerms(text: string): string {
  const terms: string[] = [];
  for (const piece of split(text)) {
    if (!paired.test(piece)) {
      if (piece.length <= maxWord) terms.push(piece);
      continue;
    }
    const chars = [...piece];
    for (let i = 0; i + 1 < chars.length; i++) terms.push(chars[i]! + chars[i + 1]!);
    terms.push(chars.at(-1)!);
  }
  return terms.join(' ');
}

/** An FTS5 expression for what a person typed: all of its pieces, the last word as a prefix. Empty: nothing to look for. */
export function searchExpression(text: string): string {
  const found = split(text);
  return found
    .map((piece, i) => {
      if (!paired.test(piece)) return `"${piece}"${i === found.length - 1 ? '*' : ''}`;
      const chars = [...piece];
      if (chars.length === 1) return `"${piece}"*`;
      const pairs: string[] = [];
      for (let k = 0; k + 1 < chars.length; k++) pairs.push(chars[k]! + chars[k + 1]!);
      return `"${pairs.join(' ')}"`;
    })
    .join(' AND ');
}

/** Runs of one kind each: "3号泵P101" is 3, 号泵, P101. Full-width letters and digits are folded first. */
function split(text: string): string[] {
  const out: string[] = [];
  for (const [piece] of text.normalize('NFKC').toLowerCase().matchAll(pieces)) {
    if (paired.test(piece)) out.push(piece);
    else out.push(...(piece.match(latin) ?? []), ...(piece.match(/[\p{Script=Han}]+/gu) ?? []));
  }
  return out;
}
