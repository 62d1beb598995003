import type { PlannedCall, PlanInput, PlannerEvent, TurnReport } from '../../contracts/agent.ts';
import type { CallEnvelope, ResultEnvelope } from '../../contracts/calls.ts';
import { HandrailError, type Lang, type WireError } from '../../errors.ts';
import { roundSmall } from '../numbers.ts';
import type { Interpretation, World } from '../types.ts';
import { addressesOf, saysNow, subnetScanSeconds } from '../../scanWords.ts';
import { vocabularyOf } from '../vocabulary.ts';
import { explain, sayResult } from './answers.ts';
import { computedStep } from './computed.ts';
import { fileStep } from './fileQuestion.ts';
import { helpText, question, refusalText, unknownText } from './questions.ts';
import { isRow, numberOf, rowsOf, textOf } from './show.ts';

export type Done = { readonly call: CallEnvelope; readonly result: ResultEnvelope };
type Single = { intent: string; params: Record<string, unknown> };

/**
 * The next thing to do for what was meant, given what has come back in this turn: pure, so that a turn can be told from its
 * record. One call at a time; a failure ends the turn with its diagnosis; nothing after a failed step is done.
 */
export function nextStep(
  meant: Interpretation,
  input: Pick<PlanInput, 'lang' | 'results' | 'world'> & Partial<Pick<PlanInput, 'text' | 'files'>>,
): PlannerEvent {
  const own = fileStep(meant, input) ?? computedStep(meant, input) ?? subnetStep(meant, input);
  if (own !== null) return own;
  const { lang, world, results } = input;
  if (meant.intent === 'refuse') return refusal(meant, lang);
  if (meant.needs_clarification) return { type: 'clarify', ...question(meant, world, lang), reason: meant.reason };
  if (meant.intent === 'unknown') return { type: 'answer', text: unknownText(meant.reason, lang) };
  const singles: Single[] = meant.intent === 'multi' ? (meant.params.steps as Single[]) : [{ intent: meant.intent, params: meant.params }];
  const said: string[] = [];
  const shows: TurnReport['shows'] = [];
  const ended = (error: WireError | null): PlannerEvent => ({
    type: 'answer',
    text: said.filter((x) => x !== '').join('\n\n'),
    ...(error === null ? {} : { error }),
    ...(shows.length > 0 ? { shows } : {}),
  });
  let at = 0;
  for (const unit of unitsOf(singles)) {
    const step = isWrite(unit[0]!) ? writesStep(unit, results.slice(at), world, lang) : stepOf(unit[0]!, results.slice(at), lang);
    if (step.do === 'say') {
      said.push(step.text);
      continue;
    }
    for (const [i, done] of results.slice(at, at + step.taken).entries()) {
      if (done.result.ok) {
        if (step.do === 'answer') said.push(...(step.texts[i] ?? []));
        continue;
      }
      const { error } = done.result;
      said.push(error === null ? '' : `${error.message} ${error.advice}`.trim());
      return ended(error);
    }
    at += step.taken;
    if (step.do === 'ask') return { type: 'clarify', ...question(step.meant, world, lang), reason: step.meant.reason };
    if (step.do === 'call')
      return { type: 'calls', calls: step.calls.map((call, i) => ({ callId: `c${results.length + 1 + i}`, ...call })), last: false };
    if (step.do === 'stop') {
      said.push(step.text);
      return ended(null);
    }
    if (step.show) shows.push(step.show);
  }
  return ended(null);
}

/** A subnet is scanned only after asking, with how many addresses and how long. */
function subnetStep(meant: Interpretation, { lang, text = '' }: { lang: Lang; text?: string | undefined }): PlannerEvent | null {
  const subnet = meant.intent === 'scan_devices' && !meant.needs_clarification ? textOf(meant.params.subnet) : '';
  const addresses = subnet === '' ? null : addressesOf(subnet);
  if (addresses === null || saysNow(text)) return null;
  const seconds = subnetScanSeconds(addresses);
  const [question, now] =
    lang === 'zh'
      ? [`扫描 ${subnet} 将连接 ${addresses} 个地址，约需 ${seconds} 秒。现在开始吗？`, `现在扫描 ${subnet}`]
      : [`Scanning ${subnet} opens connections to ${addresses} addresses and takes about ${seconds} s. Start it?`, `scan ${subnet} now`];
  return { type: 'clarify', question, candidates: [{ value: now, label: now }], reason: null };
}

const isWrite = ({ intent }: Single): boolean => intent === 'modbus_write' || intent === 'tag_write';

/**
 * Writes that follow each other are one request to a person: all on one card, in order, stopped at the first that is not
 * confirmed. Everything else is done one by one.
 */
function unitsOf(singles: readonly Single[]): Single[][] {
  const units: Single[][] = [];
  for (const single of singles) {
    const last = units.at(-1);
    if (last !== undefined && isWrite(single) && isWrite(last[0]!)) last.push(single);
    else units.push([single]);
  }
  return units;
}

type Call = { tool: string; args: Record<string, unknown> };
type Step =
  | { do: 'say'; text: string }
  | { do: 'call'; calls: Call[]; taken: number }
  | { do: 'ask'; meant: Interpretation; taken: number }
  /** Nothing that was meant after this is done either. */
  | { do: 'stop'; text: string; taken: number }
  /** What is said of each result taken; of one that failed, its error is. */
  | { do: 'answer'; texts: string[][]; taken: number; show: TurnReport['shows'][number] | null };

function stepOf({ intent, params }: Single, results: readonly Done[], lang: Lang): Step {
  if (intent === 'help') return { do: 'say', text: helpText(params.topic, lang) };
  if (intent === 'explain_error') return { do: 'say', text: explain(params, lang) };
  const done = results[0];
  if (done === undefined) return { do: 'call', calls: [{ tool: intent, args: params }], taken: 0 };
  if (intent === 'scan_devices' && done.result.ok) return jobStep(intent, params, results, lang);
  const texts = done.result.ok ? [[sayResult(intent, params, done.result.result, lang)]] : [];
  return { do: 'answer', texts, taken: 1, show: done.result.ok && intent === 'trend' ? trendShown(params) : null };
}

/** What goes on as a job is followed to its end: the question is answered by what it found, not by its having begun. */
function jobStep(intent: string, params: Record<string, unknown>, results: readonly Done[], lang: Lang): Step {
  let taken = 1;
  while (results[taken]?.call.tool === 'job' && isRunning(results[taken - 1])) taken++;
  const last = results[taken - 1]!;
  const texts = (said: string): string[][] => [...Array.from({ length: taken - 1 }, () => []), [said]];
  if (!last.result.ok) return { do: 'answer', texts: texts(''), taken, show: null };
  if (isRunning(last)) {
    const view = last.result.result as { job_id: unknown };
    return { do: 'call', calls: [{ tool: 'job', args: { job_id: view.job_id, wait_ms: jobWaitMs } }], taken };
  }
  return { do: 'answer', texts: texts(sayResult(intent, params, last.result.result, lang)), taken, show: null };
}

/** The longest a look at a job may wait for its end. */
const jobWaitMs = 20_000;
const isRunning = (done: Done | undefined): boolean => isRow(done?.result.result) && done.result.result.state === 'running';

const trendShown = (params: Record<string, unknown>): TurnReport['shows'][number] => ({
  kind: 'trend',
  tags: params.tags as string[],
  from: textOf(params.from),
  to: textOf(params.to),
});

const deltaOf = ({ params }: Single): number | null => numberOf(params.delta);

/**
 * Relative changes are read first, all together, and written as absolute values: a repeated or late call can then never add
 * twice. Without a reliable present value of each of them none of the writes is made.
 */
function writesStep(unit: readonly Single[], results: readonly Done[], world: World, lang: Lang): Step {
  const tags = [...new Set(unit.filter((single) => deltaOf(single) !== null).map(({ params }) => textOf(params.tag)))];
  const reads = tags.length > 0 ? 1 : 0;
  const read = reads > 0 ? results[0] : undefined;
  if (reads > 0) {
    if (read === undefined) return { do: 'call', calls: [{ tool: 'tag_read', args: { tags } }], taken: 0 };
    if (!read.result.ok) return { do: 'answer', texts: [], taken: 1, show: null };
  }
  const values = new Map<string, number>();
  for (const reading of rowsOf(read?.result.result, 'readings')) {
    if (!isRow(reading)) continue;
    const now = reading.quality === 'good' ? numberOf(reading.value) : null;
    if (now !== null) values.set(textOf(reading.tag), now);
  }
  if (tags.some((tag) => !values.has(tag)))
    return {
      do: 'stop',
      text: `${sayResult('tag_read', { tags }, read?.result.result, lang)}\n${lang === 'zh' ? '没有可靠的当前值，相对调整没有执行。' : 'Without a reliable present value the relative change was not made.'}`,
      taken: 1,
    };
  const calls: Call[] = [];
  for (const single of unit) {
    const tag = textOf(single.params.tag);
    const delta = deltaOf(single);
    // What this request sets before is what a later change of it starts from.
    const value = delta === null ? numberOf(single.params.value) : roundSmall(values.get(tag)! + delta);
    if (single.intent === 'tag_write' && value !== null) values.set(tag, value);
    if (delta !== null && isOutside(world, tag, value!))
      return {
        do: 'ask',
        meant: { intent: 'tag_write', params: { tag, value }, needs_clarification: true, reason: 'out_of_range' },
        taken: 1,
      };
    calls.push({ tool: single.intent, args: delta === null ? single.params : { tag, value } });
  }
  const writes = results.slice(reads, reads + calls.length);
  if (writes.length === 0) return { do: 'call', calls, taken: reads };
  const texts = writes.map(({ result }, i) => (result.ok ? [sayResult(calls[i]!.tool, calls[i]!.args, result.result, lang)] : []));
  return { do: 'answer', texts: [...(reads > 0 ? [[]] : []), ...texts], taken: reads + writes.length, show: null };
}

function isOutside(world: World, tag: string, value: number): boolean {
  const limits = vocabularyOf(world).tags.get(tag);
  return limits !== undefined && ((limits.min !== undefined && value < limits.min) || (limits.max !== undefined && value > limits.max));
}

function refusal(meant: Interpretation, lang: Lang): PlannerEvent {
  const text = refusalText(meant.reason, lang);
  const error = new HandrailError('POLICY_REFUSED', {
    detail: { reason: meant.reason ?? '' },
    message: { zh: refusalText(meant.reason, 'zh'), en: refusalText(meant.reason, 'en') },
  });
  return { type: 'refuse', text, error: error.toWire(lang) };
}

/** The words for an interpretation whose results are all in. */
export function renderAnswer(meant: Interpretation, results: readonly Done[], lang: Lang, world: World): string {
  const step = nextStep(meant, { lang, world, results });
  if (step.type === 'answer' || step.type === 'refuse') return step.text;
  return step.type === 'clarify' ? step.question : '';
}

export type { PlannedCall };
