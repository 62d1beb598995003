import { HandrailError } from '../../shared/errors.ts';
import { createEventCounts } from './eventCounts.ts';
import { createLineReader } from './lines.ts';
import { dateOrderOf, timeInLine } from './times.ts';
import { deviceIn, topicsOf, unitIn } from './topics.ts';
import { createConversation } from './traffic/conversation.ts';
import type { LogQuestion, PartialAnswer } from './types.ts';

export type Reading = { write(text: string): Promise<void>; end(): Promise<PartialAnswer> };

/** A log line by line: its time, what it is about by its words, and the frame it shows where it shows one. */
export function readLog(sample: string, question: LogQuestion, range: { from: number; to: number; isAsked: boolean }): Reading {
  const counts = createEventCounts(question, range);
  const notes = new Set<string>();
  const order = dateOrderOf(
    sample
      .split(/\r\n|\n|\r/)
      .slice(0, 200)
      .map((line) => /\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.exec(line.slice(0, 60))?.[0] ?? ''),
  );
  if (order === null) notes.add('date-order-ambiguous');
  let lines = 0;
  let rows = 0;
  let lastAt: number | null = null;
  const traffic = createConversation((missed) =>
    counts.add({
      line: missed.line,
      at: missed.at,
      topics: ['timeout'],
      device: null,
      unit: missed.unit,
      text: `no answer before the next request: ${missed.text}`,
      isDerived: true,
    }),
  );
  const reader = createLineReader((text) => {
    lines++;
    if (text.trim() === '') return;
    rows++;
    const time = timeInLine(text, order ?? 'dmy');
    if (time) {
      lastAt = time.at;
      if (!time.hasDate) notes.add('no-dates');
    } else notes.add('untimed-lines');
    const said = topicsOf(text);
    const frame = traffic.take(text, lastAt, lines);
    // In a line with a frame the frame speaks: "Modbus write: 01 03 ..." is a word about the wire, not a write to the plant.
    const topics = frame ? [...new Set([...frame.topics, ...said.filter((t) => t !== 'write')])] : said;
    const silentUnit = !frame && said.includes('timeout') ? traffic.timedOut() : null;
    // A line without a time of its own belongs to the one before it (a stack trace, a hex row).
    counts.add({
      line: lines,
      at: lastAt,
      topics,
      device: deviceIn(text),
      unit: frame?.unit ?? unitIn(text) ?? silentUnit,
      text: text.trim(),
    });
  });
  return {
    async write(text) {
      reader.write(text);
    },
    async end() {
      reader.end();
      if (question.action === 'column')
        throw new HandrailError('ARGS_INVALID', {
          detail: { reason: 'the file is a log of lines, not a table with columns' },
          message: { en: 'The file is a log of lines; it has no columns to take a value from.', zh: '该文件是逐行日志，没有可取值的列。' },
        });
      const shapes = traffic.shapes();
      return {
        source: { kind: 'log', dialect: shapes.length > 0 ? `traffic (${shapes.join(', ')})` : 'lines', lines, rows, ...counts.span() },
        ...counts.result(),
        columns: [],
        column: null,
        traffic: traffic.summary(),
        notes: [...notes],
      };
    },
  };
}
