import type { PlannedCall, PlanInput, PlannerEvent, TurnReport } from '../../contracts/agent.ts';
import type { CallEnvelope, ResultEnvelope } from '../../contracts/calls.ts';
import { HandrailError, type Lang } from '../../errors.ts';
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
  let at = 0;
  for (const [place, single] of singles.entries()) {
    const step = stepOf(single, results.slice(at), world, lang);
    if (step.do === 'say') {
      said.push(step.text);
      continue;
    }
    for (const done of results.slice(at, at + step.taken)) {
      if (done.result.ok) continue;
      const error = done.result.error;
      said.push(error === null ? '' : `${error.message} ${error.advice}`.trim());
      return {
        type: 'answer',
        text: said.filter((x) => x !== '').join('\n\n'),
        ...(error === null ? {} : { error }),
        ...(shows.length > 0 ? { shows } : {}),
      };
    }
    at += step.taken;
    if (step.do === 'ask') return { type: 'clarify', ...question(step.meant, world, lang), reason: step.meant.reason };
    if (step.do === 'call') {
      const listed = [{ tool: step.tool, args: step.args }, ...(isPlainWrite(single) ? writesAfter(singles.slice(place + 1)) : [])];
      return { type: 'calls', calls: listed.map((call, i) => ({ callId: `c${results.length + 1 + i}`, ...call })), last: false };
    }
    said.push(step.text);
    if (step.show) shows.push(step.show);
  }
  return { type: 'answer', text: said.join('\n\n'), ...(shows.length > 0 ? { shows } : {}) };
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

const isPlainWrite = ({ intent, params }: Single): boolean =>
  intent === 'modbus_write' || (intent === 'tag_write' && numberOf(params.delta) === null);

/** Writes that follow each other are one request to a person: all on one card, in order, stopped at the first that is not confirmed. */
function writesAfter(rest: readonly Single[]): { tool: string; args: Record<string, unknown> }[] {
  const end = rest.findIndex((single) => !isPlainWrite(single));
  return rest.slice(0, end < 0 ? rest.length : end).map(({ intent, params }) => ({ tool: intent, args: params }));
}

type Step =
  | { do: 'say'; text: string }
  | { do: 'call'; tool: string; args: Record<string, unknown>; taken: number }
  | { do: 'ask'; meant: Interpretation; taken: number }
  | { do: 'answer'; text: string; taken: number; show: TurnReport['shows'][number] | null };

function stepOf({ intent, params }: Single, results: readonly Done[], world: World, lang: Lang): Step {
  if (intent === 'help') return { do: 'say', text: helpText(params.topic, lang) };
  if (intent === 'explain_error') return { do: 'say', text: explain(params, lang) };
  if (intent === 'tag_write' && numberOf(params.delta) !== null) return deltaStep(params, results, world, lang);
  const done = results[0];
  if (done === undefined) return { do: 'call', tool: intent, args: params, taken: 0 };
  if (!done.result.ok) return { do: 'answer', text: '', taken: 1, show: null };
  return {
    do: 'answer',
    text: sayResult(intent, params, done.result.result, lang),
    taken: 1,
    show: intent === 'trend' ? trendShown(params) : null,
  };
}

const trendShown = (params: Record<string, unknown>): TurnReport['shows'][number] => ({
  kind: 'trend',
  tags: params.tags as string[],
  from: textOf(params.from),
  to: textOf(params.to),
});

/** A relative change reads the tag first and writes an absolute value: a repeated or late call can then never add twice. */
function deltaStep(params: Record<string, unknown>, results: readonly Done[], world: World, lang: Lang): Step {
  const tag = textOf(params.tag);
  const [read, write] = results;
  if (read === undefined) return { do: 'call', tool: 'tag_read', args: { tags: [tag] }, taken: 0 };
  if (!read.result.ok) return { do: 'answer', text: '', taken: 1, show: null };
  const reading = rowsOf(read.result.result, 'readings')[0];
  const now = isRow(reading) && reading.quality === 'good' ? numberOf(reading.value) : null;
  if (now === null)
    return {
      do: 'answer',
      text: `${sayResult('tag_read', params, read.result.result, lang)}\n${lang === 'zh' ? '没有可靠的当前值，相对调整没有执行。' : 'Without a reliable present value the relative change was not made.'}`,
      taken: 1,
      show: null,
    };
  const value = roundSmall(now + numberOf(params.delta)!);
  const limits = vocabularyOf(world).tags.get(tag);
  const outside =
    limits !== undefined && ((limits.min !== undefined && value < limits.min) || (limits.max !== undefined && value > limits.max));
  if (outside)
    return {
      do: 'ask',
      meant: { intent: 'tag_write', params: { tag, value }, needs_clarification: true, reason: 'out_of_range' },
      taken: 1,
    };
  if (write === undefined) return { do: 'call', tool: 'tag_write', args: { tag, value }, taken: 1 };
  if (!write.result.ok) return { do: 'answer', text: '', taken: 2, show: null };
  return { do: 'answer', text: sayResult('tag_write', { tag, value }, write.result.result, lang), taken: 2, show: null };
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
