import type { PlanInput, TranscriptMessage } from '../../../shared/contracts/agent.ts';
import type { ToolContract } from '../../../shared/contracts/calls.ts';
import { HandrailError } from '../../../shared/errors.ts';
import { chooseMode, type Mode } from '../../../shared/ledger.ts';
import { effortOf } from '../../../shared/planner/index.ts';
import type { ChatMessage } from '../wire.ts';
import { ceilingTokens, estimateTokens, floorTokens } from './estimate.ts';
import { fence } from './fence.ts';
import { contextText, systemText } from './system.ts';
import { chooseTools, declare, fitToPlant, type ToolDeclaration } from './tools.ts';

export type Prompt = {
  messages: ChatMessage[];
  declarations: ToolDeclaration[];
  /** What the model was shown; anything else it calls is unknown. */
  offered: ToolContract[];
  /** The way this request advises: tools called one by one, or one program. Null where programs cannot run. */
  way: Mode | null;
  /** Most and least this can be in tokens. */
  ceiling: number;
  floor: number;
  /** Messages of earlier turns that no longer fit and were left out, by us and openly. */
  leftOut: number;
};

export type Window = { numCtx: number; numPredict: number; nativeTools: boolean; fenceId: string };

/**
 * The request that fits the window: fewer tools before a shorter history, older turns before newer ones, then shorter results of
 * this turn, each saying so, and never without the person's own question. What cannot be made to fit is refused before it is
 * sent, because a server would drop it silently.
 */
export function buildPrompt(input: PlanInput, window: Window): Prompt {
  const budget = window.numCtx - window.numPredict;
  const starts = turnStarts(input.transcript);
  const way = adviseWay(input, window);
  for (const limit of [12, 9, 6, 4]) {
    const offered = offer(input, limit);
    const prompt = assemble(input, window, way, offered, input.transcript, 0);
    if (prompt.ceiling <= budget) return prompt;
    // A long history is the usual reason: leave out whole turns, oldest first.
    for (let drop = 1; drop < starts.length; drop++) {
      const shorter = assemble(input, window, way, offered, input.transcript.slice(starts[drop]), starts[drop]!);
      if (shorter.ceiling <= budget) return shorter;
    }
  }
  for (const characters of [3_000, 1_500, 600]) {
    const transcript = input.transcript.slice(starts.at(-1) ?? 0).map((m) => shortened(m, characters));
    const shorter = assemble(input, window, way, offer(input, 6), transcript, starts.at(-1) ?? 0);
    if (shorter.ceiling <= budget) return shorter;
  }
  const least = assemble(input, window, way, offer(input, 4), input.transcript.slice(starts.at(-1) ?? 0), 0);
  throw new HandrailError('CONTEXT_OVERFLOW', {
    detail: {
      reason: `about ${least.ceiling} tokens, ${budget} fit beside an answer of ${window.numPredict}`,
      tokens: least.ceiling,
      window: window.numCtx,
    },
  });
}

/** A long result by its beginning, which ends behind a whole value: a number cut in its middle would be another number. */
function shortened(m: TranscriptMessage, characters: number): TranscriptMessage {
  if (m.role !== 'tool' || m.content.length <= characters || !m.content.startsWith('{"ok":true')) return m;
  const cut = m.content.slice(0, characters);
  const whole = cut.slice(0, Math.max(cut.lastIndexOf(','), cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 0)) || cut;
  return {
    ...m,
    content: JSON.stringify({
      ok: true,
      too_large: true,
      characters: m.content.length,
      shown: whole.length,
      beginning: wellFormed(whole),
      advice: 'Ask for less, aggregate, or compute over it in a program (execute).',
    }),
  };
}

/** Without half of a pair of surrogates at its end. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

function offer(input: PlanInput, limit?: number): ToolContract[] {
  return chooseTools(input.tools, input.text, input.armedDevices.length > 0, limit).map((c) => fitToPlant(c, input.world.tags));
}

/** A person who names a program wants one, whatever it costs. */
const programAsked = /\b(program|script|python|javascript|sql)\b|程序|脚本|代码/i;
const isExecute = (tool: { name: string }): boolean => tool.name === 'execute';

/**
 * Handrail's own estimate of the cheaper way, made anew for each step. A request that one call answers is sent without a word of
 * programs, so that it never costs more than without them. They are offered after all when the estimate has proved too low: a
 * result was too large to be shown, a program was begun, or two steps have not been enough.
 */
function adviseWay(input: PlanInput, window: Window): Mode | null {
  if (!input.tools.some(isExecute)) return null;
  if (programAsked.test(input.text)) return 'program';
  const turn = input.transcript.slice(lastUser(input.transcript) + 1);
  const asked = turn.flatMap((m) => (m.role === 'assistant' && m.calls.length > 0 ? [m.calls] : []));
  const tooLarge = turn.some((m) => m.role === 'tool' && m.content.startsWith('{"ok":true,"too_large":true'));
  if (tooLarge || asked.length >= 2 || asked.flat().some((c) => c.tool === 'execute')) return 'program';
  const offered = offer(input);
  const promptTokens = (way: Mode): number => {
    const { messages, declarations } = assemble(input, window, way, offered, input.transcript, 0);
    return estimateTokens(messages.map((m) => m.content).join('\n')) + estimateTokens(JSON.stringify(declarations));
  };
  return chooseMode({
    ...effortOf(input.text, input.world, { files: input.files ?? [] }),
    classicPromptTokens: promptTokens('direct'),
    programPromptTokens: promptTokens('program'),
  }).mode;
}

function assemble(
  input: PlanInput,
  window: Window,
  way: Mode | null,
  offered: ToolContract[],
  transcript: readonly TranscriptMessage[],
  leftOut: number,
): Prompt {
  const declarations = offered.filter((c) => way === 'program' || !isExecute(c)).map((c) => declare(c, input.lang));
  const readable = offered.filter((c) => c.effect === 'read' || c.effect === 'none').map((c) => declare(c, input.lang));
  const system = systemText({
    lang: input.lang,
    armed: input.armedDevices.length > 0,
    fenceId: window.fenceId,
    nativeTools: window.nativeTools,
    tools: window.nativeTools ? declarations : readable,
    canExecute: way === 'program',
  });
  const last = lastUser(transcript);
  const messages: ChatMessage[] = [{ role: 'system', content: system }];
  transcript.forEach((m, i) => messages.push(...chatMessages(m, input, window, way, i === last)));
  const native = window.nativeTools ? declarations : [];
  const text = messages.map((m) => m.content + (m.role === 'assistant' && m.calls ? JSON.stringify(m.calls) : '')).join('\n');
  const tools = native.length > 0 ? JSON.stringify(native) : '';
  const perMessage = 8 * messages.length + (native.length > 0 ? 64 : 0);
  return {
    messages,
    way,
    declarations: native,
    offered: window.nativeTools ? offered : offered.filter((c) => readable.some((d) => d.function.name === c.name)),
    ceiling: ceilingTokens(text) + ceilingTokens(tools) + perMessage,
    floor: floorTokens(text) + Math.floor(floorTokens(tools) / 2),
    leftOut,
  };
}

function chatMessages(m: TranscriptMessage, input: PlanInput, window: Window, way: Mode | null, current: boolean): ChatMessage[] {
  if (m.role === 'user') {
    const reason =
      current && input.replanReason !== null
        ? `\n(${input.lang === 'zh' ? '上一步未成' : 'the step before failed'}: ${input.replanReason})`
        : '';
    return [{ role: 'user', content: current ? `${m.content}\n\n${contextText(input, way)}${reason}` : m.content }];
  }
  if (m.role === 'assistant') {
    const asText = m.calls.filter((c) => !sendsNative(c.fromText, c.tool, window));
    const native = m.calls.filter((c) => sendsNative(c.fromText, c.tool, window));
    const printed = asText.map((c) => (c.tool === 'execute' ? programText(c.args) : JSON.stringify({ name: c.tool, arguments: c.args })));
    const content = [m.content, ...printed].filter((s) => s !== '').join('\n');
    return [
      {
        role: 'assistant',
        content,
        ...(native.length > 0 ? { calls: native.map((c) => ({ id: c.callId, name: c.tool, arguments: c.args })) } : {}),
      },
    ];
  }
  const fenced = fence(m.content, window.fenceId);
  const call = callOf(input.transcript, m.callId);
  if (sendsNative(call?.fromText, m.tool, window)) return [{ role: 'tool', id: m.callId, name: m.tool, content: fenced }];
  return [{ role: 'user', content: `${input.lang === 'zh' ? '结果' : 'Result of'} ${m.tool}:\n${fenced}` }];
}

/** A program written as text is answered as text; everything else goes by the wire's own form where the model has it. */
function sendsNative(fromText: boolean | undefined, tool: string, window: Window): boolean {
  return window.nativeTools && !(tool === 'execute' && fromText === true);
}

const programText = (args: Record<string, unknown>): string =>
  `<execute lang="${String(args['lang'])}">\n${String(args['code'])}\n</execute>`;

function callOf(transcript: readonly TranscriptMessage[], callId: string) {
  for (const m of transcript) if (m.role === 'assistant') for (const c of m.calls) if (c.callId === callId) return c;
  return undefined;
}

function turnStarts(transcript: readonly TranscriptMessage[]): number[] {
  return transcript.flatMap((m, i) => (m.role === 'user' ? [i] : []));
}

function lastUser(transcript: readonly TranscriptMessage[]): number {
  return transcript.findLastIndex((m) => m.role === 'user');
}
