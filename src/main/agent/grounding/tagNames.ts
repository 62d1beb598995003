import type { SourceNumber } from './sources.ts';

/** Tags with the words a person or a model may use for them. */
export type TagNames = readonly { name: string; aliases: readonly string[] }[];

/** The words of a quantity at the end of a name, which an answer leaves out: "tank 1" for "tank 1 level". */
const quantity = /(level|temperature|temp|pressure|frequency|freq|flow|current|speed|power|液位|温度|压力|频率|流量|电流|速度|功率|开度)$/;

/**
 * Which of the tags that were read a number is said of. Only words that name exactly one of them tell; null otherwise (two names
 * before "61 % and 38 %"), so that the number is then looked for among all.
 */
export function tagsNamed(names: TagNames, numbers: readonly SourceNumber[]): (text: string) => string | null {
  const read = new Set(numbers.flatMap((n) => (n.tag === null ? [] : [n.tag])));
  if (read.size < 2) return () => null;
  const full = [...read].flatMap((tag) =>
    [tag, ...(names.find((n) => n.name === tag)?.aliases ?? [])].map((word) => ({ tag, word: folded(word) })),
  );
  const short = full.map(({ tag, word }) => ({ tag, word: word.replace(quantity, '') })).filter(({ word }) => word.length > 1);
  const own = short.filter((s) => full.every((w) => w.tag === s.tag || !w.word.includes(s.word)));
  // The longest first, so that the setpoint's name is not taken for the value's.
  const words = [...full, ...own].sort((a, b) => b.word.length - a.word.length);
  return (text) => {
    let rest = folded(text);
    const hits = new Set<string>();
    for (const { tag, word } of words) {
      const at = placeOf(rest, word);
      if (at < 0) continue;
      hits.add(tag);
      rest = `${rest.slice(0, at)} ${rest.slice(at + word.length)}`;
    }
    return hits.size === 1 ? [...hits][0]! : null;
  };
}

/** Negative: not there. "tank 1" is not in "tank 12". */
function placeOf(text: string, word: string): number {
  const at = text.indexOf(word);
  const grows = (/\d$/.test(word) && /\d/.test(text[at + word.length] ?? '')) || (/^\d/.test(word) && /\d/.test(text[at - 1] ?? ''));
  return grows ? -1 : at;
}

/** The words that may say what a number is said of: those behind it ("38 % in tank 2"), else those since the number before. */
export function wordsAbout(
  text: string,
  stated: { start: number; end: number },
  previousEnd: number,
  nextStart: number,
): { before: string; behind: string } {
  const from = Math.max(previousEnd, stated.start - 160);
  let before = (
    text
      .slice(from, stated.start)
      .split(/[;；。!?！？\n]|\.\s/)
      .at(-1) ?? ''
  ).trimStart();
  // "38 % for tank 1 and 61 %": the name belongs to the number before.
  if (previousEnd > 0 && /^[^\s,，]{0,4}\s?(for|in|of|at|on)\b|^[^\s,，]{0,4}\s?[(（]/.test(text.slice(previousEnd, stated.start)))
    before = /(?:[,，、)）]|\band\b)(.*)$/s.exec(before)?.[1] ?? '';
  const behind =
    /^\s?\S{0,4}\s?(?:(?:for|in|of|at|on)\b|[(（])[^,，;；。\n]*/.exec(text.slice(stated.end, Math.min(nextStart, stated.end + 60)))?.[0] ??
    '';
  return { before, behind: behind.replace(/\band\b.*$/s, '') };
}

const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_#号-]/g, '');
