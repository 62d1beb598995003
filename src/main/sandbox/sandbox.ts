/** The sandbox as the rest of Handrail sees it: checks the request, picks the level, has it run, writes the envelope. */
import type { AskedFunction, PoolHealth, RunLang, RunLevel, RunRequest, RunResult, Sandbox } from '../../shared/contracts/sandbox.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { HiddenRenderer } from '../../shared/contracts/hiddenPage.ts';
import { createBrokerClient } from './brokerClient.ts';
import { createRendererClient } from './rendererClient.ts';
import type { RunsClient } from './runsClient.ts';
import { cacheKey, createResultCache } from './cache.ts';
import { createRateLimit } from './rate.ts';
import { variantOf } from './variant.ts';
import { blankResult, writeEnvelope } from './envelope.ts';
import { levelOrder, tryLevel, type LevelState } from './levels.ts';
import { runLimits, within } from './limits.ts';
import type { BrokerRun, Input } from './protocol.ts';

export type SandboxOptions = {
  /** How many interpreters wait ready for each language once it was used or warmed. */
  warm?: number;
  /** Runs of one session: this many at once, then as they refill over the time. */
  rate?: { runs: number; perMs: number };
  now?: () => number;
  /** Opens the hidden pages of the level wasm-renderer, where the host has a browser engine. */
  renderer?: HiddenRenderer;
};

export type SandboxHealth = { brokerPid: number | null; pools: PoolHealth[] };
export type RunHooks = { onStarted?: (pid: number, ready: boolean) => void; onRunning?: () => void };
export type HostedSandbox = Sandbox & {
  /** For benches and measurements: the same run with the moment and the process made visible. */
  runWith(request: RunRequest, hooks: RunHooks): Promise<RunResult>;
  warm(lang: RunLang, level: RunLevel, variant?: 'plain' | 'data', size?: number): void;
  /** What became of the attempts on each level of a language, strongest level first. */
  levelStates(lang: RunLang): Promise<LevelState[]>;
  health(): Promise<SandboxHealth>;
};

const RETRY_LEVEL_MS = 30_000;
const inputName = /^[\p{L}\p{N}_][\p{L}\p{N}_.\- ]{0,99}$/u;

export function createSandbox(options: SandboxOptions = {}): HostedSandbox {
  const broker = createBrokerClient();
  const pages = options.renderer === undefined ? null : createRendererClient(options.renderer);
  const clientOf = (level: RunLevel): RunsClient => (level === 'wasm-renderer' ? (pages ?? broker) : broker);
  const warmSize = options.warm ?? 1;
  const cache = createResultCache();
  const rate = createRateLimit({ ...(options.rate ?? { runs: 60, perMs: 60_000 }), now: options.now ?? (() => performance.now()) });

  function warm(lang: RunLang, level: RunLevel, variant: 'plain' | 'data' = 'plain', size = warmSize): void {
    if (size > 0) clientOf(level).warm({ t: 'warm', lang, level, variant, size });
  }

  /** What was used once will be used again: keep one of its kind ready, but leave the others unstarted. */
  function warmUsed(run: BrokerRun): void {
    if (run.memoryMb === runLimits.memoryMb.default) warm(run.lang, run.level, variantOf(run));
  }

  /** A level that works is remembered; one that failed is tried again after a while, for a broken moment is no verdict. */
  const states = new Map<string, Promise<LevelState>>();
  function stateOf(lang: RunLang, level: RunLevel): Promise<LevelState> {
    if (!levelOrder[lang].includes(level)) return Promise.resolve({ level, works: false, reason: `there is no such level for ${lang}` });
    const key = `${lang}:${level}`;
    const known = states.get(key) ?? tryLevel(lang, level, (run) => clientOf(level).run(run, {}));
    states.set(key, known);
    void known.then((state) => {
      if (!state.works) setTimeout(() => states.delete(key), RETRY_LEVEL_MS).unref();
    });
    return known;
  }
  async function best(lang: RunLang): Promise<LevelState> {
    const failed: LevelState[] = [];
    for (const level of levelOrder[lang]) {
      const state = await stateOf(lang, level);
      if (state.works) return state;
      failed.push(state);
    }
    return { level: failed[0]!.level, works: false, reason: failed.map((f) => `${f.level}: ${f.reason}`).join('; ') };
  }

  async function runWith(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    const limits = {
      timeoutMs: within(runLimits.timeoutMs, request.limits?.timeoutMs),
      memoryMb: within(runLimits.memoryMb, request.limits?.memoryMb),
    };
    const inputs = checkedInputs(request);
    const state = request.level === undefined ? await best(request.lang) : await stateOf(request.lang, request.level);
    const { level } = state;
    if (!state.works) return blankResult(level, 'unavailable', `The level ${level} is not available for ${request.lang}: ${state.reason}.`);
    const run: BrokerRun = {
      lang: request.lang,
      level,
      code: request.code,
      check: request.check ?? true,
      defines: checkedNames(request),
      inputs,
      ...limits,
      tools: request.onToolCall !== undefined,
    };
    const key = request.useCache === false ? null : cacheKey(run);
    const kept = key === null ? null : cache.get(key);
    if (kept !== null) return kept;
    const waitMs = request.sessionId === undefined ? null : rate.take(request.sessionId);
    if (waitMs !== null)
      return blankResult(level, 'rate_limited', `Too many runs in this session; the next is possible in ${Math.ceil(waitMs / 1000)} s.`);
    let readLive = false;
    const { onToolCall } = request;
    const raw = await clientOf(level).run(run, {
      ...hooks,
      ...(onToolCall === undefined
        ? {}
        : {
            onToolCall: (name: string, args: Record<string, unknown>) => {
              readLive = true;
              return onToolCall(name, args);
            },
          }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    warmUsed(run);
    const result = writeEnvelope(raw, level, limits);
    if (key !== null && !readLive) cache.put(key, result);
    return result;
  }

  return {
    run: (request) => runWith(request, {}),
    runWith,
    warm,
    async levels() {
      const langs: RunLang[] = ['python', 'javascript', 'sql', 'shell'];
      return Promise.all(
        langs.map(async (lang) => {
          const state = await best(lang);
          return { lang, level: state.works ? state.level : null, reason: state.reason };
        }),
      );
    },
    levelStates: (lang) => Promise.all(levelOrder[lang].map((level) => stateOf(lang, level))),
    health: async () => ({ brokerPid: broker.pid(), pools: [...(await broker.health()), ...((await pages?.health()) ?? [])] }),
    close: async () => {
      await Promise.all([broker.close(), pages?.close()]);
    },
  };
}

/** Names go over a line of plain words to the runner, so they are held to what both languages call a name in ASCII. */
function checkedNames({ defines = [] }: RunRequest): AskedFunction[] {
  for (const { name, parameters } of defines) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) || (parameters !== null && !(Number.isInteger(parameters) && parameters >= 0)))
      throw new HandrailError('ARGS_INVALID', { detail: { reason: `${JSON.stringify(name)} is not a function that can be asked for` } });
  }
  return [...defines];
}

function checkedInputs(request: RunRequest): Input[] {
  if (Buffer.byteLength(request.code) > runLimits.codeBytes) {
    throw new HandrailError('SANDBOX_REJECTED', { detail: { reason: `the program is longer than ${runLimits.codeBytes / 1024} KB` } });
  }
  const inputs = request.inputs ?? [];
  let total = 0;
  for (const { name, bytes } of inputs) {
    total += bytes.byteLength;
    if (!inputName.test(name))
      throw new HandrailError('SANDBOX_REJECTED', {
        detail: { reason: `the input name ${JSON.stringify(name)} is not a plain file name` },
      });
  }
  if (total > runLimits.inputBytes)
    throw new HandrailError('SANDBOX_REJECTED', {
      detail: { reason: `the inputs are bigger than ${runLimits.inputBytes / 1024 / 1024} MB` },
    });
  return inputs;
}
