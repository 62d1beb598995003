import type { Lang } from '../errors.ts';

/** Which planner answers. `openai` is any OpenAI-compatible local server. */
export type ModelChoice =
  | { kind: 'builtin' }
  | { kind: 'ollama'; name: string; baseUrl: string; numCtx: number | null; think: boolean | null }
  | { kind: 'openai'; name: string; baseUrl: string; profile: 'generic' | 'lm-studio' | 'llama.cpp' | 'vllm' };

/** What a person sets in the window; one JSON file in the data folder. Agents and tools cannot write it. */
export type Settings = {
  lang: Lang | null;
  operator: string;
  model: ModelChoice;
  theme: 'light' | 'dark' | 'contrast' | null;
  density: 'dense' | 'regular' | 'glove' | null;
  sendWith: 'enter' | 'ctrl-enter';
  /** Type the value instead of holding the button. */
  typeToApprove: boolean;
  /** Redraws of live text per second. */
  redrawHz: 1 | 4 | 10;
  sound: boolean;
  /** No function code that could change a device leaves the program. */
  readOnly: boolean;
  /** Hosts that http_request may ask, as `host` or `host:port`; empty means none. */
  httpHosts: string[];
  plantFile: string | null;
};
