import type { ModelChoice } from '../../../shared/contracts/api.ts';
import { HandrailError } from '../../../shared/errors.ts';
import { readText, requestHttp } from '../http.ts';
import { linesOf } from '../lines.ts';
import { errorOfStatus, errorOfThrow, serverWords } from '../ollama/errors.ts';
import type { ChatMessage, ChatRequest, ChatWire, ModelFacts, WireEvent } from '../wire.ts';
import { createCallParts } from './deltas.ts';
import { profiles, type Profile } from './profiles.ts';

export type OpenAiOptions = {
  /** Up to and without `/v1`, or with it. */
  baseUrl: string;
  model: string;
  profile?: Profile['name'];
  apiKey?: string | null;
  temperature?: number;
  seed?: number;
};

export type ListedModel = { name: string; contextLength: number | null };

/** /v1/chat/completions of a local server: server-sent events with deltas. Nothing here decides. */
export function createOpenAiClient(options: OpenAiOptions) {
  const base = `${options.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
  const profile = profiles[options.profile ?? 'generic'];
  const headers: Record<string, string> =
    options.apiKey === undefined || options.apiKey === null || options.apiKey === '' ? {} : { authorization: `Bearer ${options.apiKey}` };
  let usageRefused = false;
  let contextLength: number | null | undefined;

  async function models(signal: AbortSignal): Promise<ListedModel[]> {
    try {
      const answer = await requestHttp({ url: `${base}/models`, method: 'GET', headers, signal });
      const text = await readText(answer.body);
      if (answer.status !== 200)
        throw errorOfStatus(answer.status, text, String(answer.headers['content-type'] ?? ''), { model: options.model, installed: null });
      const body = JSON.parse(text) as { data?: Record<string, unknown>[] };
      return (body.data ?? []).map((m) => ({ name: typeof m['id'] === 'string' ? m['id'] : '', contextLength: contextOf(m) }));
    } catch (thrown) {
      if (thrown instanceof SyntaxError) throw new HandrailError('MODEL_PROTOCOL', { cause: thrown });
      throw errorOfThrow(thrown, base, false);
    }
  }

  /** These servers tell little: the window where /v1/models has it. Tools are tried, and a refusal is learned from. */
  async function facts(signal: AbortSignal): Promise<ModelFacts> {
    if (contextLength === undefined) {
      const listed = await models(signal).catch(() => null);
      signal.throwIfAborted();
      contextLength = listed?.find((m) => m.name === options.model)?.contextLength ?? null;
    }
    return { tools: null, thinking: profile.templateThinking ? null : false, contextLength, countsWholePrompt: true };
  }

  async function* chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<WireEvent> {
    let started = false;
    try {
      const answer = await requestHttp({ url: `${base}/chat/completions`, method: 'POST', headers, body: body(request), signal });
      started = true;
      if (answer.status !== 200) {
        const text = await readText(answer.body);
        if (answer.status === 400 && profile.includeUsage && !usageRefused && /stream_options|include_usage/.test(text)) {
          usageRefused = true;
          yield* chat(request, signal);
          return;
        }
        throw statusError(answer.status, text, String(answer.headers['content-type'] ?? ''), await installedNames(answer.status, signal));
      }
      yield* events(answer.body as AsyncIterable<Uint8Array>, request);
      answer.body.on('error', () => undefined);
      answer.body.resume();
    } catch (thrown) {
      signal.throwIfAborted();
      throw errorOfThrow(thrown, base, started);
    }
  }

  async function installedNames(status: number, signal: AbortSignal): Promise<string[] | null> {
    return status === 404
      ? models(signal).then(
          (all) => all.map((m) => m.name),
          () => null,
        )
      : null;
  }

  function statusError(status: number, text: string, type: string, installed: string[] | null): HandrailError {
    const error = errorOfStatus(status, text, type, { model: options.model, installed });
    // vLLM without a tool parser and LM Studio with a grammar it cannot build both say so with status 400.
    if (status === 400 && error.code === 'MODEL_PROTOCOL' && /tool|grammar|function/i.test(text)) {
      return new HandrailError('MODEL_CAPABILITY', { detail: { ...error.detail, reason: `tools: ${serverWords(text) ?? 'refused'}` } });
    }
    if (error.code !== 'MODEL_NOT_FOUND') return error;
    return new HandrailError('MODEL_NOT_FOUND', {
      detail: error.detail,
      advice: {
        en: `Load the model on the server. There: ${installed?.join(', ') ?? '-'}.`,
        zh: `请在服务端加载该模型。现有：${installed?.join('、') ?? '-'}。`,
      },
    });
  }

  function body(request: ChatRequest): Record<string, unknown> {
    return {
      model: options.model,
      messages: request.messages.map(message),
      stream: true,
      max_tokens: request.numPredict,
      temperature: options.temperature ?? 0,
      seed: options.seed ?? 1,
      ...(profile.includeUsage && !usageRefused ? { stream_options: { include_usage: true } } : {}),
      ...(request.tools.length > 0
        ? { tools: request.tools, ...(profile.parallelToolCalls === null ? {} : { parallel_tool_calls: profile.parallelToolCalls }) }
        : {}),
      ...(profile.templateThinking && request.think !== null ? { chat_template_kwargs: { enable_thinking: request.think } } : {}),
    };
  }

  async function* events(stream: AsyncIterable<Uint8Array>, request: ChatRequest): AsyncGenerator<WireEvent> {
    const parts = createCallParts();
    let reason: string | null = null;
    let usage: { prompt: number | null; answer: number | null } = { prompt: null, answer: null };
    let ended = false;
    let named = '';
    for await (const line of linesOf(stream)) {
      if (line.startsWith('event:')) named = line.slice(6).trim();
      const data = dataOf(line);
      if (data === null) continue;
      if (data === '[DONE]') {
        ended = true;
        break;
      }
      const chunk = parse(data);
      // Said under `error`, by an event of that name, or by an object of that kind: each server has its own way.
      if ((chunk['error'] ?? null) !== null || named === 'error' || chunk['object'] === 'error')
        throw new HandrailError('MODEL_CRASHED', { detail: { reason: serverWords(data) ?? 'no reason given' } });
      named = '';
      usage = usageOf(chunk) ?? usage;
      if (!line.startsWith('data:')) ended = true; // the whole answer at once, which needs no end mark
      const choice = (Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined) as Record<string, unknown> | undefined;
      if (choice === undefined) continue;
      const delta = (choice['delta'] ?? choice['message'] ?? {}) as Record<string, unknown>;
      const thinking = delta['reasoning_content'] ?? delta['reasoning'];
      if (typeof thinking === 'string' && thinking !== '') yield { type: 'thinking', delta: thinking };
      if (typeof delta['content'] === 'string' && delta['content'] !== '') yield { type: 'text', delta: delta['content'] };
      if (Array.isArray(delta['tool_calls'])) {
        for (const call of delta['tool_calls']) parts.add(call as Parameters<typeof parts.add>[0]);
        yield { type: 'thinking', delta: '' }; // arguments that grow are progress
      }
      if (typeof choice['finish_reason'] === 'string') reason = choice['finish_reason'];
    }
    // Text with a finish reason but no end mark is whole. Calls are not believed without it: where the reason lies at the token
    // limit, only the counts behind it would have told.
    if (!ended && (reason === null || parts.any())) throw new HandrailError('MODEL_STREAM_INCOMPLETE');
    const atLimit = usage.answer !== null && usage.answer >= request.numPredict;
    if (parts.any()) yield { type: 'calls', calls: parts.calls() };
    yield {
      type: 'done',
      reason: profile.finishLies && atLimit ? 'length' : plainReason(reason),
      promptTokens: usage.prompt,
      answerTokens: usage.answer,
    };
  }

  const wire: ChatWire = { model: options.model, facts, chat, isLoaded: async () => null, loadedContext: async () => null };
  /** What the server offers, for a person to choose from. */
  async function list(signal: AbortSignal = AbortSignal.timeout(10_000)): Promise<ModelChoice[]> {
    return (await models(signal)).map((m) => ({ name: m.name, sizeBytes: null, tools: null }));
  }
  return { wire, models, list };
}

export type OpenAiClient = ReturnType<typeof createOpenAiClient>;

/** Arguments are a string on this wire, and content is always one. */
function message(m: ChatMessage): Record<string, unknown> {
  if (m.role === 'tool') return { role: 'tool', tool_call_id: m.id, content: m.content };
  if (m.role !== 'assistant') return { role: m.role, content: m.content };
  const calls = (m.calls ?? []).map((c) => ({
    id: c.id,
    type: 'function',
    function: { name: c.name, arguments: JSON.stringify(c.arguments) },
  }));
  return { role: 'assistant', content: m.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** The payload of an event line; null for comments, event names and ids. A line that is neither is no event stream. */
function dataOf(line: string): string | null {
  if (line.startsWith('data:')) return line.slice(5).trim();
  if (line.startsWith(':') || /^(event|id|retry):/.test(line)) return null;
  if (line.trimStart().startsWith('{')) return line.trim(); // a server that answers at once although a stream was asked for
  throw new HandrailError('MODEL_PROTOCOL', { detail: { line: line.slice(0, 200) } });
}

function parse(data: string): Record<string, unknown> {
  try {
    const value = JSON.parse(data) as unknown;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new HandrailError('MODEL_PROTOCOL', { detail: { line: data.slice(0, 200) } });
}

function usageOf(chunk: Record<string, unknown>): { prompt: number | null; answer: number | null } | null {
  const usage = chunk['usage'] as Record<string, unknown> | null | undefined;
  if (usage === null || usage === undefined) return null;
  const number = (v: unknown): number | null => (typeof v === 'number' ? v : null);
  return { prompt: number(usage['prompt_tokens']), answer: number(usage['completion_tokens']) };
}

/** Other words for an answer that ended by itself. */
function plainReason(reason: string | null): string | null {
  return reason !== null && ['eos', 'eos_token', 'end_turn', 'function_call'].includes(reason) ? 'stop' : reason;
}

/** Each server has its own place for the window. */
function contextOf(model: Record<string, unknown>): number | null {
  const meta = (model['meta'] ?? {}) as Record<string, unknown>;
  const found = [
    model['max_model_len'],
    model['max_context_length'],
    model['loaded_context_length'],
    model['context_length'],
    meta['n_ctx'],
    meta['n_ctx_train'],
  ].filter((v) => typeof v === 'number');
  return found.length === 0 ? null : Math.min(...found);
}
