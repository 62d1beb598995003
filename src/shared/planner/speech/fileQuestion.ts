import type { PlanInput, PlannerEvent } from '../../contracts/agent.ts';
import type { Lang } from '../../errors.ts';
import type { Interpretation } from '../types.ts';
import { isRow, numberOf, rowsOf, showNumber, showTime, textOf, type Row } from './show.ts';

// Questions about a column of a file that came with the words: "日志里温度最高是多少", "how many rows", "average pressure".

type Fn = 'max' | 'min' | 'avg' | 'sum' | 'rows';
const fns: readonly [Fn, RegExp][] = [
  ['max', /\b(?:max(?:imum)?|highest|peak|largest|hottest|top)\b|最高|最大|峰值/iu],
  ['min', /\b(?:min(?:imum)?|lowest|smallest|coldest)\b|最低|最小/iu],
  ['avg', /\b(?:average|mean|avg)\b|平均|均值/iu],
  ['sum', /\b(?:sum|total of)\b|总和|合计/iu],
  ['rows', /\bhow many (?:rows|lines|records|entries|samples|points)\b|多少(?:行|条|个点)|几(?:行|条)|行数/iu],
];
/** Words of a quantity in both languages and in column heads: what a head means is often written shorter than what is asked. */
const quantities: readonly RegExp[] = [
  /temp(?:erature)?|温度|炉温/iu,
  /press(?:ure)?|压力/iu,
  /level|液位|水位/iu,
  /flow|流量/iu,
  /current|电流/iu,
  /freq(?:uency)?|频率/iu,
  /power|功率/iu,
  /speed|转速|速度|线速/iu,
  /volt(?:age)?|电压/iu,
  /humid(?:ity)?|湿度/iu,
  /energy|电量|能耗/iu,
];

/** Null where the words ask for nothing in the file; else: read the file, then answer from its columns or ask which one. */
export function fileStep(
  meant: Interpretation,
  input: Pick<PlanInput, 'lang' | 'results'> & Partial<Pick<PlanInput, 'text' | 'files'>>,
): PlannerEvent | null {
  const { text = '', files = [], lang, results } = input;
  const file = files.find((name) => text.includes(name)) ?? files[0];
  const fn = fns.find(([, pattern]) => pattern.test(text))?.[0];
  const isAct = ['tag_write', 'modbus_write', 'undo', 'refuse', 'multi', 'help'].includes(meant.intent);
  if (file === undefined || fn === undefined || isAct) return null;
  const done = results[0];
  if (done === undefined) {
    const { from, to } = meant.intent === 'analyze_log' ? meant.params : {};
    const times = Object.fromEntries(Object.entries({ from, to }).filter(([, value]) => typeof value === 'string'));
    return {
      type: 'calls',
      calls: [{ callId: 'c1', tool: 'analyze_log', args: { action: 'summarize', topic: 'any', file, ...times } }],
      last: false,
    };
  }
  if (!done.result.ok || !isRow(done.result.result)) return null;
  const result = done.result.result;
  if (fn === 'rows') return { type: 'answer', text: rowsAnswer(result, file, lang) };
  const columns = rowsOf(result, 'columns');
  if (columns.length === 0) return { type: 'answer', text: lang === 'zh' ? `${file} 里没有数值列。` : `${file} has no column of numbers.` };
  const fitting = columnsFor(text.replace(file, ' '), columns);
  const [column] = fitting;
  if (column === undefined || fitting.length > 1) {
    const choices = (fitting.length > 1 ? fitting : columns).slice(0, 12).map((c) => textOf(c.name));
    return {
      type: 'clarify',
      question: lang === 'zh' ? `${file} 里是哪一列？` : `Which column of ${file}?`,
      candidates: choices.map((name) => ({ value: name, label: name })),
      reason: 'ambiguous_tag',
    };
  }
  return { type: 'answer', text: columnAnswer(column, fn, file, lang) };
}

/** The columns that the words name: by their head first, else by the quantity that head and words share; a lone column needs no name. */
function columnsFor(words: string, columns: readonly Row[]): readonly Row[] {
  const said = words.toLowerCase();
  const named = columns.filter((c) => bareName(c) !== '' && said.includes(bareName(c)));
  const longest = Math.max(0, ...named.map((c) => bareName(c).length));
  const best = named.filter((c) => bareName(c).length === longest);
  if (best.length > 0) return best;
  const asked = quantities.filter((q) => q.test(said));
  if (asked.length > 0) return columns.filter((c) => asked.some((q) => q.test(textOf(c.name))));
  return columns.length === 1 ? columns : [];
}
const bareName = (c: Row): string =>
  textOf(c.name)
    .toLowerCase()
    .replace(/[([（/].*$/u, '')
    .trim();

function columnAnswer(c: Row, fn: Exclude<Fn, 'rows'>, file: string, lang: Lang): string {
  const value = numberOf(c[fn]);
  const name = textOf(c.name);
  if (value === null) return lang === 'zh' ? `${file} 的 ${name} 列没有可用的数值。` : `Column ${name} of ${file} has no usable number.`;
  const unit = textOf(c.unit) === '' ? '' : ` ${textOf(c.unit)}`;
  const at = fn === 'max' || fn === 'min' ? textOf(c[`${fn}_at`]) : '';
  const skipped = (numberOf(c.missing) ?? 0) + (numberOf(c.unreadable) ?? 0);
  const fnWords = { max: ['最高', 'highest'], min: ['最低', 'lowest'], avg: ['平均', 'average'], sum: ['总和', 'sum'] }[fn];
  const count = numberOf(c.count) ?? 0;
  if (lang === 'zh') {
    const when = at === '' ? '' : `，时间 ${showTime(at, true)}`;
    return `${file} 中 ${name} ${fnWords[0]}：${showNumber(value)}${unit}${when}（${count} 个值${skipped > 0 ? `，另有 ${skipped} 个缺失或无法读取` : ''}）。`;
  }
  const when = at === '' ? '' : ` at ${showTime(at, true)}`;
  return `In ${file} the ${fnWords[1]} ${name} is ${showNumber(value)}${unit}${when} (${count} values${skipped > 0 ? `, ${skipped} more missing or unreadable` : ''}).`;
}

function rowsAnswer(result: Row, file: string, lang: Lang): string {
  const source = isRow(result.source) ? result.source : {};
  const rows = numberOf(source.rows) ?? 0;
  const [from, to] = [textOf(source.first_time), textOf(source.last_time)];
  const span =
    from === ''
      ? ''
      : lang === 'zh'
        ? `，${showTime(from, true)} 至 ${showTime(to, true)}`
        : `, ${showTime(from, true)} to ${showTime(to, true)}`;
  return lang === 'zh' ? `${file} 有 ${rows} 行${span}。` : `${file} has ${rows} rows${span}.`;
}
