import { randomBytes } from 'node:crypto';
import { createBuiltinPlanner } from '../agent/index.ts';
import { createOllamaClient, createOllamaPlanner, createOpenAiClient, createOpenAiPlanner } from '../model/index.ts';
import type { ModelChoice } from '../../shared/contracts/api.ts';
import type { Planner } from '../../shared/contracts/agent.ts';
import { defaultSettings, type Settings } from '../../shared/contracts/settings.ts';
import type { Clock } from '../../shared/contracts/tools.ts';
import { HandrailError } from '../../shared/errors.ts';
import { interpret, nextStep } from '../../shared/planner/index.ts';

/** A server that does not answer its own list soon is not there. */
const listTimeoutMs = 5000;

type Choice = Settings['model'];

/** The model that the command line names (`builtin`, `ollama:NAME`, `openai:NAME`), else that of the settings. Throws ARGS_USAGE. */
export function modelChoice(flag: string | undefined, baseUrl: string | undefined, settings: Settings): Choice {
  if (flag === undefined) return baseUrl === undefined ? settings.model : { ...settings.model, baseUrl };
  const [kind, ...rest] = flag.split(':');
  const name = rest.join(':'); // a model's own name has colons: qwen3:8b
  if (kind === 'builtin' && name === '') return { ...defaultSettings.model, kind: 'builtin' };
  if ((kind !== 'ollama' && kind !== 'openai') || name === '')
    throw new HandrailError('ARGS_USAGE', { detail: { reason: `--model is builtin, ollama:NAME or openai:NAME, not "${flag}"` } });
  const own =
    settings.model.kind === kind
      ? settings.model
      : { ...defaultSettings.model, baseUrl: kind === 'openai' ? 'http://127.0.0.1:1234' : defaultSettings.model.baseUrl };
  return { ...own, kind, name, baseUrl: baseUrl ?? own.baseUrl };
}

export type Planners = {
  /** The planner for the next turn; a changed choice makes a new one and closes the old. */
  current(): Planner;
  state(): { planner: string; state: 'ready' | 'loading' | 'offline' | 'error' };
  list(kind: 'ollama' | 'openai', baseUrl: string): Promise<ModelChoice[]>;
  close(): Promise<void>;
};

export function choosePlanner(deps: { choice(): Choice; clock: Clock }): Planners {
  let made: { key: string; planner: Planner } | null = null;

  function make(choice: Choice): Planner {
    const random = (): string => randomBytes(8).toString('hex');
    const { name: model, baseUrl, numCtx, think } = choice;
    if (choice.kind === 'ollama') return createOllamaPlanner({ model, baseUrl, numCtx, think, clock: deps.clock, random });
    if (choice.kind === 'builtin') return createBuiltinPlanner({ interpret, nextStep });
    return createOpenAiPlanner({ model, baseUrl, profile: choice.profile, numCtx, think, clock: deps.clock, random });
  }

  return {
    current() {
      const choice = deps.choice();
      const key = JSON.stringify(choice);
      if (made?.key !== key) {
        void made?.planner.close();
        made = { key, planner: make(choice) };
      }
      return made.planner;
    },
    state: () => ({
      planner: deps.choice().kind === 'builtin' ? 'builtin' : `${deps.choice().kind}:${deps.choice().name}`,
      state: 'ready',
    }),
    async list(kind, baseUrl) {
      const signal = AbortSignal.timeout(listTimeoutMs);
      if (kind === 'openai') {
        const listed = await createOpenAiClient({ baseUrl, model: '' }).models(signal);
        return listed.map(({ name }) => ({ name, sizeBytes: null, tools: null }));
      }
      const installed = await createOllamaClient({ baseUrl, model: '' }).installed(signal);
      return installed.map((m) => ({ name: m.name, sizeBytes: m.size, tools: m.capabilities?.includes('tools') ?? null }));
    },
    close: async () => made?.planner.close(),
  };
}
