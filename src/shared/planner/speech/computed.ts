import type { PlanInput, PlannerEvent } from '../../contracts/agent.ts';
import type { Lang } from '../../errors.ts';
import { interpret } from '../interpret.ts';
import type { Interpretation, World } from '../types.ts';
import { isRow, numberOf, rowsOf, showNumber, showTime, textOf } from './show.ts';

// Requests that compute over values read now: "difference between tank 1 level and tank 2 level", "average of registers 0
// to 9". The values are read by the usual tool, the arithmetic is done by a program in the sandbox, and the answer shows both.

type Fn = 'difference' | 'sum' | 'avg' | 'max' | 'min';
type Value = { label: string; value: number; unit: string };

const words: readonly { fn: Fn; pattern: RegExp; tags: boolean }[] = [
  {
    fn: 'difference',
    pattern: /\b(?:the )?(?:differences?|deltas?|gap)\b(?: between| of)?|相差|差值|之差|的差(?![压])|差多少|差了?多少|差几/iu,
    tags: true,
  },
  { fn: 'sum', pattern: /\b(?:the )?(?:sum|total) of\b|\badded up\b|总和|之和|合计|加起来|相加/iu, tags: true },
  // With tags these ask for the past (aggregate); over registers there is no past, only what is read now.
  { fn: 'avg', pattern: /\b(?:the )?(?:average|mean)(?: value)?(?: of)?\b|平均值?|均值/iu, tags: false },
  { fn: 'max', pattern: /\b(?:the )?(?:max(?:imum)?|highest|largest)(?: value)?(?: of)?\b|最大值?|最高值?/iu, tags: false },
  { fn: 'min', pattern: /\b(?:the )?(?:min(?:imum)?|lowest|smallest)(?: value)?(?: of)?\b|最小值?|最低值?/iu, tags: false },
];

/**
 * Null where the request computes nothing. Otherwise the next step: read, compute in the sandbox, say. A bad or missing value is
 * never computed with: the answer then names it.
 */
export function computedStep(
  meant: Interpretation,
  input: Pick<PlanInput, 'lang' | 'results' | 'world'> & Partial<Pick<PlanInput, 'text'>>,
): PlannerEvent | null {
  const { text = '', world, lang, results } = input;
  const asked = computation(text, meant, world, lang);
  if (asked === null) return null;
  const { fn, read } = asked;
  const [first, second] = results;
  if (first === undefined) return { type: 'calls', calls: [{ callId: 'c1', tool: read.intent, args: read.params }], last: false };
  if (!first.result.ok) return null; // the usual answer names the failure
  const values = valuesOf(first.result.result, lang);
  if (typeof values === 'string') return { type: 'answer', text: values };
  if (new Set(values.map((v) => v.unit)).size > 1)
    return {
      type: 'answer',
      text:
        lang === 'zh'
          ? `这些值的单位不同（${values.map((v) => `${v.label} ${v.unit}`).join('、')}），不能这样计算。`
          : `These values have different units (${values.map((v) => `${v.label} ${v.unit}`).join(', ')}), so this cannot be computed.`,
    };
  if (second === undefined) return { type: 'code', lang: 'javascript', code: program(fn, values), last: false };
  const output = isRow(second.result.result) && isRow(second.result.result.output) ? numberOf(second.result.result.output.data) : null;
  if (!second.result.ok || output === null) {
    const error = second.result.error;
    return { type: 'answer', text: error === null ? resultWords(null, fn, values, lang) : `${error.message} ${error.advice}` };
  }
  return { type: 'answer', text: resultWords(output, fn, values, lang, readAtOf(first.result.result)) };
}

function computation(text: string, meant: Interpretation, world: World, lang: Lang): { fn: Fn; read: Interpretation } | null {
  if (['tag_write', 'modbus_write', 'undo', 'refuse', 'multi', 'trend', 'help', 'explain_error'].includes(meant.intent)) return null;
  const found = words.find(({ pattern }) => pattern.test(text));
  if (!found) return null;
  // What is left when the word of arithmetic is taken out must be a plain, complete read of several values.
  const rest = text.replace(found.pattern, ' ').replace(/\b(?:what is|what's)\s+the\b/i, 'what is');
  const read = meant.intent === 'modbus_read' && !meant.needs_clarification ? meant : interpret(rest, world, undefined, lang);
  if (read.needs_clarification) return null;
  const tags = Array.isArray(read.params.tags) ? read.params.tags.length : 0;
  if (read.intent === 'tag_read' && found.tags && (found.fn === 'difference' ? tags === 2 : tags >= 2)) return { fn: found.fn, read };
  const isRegisters = read.intent === 'modbus_read' && (read.params.table === 'holding' || read.params.table === 'input');
  const count = numberOf(read.params.count) ?? 0;
  return isRegisters && (found.fn === 'difference' ? count === 2 : count >= 2) ? { fn: found.fn, read } : null;
}

/** Values as numbers with label and unit, or the sentence that says which one cannot be used. */
function valuesOf(result: unknown, lang: Lang): Value[] | string {
  const readings = rowsOf(result, 'readings');
  const rows = readings.length > 0 ? readings : rowsOf(result, 'values');
  const plain = isRow(result) && Array.isArray(result.values) && rows.length === 0 ? (result.values as unknown[]) : [];
  const all: { label: string; value: unknown; unit: string; good: boolean }[] =
    rows.length > 0
      ? rows.map((row) => ({
          label: readings.length > 0 ? textOf(row.tag) : textOf(row.reference) || textOf(row.address),
          value: row.value,
          unit: textOf(row.unit),
          good: row.quality === undefined || row.quality === 'good',
        }))
      : plain.map((value, i) => ({ label: `[${i}]`, value, unit: '', good: true }));
  const bad = all.find((v) => !v.good || numberOf(v.value) === null);
  if (all.length === 0 || bad)
    return lang === 'zh'
      ? `${bad?.label ?? ''} 没有可靠的当前值，未作计算。`
      : `${bad?.label ?? 'It'} has no reliable present value, so nothing was computed.`;
  return all.map(({ label, value, unit }) => ({ label, value: numberOf(value)!, unit }));
}

/** The program: the values as literals, one expression, dust of binary fractions cut off. */
function program(fn: Fn, values: readonly Value[]): string {
  const list = JSON.stringify(values.map((v) => v.value));
  const expression: Record<Fn, string> = {
    difference: 'values[0] - values[1]',
    sum: 'values.reduce((a, b) => a + b, 0)',
    avg: 'values.reduce((a, b) => a + b, 0) / values.length',
    max: 'Math.max(...values)',
    min: 'Math.min(...values)',
  };
  return `const values = ${list};\nresult = Number((${expression[fn]}).toPrecision(12));\n`;
}

const fnWords: Record<Fn, Record<Lang, string>> = {
  difference: { en: 'Difference', zh: '差值' },
  sum: { en: 'Sum', zh: '总和' },
  avg: { en: 'Average', zh: '平均值' },
  max: { en: 'Highest', zh: '最大值' },
  min: { en: 'Lowest', zh: '最小值' },
};

function resultWords(output: number | null, fn: Fn, values: readonly Value[], lang: Lang, at = ''): string {
  if (output === null) return lang === 'zh' ? '计算没有给出结果。' : 'The computation gave no result.';
  const unit = values[0]!.unit === '' ? '' : ` ${values[0]!.unit}`;
  const sign: Record<Fn, string> = { difference: ' − ', sum: ' + ', avg: ', ', max: ', ', min: ', ' };
  const list = values.length <= 12 ? values.map((v) => `${v.label} ${showNumber(v.value)}${unit}`).join(sign[fn]) : '';
  const when = at === '' ? '' : lang === 'zh' ? `${showTime(at)} 读取` : `read at ${showTime(at)}`;
  const detail = [list, when].filter((part) => part !== '').join(lang === 'zh' ? '；' : '; ');
  const end = detail === '' ? '' : lang === 'zh' ? `（${detail}）` : ` (${detail})`;
  return lang === 'zh'
    ? `${fnWords[fn].zh}：${showNumber(output)}${unit}${end}。`
    : `${fnWords[fn].en}: ${showNumber(output)}${unit}${end}.`;
}

function readAtOf(result: unknown): string {
  const own = isRow(result) ? textOf(result.read_at) : '';
  return own || textOf(rowsOf(result, 'readings')[0]?.read_at);
}
