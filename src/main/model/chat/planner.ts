import type { PlanInput, PlannedCall, Planner, PlannerEvent } from '../../../shared/contracts/agent.ts';
import type { Clock } from '../../../shared/contracts/tools.ts';
import { HandrailError, type Bilingual } from '../../../shared/errors.ts';
import { classify, type OfferedTool, type Verdict } from '../classify/index.ts';
import { buildPrompt, type Prompt } from '../prompt/build.ts';
import { estimateTokens } from '../prompt/estimate.ts';
import type { ChatWire, ModelFacts, RawCall } from '../wire.ts';
import { findExecuteBlock, type ExecuteBlock } from './executeBlock.ts';
import { createHoldBack } from './holdBack.ts';
import { mayAskAgain } from './retry.ts';
import { pause, tick, withTicks } from './ticks.ts';
import { truncationError } from './truncation.ts';

export type ChatPlannerOptions = {
  name: string;
  wire: ChatWire;
  clock: Clock;
  /** A word nobody outside can guess, for the marks around untrusted text. */
  random(): string;
  /** Null: as large as the model has, up to the default. */
  numCtx?: number | null;
  /** Null: on for models that can think. */
  think?: boolean | null;
  numPredict?: number;
  /** Shown while the model loads and before its first token; the loop has the same budgets and enforces them. */
  budgets?: { modelLoadMs: number; firstTokenMs: number };
};

/** Fits a 4B model on a plant PC; more costs memory for every request. */
const DEFAULT_WINDOW = 8_192;

type Answer = {
  content: string;
  thinking: string;
  calls: RawCall[];
  reason: string | null;
  promptTokens: number | null;
  answerTokens: number | null;
  block: ExecuteBlock | null;
};

/** A model behind the planner port, whatever its wire: prompt, stream, judge, and say the next step. */
export function createChatPlanner(options: ChatPlannerOptions): Planner {
  const { wire, clock } = options;
  const budgets = options.budgets ?? { modelLoadMs: 300_000, firstTokenMs: 120_000 };
  const fences = new Map<string, string>();
  /** What the server refused once is not tried again in this planner's life. */
  const learned: { tools: boolean | null; thinking: boolean | null; window: number | null; loaded: number | null } = {
    tools: null,
    thinking: null,
    window: null,
    loaded: null,
  };

  function fenceOf(sessionId: string): string {
    let id = fences.get(sessionId);
    if (id === undefined) {
      id = options.random();
      fences.set(sessionId, id);
    }
    return id;
  }

  async function* plan(input: PlanInput, signal: AbortSignal): AsyncGenerator<PlannerEvent> {
    yield { type: 'progress', phase: 'first-token', seconds: 0, ofSeconds: budgets.firstTokenMs / 1000 };
    const facts = await wire.facts(signal);
    // Frozen at its first use: another window would make the server load the model anew.
    learned.window ??= Math.min(options.numCtx ?? DEFAULT_WINDOW, facts.contextLength ?? Infinity);
    const tries = { once: 0, busy: 0 };
    for (;;) {
      const attempt = { arrived: false };
      try {
        yield* ask(input, facts, signal, attempt);
        return;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof HandrailError) || attempt.arrived) throw thrown;
        const next = mayAskAgain(thrown, tries, learned);
        if (next === null) throw thrown;
        if (next > 0) await pause(clock, next, signal);
      }
    }
  }

  async function* ask(
    input: PlanInput,
    facts: ModelFacts,
    signal: AbortSignal,
    attempt: { arrived: boolean },
  ): AsyncGenerator<PlannerEvent> {
    const nativeTools = (learned.tools ?? facts.tools) !== false;
    const canThink = (learned.thinking ?? facts.thinking) === true;
    const numCtx = learned.window!;
    const numPredict = Math.min(options.numPredict ?? 2_048, Math.floor(numCtx / 4));
    const prompt = buildPrompt(input, { numCtx, numPredict, nativeTools, fenceId: fenceOf(input.sessionId) });
    const offered = prompt.offered.map((c): OfferedTool => ({
      name: c.name,
      effect: c.effect === 'read' || c.effect === 'none' ? 'read' : 'write',
      parameters: c.parameters,
    }));
    const hold = createHoldBack(offered.map((t) => t.name));
    const answer: Answer = { content: '', thinking: '', calls: [], reason: null, promptTokens: null, answerTokens: null, block: null };
    const request = {
      messages: prompt.messages,
      tools: prompt.declarations,
      think: canThink ? (options.think ?? true) : null,
      numCtx,
      numPredict,
    };
    try {
      yield* stream(
        request,
        answer,
        hold,
        signal,
        attempt,
        input.tools.some((t) => t.name === 'execute'),
      );
    } catch (thrown) {
      // What was held back is no call any more: the answer broke off, and its text is kept.
      if (attempt.arrived && !signal.aborted)
        yield* remaining(hold, classify({ content: answer.content, doneReason: 'length' }, offered).text);
      throw thrown;
    }
    yield {
      type: 'usage',
      sent: answer.promptTokens ?? prompt.ceiling,
      received: answer.answerTokens ?? estimateTokens(answer.content + answer.thinking),
    };
    if (answer.block !== null) {
      yield blockEvent(answer.block);
      return;
    }
    const verdict = classify(
      { content: answer.content, thinking: answer.thinking, toolCalls: answer.calls, doneReason: answer.reason },
      offered,
    );
    yield* remaining(hold, verdict.text);
    learned.loaded ??= await wire.loadedContext(signal);
    const cut = truncationError(prompt, answer.promptTokens, { numCtx, loaded: learned.loaded }, facts);
    if (cut !== null) throw cut;
    yield decide(input, verdict, answer, prompt, nativeTools);
  }

  async function* stream(
    request: Parameters<ChatWire['chat']>[0],
    answer: Answer,
    hold: ReturnType<typeof createHoldBack>,
    signal: AbortSignal,
    attempt: { arrived: boolean },
    canExecute: boolean,
  ): AsyncGenerator<PlannerEvent> {
    const mine = new AbortController();
    const onAbort = (): void => mine.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const since = clock.elapsed();
    try {
      for await (const event of withTicks(wire.chat(request, mine.signal), clock, 1_000)) {
        if (event === tick) {
          yield await waiting(since, signal);
          continue;
        }
        if (event.type !== 'done') attempt.arrived = true;
        if (event.type === 'thinking') {
          answer.thinking += event.delta;
          yield { type: 'thinking', delta: event.delta };
        } else if (event.type === 'text') {
          answer.content += event.delta;
          const visible = hold.push(event.delta);
          // Held back text is progress too, or a long call written as text would look like a stall.
          yield visible === '' ? { type: 'thinking', delta: '' } : { type: 'text', delta: visible };
          answer.block = canExecute && event.delta.includes('>') ? findExecuteBlock(answer.content) : null;
          if (answer.block !== null) return;
        } else if (event.type === 'calls') {
          addCalls(answer.calls, event.calls);
          yield { type: 'thinking', delta: '' };
        } else Object.assign(answer, { reason: event.reason, promptTokens: event.promptTokens, answerTokens: event.answerTokens });
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      mine.abort(new HandrailError('CANCELLED')); // closes the connection, which ends the generation
    }
  }

  async function waiting(since: number, signal: AbortSignal): Promise<PlannerEvent> {
    const loaded = await wire.isLoaded(signal);
    signal.throwIfAborted();
    const phase = loaded === false ? 'loading-model' : 'first-token';
    const of = phase === 'loading-model' ? budgets.modelLoadMs : budgets.firstTokenMs;
    return { type: 'progress', phase, seconds: Math.round((clock.elapsed() - since) / 1000), ofSeconds: of / 1000 };
  }

  return {
    name: options.name,
    kind: 'model',
    plan,
    async close() {
      fences.clear();
    },
  };
}

function blockEvent({ lang, code, before, returns, unusable }: ExecuteBlock): PlannerEvent {
  if (unusable === null) return { type: 'code', lang, code, last: false, text: before, ...(returns === null ? {} : { returns }) };
  const rejected = { code: 'invalid_arguments' as const, tellModel: unusable };
  return {
    type: 'calls',
    calls: [{ callId: 'c0', tool: 'execute', args: { lang, code }, fromText: true, rejected }],
    last: false,
    text: before,
  };
}

function* remaining(hold: ReturnType<typeof createHoldBack>, text: string): Generator<PlannerEvent> {
  const rest = hold.rest(text);
  if (rest !== '') yield { type: 'text', delta: rest };
}

/** One id is one call; without ids, or with two, equal calls are two. */
function addCalls(calls: RawCall[], more: readonly RawCall[]): void {
  for (const call of more) if (call.id === undefined || !calls.some((c) => c.id === call.id)) calls.push(call);
}

function decide(input: PlanInput, verdict: Verdict, answer: Answer, prompt: Prompt, nativeTools: boolean): PlannerEvent {
  const { reject } = verdict;
  if (reject?.code === 'truncated') return cutOff(verdict, answer);
  const calls = verdict.sequence.flatMap((s, i): PlannedCall[] => {
    if ('accepted' in s)
      return [
        {
          callId: s.accepted.id ?? `c${i}`,
          tool: s.accepted.name,
          args: s.accepted.arguments,
          ...(s.accepted.from === 'structured' ? {} : { fromText: true }),
        },
      ];
    if (s.refused.code === 'not_a_call' && verdict.calls.length === 0) return [];
    const code = s.refused.code === 'unknown_tool' ? 'unknown_tool' : 'invalid_arguments';
    return [
      {
        callId: s.refused.id ?? `c${i}`,
        tool: s.refused.name === '' ? 'unnamed' : s.refused.name,
        args: {},
        rejected: { code, tellModel: s.refused.tellModel },
      },
    ];
  });
  if (calls.length > 0) return { type: 'calls', calls, last: false, text: verdict.text };
  const printed = reject?.tellModel ?? writeInJson(input, verdict.text);
  const notice = printed === null ? null : writeAsText(printed);
  if (verdict.text === '') throw new HandrailError('MODEL_EMPTY', notice === null ? {} : { message: notice });
  const leftOut: Bilingual | null =
    prompt.leftOut > 0
      ? { en: "Older messages no longer fit the model's window and were left out.", zh: '较早的消息超出模型窗口，已略去。' }
      : null;
  return {
    type: 'answer',
    text: verdict.text,
    ...(notice === null ? (leftOut === null ? {} : { notice: leftOut }) : { notice, diagnosis: 'call-as-text' as const }),
    ...(notice === null && !nativeTools && input.results.length === 0 ? { diagnosis: 'no-capability' as const } : {}),
  };
}

/** A model without tools was shown no write; if it prints one all the same, that is its answer, and the person is told. */
function writeInJson(input: PlanInput, text: string): string | null {
  if (!/["'](arguments|parameters)["']/.test(text)) return null;
  return input.tools.find((t) => t.effect === 'write-plant' && new RegExp(`["']${t.name}["']`).test(text))?.name ?? null;
}

function writeAsText(printed: string): Bilingual {
  const tool = printed.split(' ')[0] ?? '';
  return {
    en: `The model printed a call of ${tool} as text. A write is taken only as a real call, so nothing was written.`,
    zh: `模型把 ${tool} 的调用写成了文字。写入只接受真正的调用，因此未写入任何值。`,
  };
}

/** Cut off by its length or in the middle of a call: the text stays and is marked, nothing of it runs. */
function cutOff(verdict: Verdict, answer: Answer): PlannerEvent {
  const notice: Bilingual = {
    en: 'The answer was cut off before its end; nothing in it was run.',
    zh: '回答在结束前被截断，其中内容均未执行。',
  };
  if (verdict.text === '' && answer.calls.length === 0) throw new HandrailError('MODEL_EMPTY', { message: notice });
  return { type: 'answer', text: verdict.text, notice, diagnosis: 'cut-off' };
}
