import type { ModelChoice } from '../../../shared/contracts/api.ts';
import { HandrailError } from '../../../shared/errors.ts';
import { requestHttp, readText, type HttpAnswer } from '../http.ts';
import { linesOf } from '../lines.ts';
import type { ChatMessage, ChatRequest, ChatWire, ModelFacts, RawCall, WireEvent } from '../wire.ts';
import { errorOfStatus, errorOfThrow, serverWords } from './errors.ts';

export type OllamaOptions = {
  baseUrl: string;
  model: string;
  /** How long the server keeps the model after the answer. */
  keepAlive?: string | number;
  temperature?: number;
  seed?: number;
};

type ModelEntry = {
  name: string;
  contextLength: number | null;
  capabilities: string[] | null;
  size: number | null;
  loadedContext: number | null;
};

/** Ollama's native wire: /api/chat with its small neighbours. Nothing here decides; it speaks and names what went wrong. */
export function createOllamaClient(options: OllamaOptions) {
  const base = options.baseUrl.replace(/\/+$/, '');
  let facts: ModelFacts | null = null;

  async function getJson(path: string, signal: AbortSignal, body?: unknown): Promise<Record<string, unknown>> {
    try {
      const answer = await requestHttp({ url: base + path, method: body === undefined ? 'GET' : 'POST', body, signal });
      const text = await readText(answer.body);
      if (answer.status !== 200) throw await statusError(answer, text, signal, false);
      return JSON.parse(text) as Record<string, unknown>;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) throw new HandrailError('MODEL_PROTOCOL', { cause: thrown });
      throw errorOfThrow(thrown, base, false);
    }
  }

  async function statusError(answer: HttpAnswer, text: string, signal: AbortSignal, tellInstalled: boolean): Promise<HandrailError> {
    const about = { model: options.model, installed: null as string[] | null };
    if (tellInstalled && answer.status === 404)
      about.installed = await installed(signal)
        .then((all) => all.map((m) => m.name))
        .catch(() => null);
    return errorOfStatus(answer.status, text, String(answer.headers['content-type'] ?? ''), about);
  }

  /** What is on the server, newest first. */
  async function installed(signal: AbortSignal): Promise<ModelEntry[]> {
    return entries(await getJson('/api/tags', signal));
  }

  /** The same for a person to choose from, with what each can do where the server tells. */
  async function list(signal: AbortSignal = AbortSignal.timeout(10_000)): Promise<ModelChoice[]> {
    return (await installed(signal)).map((m) => ({ name: m.name, sizeBytes: m.size, tools: m.capabilities?.includes('tools') ?? null }));
  }

  /** What is in memory, with the window really loaded: the only proof that num_ctx took effect. */
  async function loaded(signal: AbortSignal): Promise<ModelEntry[]> {
    return entries(await getJson('/api/ps', signal));
  }

  async function version(signal: AbortSignal): Promise<string> {
    return textOr((await getJson('/api/version', signal))['version']);
  }

  /** Asked once a model; an endpoint that fails leaves its fact unknown and stops nothing. */
  async function learn(signal: AbortSignal): Promise<ModelFacts> {
    if (facts !== null) return facts;
    const [show, ver] = await Promise.all([
      getJson('/api/show', signal, { model: options.model }).catch(() => null),
      version(signal).catch(() => ''),
    ]);
    signal.throwIfAborted();
    let capabilities = Array.isArray(show?.['capabilities']) ? (show['capabilities'] as string[]) : null;
    let contextLength = contextOf(show?.['model_info']);
    if (capabilities === null || contextLength === null) {
      const entry = (await installed(signal).catch(() => [])).find((m) => sameModel(m.name, options.model));
      capabilities ??= entry?.capabilities ?? null;
      contextLength ??= entry?.contextLength ?? null;
    }
    const found: ModelFacts = {
      tools: capabilities?.includes('tools') ?? null,
      thinking: capabilities?.includes('thinking') ?? null,
      contextLength,
      countsWholePrompt: atLeast(ver, [0, 30]),
    };
    if (show !== null) facts = found;
    return found;
  }

  async function* chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<WireEvent> {
    let started = false;
    try {
      const answer = await requestHttp({ url: `${base}/api/chat`, method: 'POST', body: chatBody(request, options), signal });
      started = true;
      if (answer.status !== 200) throw await statusError(answer, await readText(answer.body), signal, true);
      for await (const line of linesOf(answer.body as AsyncIterable<Uint8Array>)) {
        for (const event of eventsOf(line)) {
          yield event;
          if (event.type === 'done') return drain(answer);
        }
      }
      throw new HandrailError('MODEL_STREAM_INCOMPLETE');
    } catch (thrown) {
      signal.throwIfAborted();
      throw errorOfThrow(thrown, base, started);
    }
  }

  async function* pull(
    model: string,
    signal: AbortSignal,
  ): AsyncGenerator<{ status: string; total: number | null; completed: number | null }> {
    const answer = await requestHttp({ url: `${base}/api/pull`, method: 'POST', body: { model, stream: true }, signal }).catch(
      (thrown: unknown) => {
        throw errorOfThrow(thrown, base, false);
      },
    );
    if (answer.status !== 200) throw await statusError(answer, await readText(answer.body), signal, false);
    let last = '';
    for await (const line of linesOf(answer.body as AsyncIterable<Uint8Array>)) {
      const step = parseLine(line);
      last = textOr(step['status']);
      yield { status: last, total: numberOr(step['total']), completed: numberOr(step['completed']) };
    }
    // A stream that ends without the word is not done; pulling again goes on where it stopped.
    if (last !== 'success') throw new HandrailError('MODEL_STREAM_INCOMPLETE');
  }

  const findLoaded = async (signal: AbortSignal): Promise<ModelEntry | undefined> =>
    (await loaded(signal)).find((m) => sameModel(m.name, options.model));
  const wire: ChatWire = {
    model: options.model,
    facts: learn,
    chat,
    isLoaded: (signal) =>
      findLoaded(signal).then(
        (m) => m !== undefined,
        () => null,
      ),
    loadedContext: (signal) =>
      findLoaded(signal).then(
        (m) => m?.loadedContext ?? null,
        () => null,
      ),
  };
  return { wire, installed, list, loaded, version, pull };
}

export type OllamaClient = ReturnType<typeof createOllamaClient>;

function chatBody(request: ChatRequest, options: OllamaOptions): Record<string, unknown> {
  return {
    model: options.model,
    messages: request.messages.map(message),
    stream: true,
    ...(request.tools.length > 0 ? { tools: request.tools } : {}),
    ...(request.think === null ? {} : { think: request.think }),
    keep_alive: options.keepAlive ?? '30m',
    // One window a session: another num_ctx makes the server load the model anew.
    options: { num_ctx: request.numCtx, num_predict: request.numPredict, temperature: options.temperature ?? 0, seed: options.seed ?? 1 },
  };
}

/** Arguments are an object on this wire (a string is status 400), and results name their tool. */
function message(m: ChatMessage): Record<string, unknown> {
  if (m.role === 'tool') return { role: 'tool', content: m.content, tool_name: m.name, tool_call_id: m.id };
  if (m.role !== 'assistant') return { role: m.role, content: m.content };
  const calls = m.calls ?? [];
  return {
    role: 'assistant',
    content: m.content,
    ...(calls.length > 0
      ? { tool_calls: calls.map((c, index) => ({ id: c.id, function: { index, name: c.name, arguments: c.arguments } })) }
      : {}),
  };
}

function parseLine(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new HandrailError('MODEL_PROTOCOL', { detail: { line: line.slice(0, 200) }, cause });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new HandrailError('MODEL_PROTOCOL', { detail: { line: line.slice(0, 200) } });
  const step = value as Record<string, unknown>;
  if (step['message'] === undefined && Object.keys(step).some((k) => k.startsWith('error'))) {
    throw new HandrailError('MODEL_CRASHED', { detail: { reason: serverWords(line) ?? 'no reason given' } });
  }
  return step;
}

function eventsOf(line: string): WireEvent[] {
  const step = parseLine(line);
  const events: WireEvent[] = [];
  const said = (step['message'] ?? {}) as Record<string, unknown>;
  if (typeof said['thinking'] === 'string' && said['thinking'] !== '') events.push({ type: 'thinking', delta: said['thinking'] });
  if (typeof said['content'] === 'string' && said['content'] !== '') events.push({ type: 'text', delta: said['content'] });
  if (Array.isArray(said['tool_calls']) && said['tool_calls'].length > 0)
    events.push({ type: 'calls', calls: said['tool_calls'].map(rawCall) });
  if (step['done'] === true) {
    const reason = typeof step['done_reason'] === 'string' && step['done_reason'] !== '' ? step['done_reason'] : null;
    events.push({ type: 'done', reason, promptTokens: numberOr(step['prompt_eval_count']), answerTokens: numberOr(step['eval_count']) });
  }
  return events;
}

function rawCall(value: unknown): RawCall {
  const call = (value ?? {}) as { id?: unknown; function?: { name?: unknown; arguments?: unknown } };
  return {
    ...(typeof call.id === 'string' && call.id !== '' ? { id: call.id } : {}),
    name: call.function?.name,
    arguments: call.function?.arguments,
  };
}

/** `done: true` completes an answer; what the connection does afterwards is nobody's error. */
function drain(answer: HttpAnswer): void {
  answer.body.on('error', () => undefined);
  answer.body.resume();
  const timer = setTimeout(() => answer.body.destroy(), 2_000);
  timer.unref();
  answer.body.once('close', () => clearTimeout(timer));
}

function entries(body: Record<string, unknown>): ModelEntry[] {
  if (!Array.isArray(body['models'])) return [];
  return (body['models'] as Record<string, unknown>[]).map((m) => ({
    name: textOr(m['name'] ?? m['model']),
    contextLength: numberOr((m['details'] as Record<string, unknown> | undefined)?.['context_length']),
    capabilities: Array.isArray(m['capabilities']) ? (m['capabilities'] as string[]) : null,
    size: numberOr(m['size']),
    loadedContext: numberOr(m['context_length']),
  }));
}

function contextOf(info: unknown): number | null {
  const entry = Object.entries((info ?? {}) as Record<string, unknown>).find(([key]) => key.endsWith('.context_length'));
  return numberOr(entry?.[1]);
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOr = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** "name" means "name:latest", and letter case does not matter. */
function sameModel(a: string, b: string): boolean {
  const full = (name: string): string => (name.includes(':') ? name : `${name}:latest`).toLowerCase();
  return full(a) === full(b);
}

function atLeast(version: string, [major, minor]: [number, number]): boolean {
  const found = /^v?(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  const [a, b] = [Number(found[1]), Number(found[2])];
  return a > major || (a === major && b >= minor);
}
