/** A part of an answer by its place in the text, so that the marks of numbers keep their offsets. */
export type Span = { start: number; end: number };
export type AnswerBlock = ({ kind: 'text' } & Span) | { kind: 'table'; head: Span[]; rows: Span[][]; start: number };

const isRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);
const isRule = (line: string): boolean => /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);

/** Splits an answer into text and tables (the pipe form that planners and models write). A half-written table stays text while it streams. */
export function answerBlocks(text: string): AnswerBlock[] {
  const lines: Span[] = [];
  for (let start = 0; start <= text.length;) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    lines.push({ start, end });
    start = end + 1;
  }
  const lineText = (line: Span | undefined): string => (line === undefined ? '' : text.slice(line.start, line.end));
  const blocks: AnswerBlock[] = [];
  for (let i = 0; i < lines.length;) {
    if (isRow(lineText(lines[i])) && isRule(lineText(lines[i + 1]))) {
      let end = i + 2;
      while (end < lines.length && isRow(lineText(lines[end]))) end++;
      blocks.push({
        kind: 'table',
        start: lines[i]!.start,
        head: cells(text, lines[i]!),
        rows: lines.slice(i + 2, end).map((line) => cells(text, line)),
      });
      i = end;
      continue;
    }
    const last = blocks.at(-1);
    if (last?.kind === 'text') last.end = lines[i]!.end;
    else blocks.push({ kind: 'text', ...lines[i]! });
    i++;
  }
  return blocks.filter((block) => block.kind === 'table' || text.slice(block.start, block.end).trim() !== '');
}

/** The cells between the pipes of one line, without their padding; an escaped pipe belongs to its cell. */
function cells(text: string, line: Span): Span[] {
  const bars: number[] = [];
  for (let at = line.start; at < line.end; at++) if (text[at] === '|' && text[at - 1] !== '\\') bars.push(at);
  return bars.slice(0, -1).map((bar, i) => {
    let [start, end] = [bar + 1, bars[i + 1]!];
    while (start < end && text[start] === ' ') start++;
    while (end > start && text[end - 1] === ' ') end--;
    return { start, end };
  });
}
