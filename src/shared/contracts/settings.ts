import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false };
const choice = <const T extends readonly string[]>(values: T) => Type.Unsafe<T[number]>({ enum: [...values] });
const baseUrl = Type.String({ maxLength: 300, pattern: '^(https?://.+)?$' });

/** What a person sets in the window; one JSON file in the data folder. Agents and tools cannot write it. */
const fields = {
  lang: choice(['zh', 'en']),
  theme: choice(['auto', 'light', 'dark', 'contrast']),
  density: choice(['dense', 'regular', 'glove']),
  /** Redraws of a value a second. */
  textHz: Type.Union([Type.Literal(1), Type.Literal(4), Type.Literal(10)]),
  sendWith: choice(['enter', 'ctrl-enter']),
  /** How a write is approved; for people who cannot hold, or on wet screens, the value is typed instead. */
  approveBy: choice(['hold', 'type']),
  sound: Type.Boolean(),
  /** Stands in each approval. */
  operator: Type.String({ minLength: 1, maxLength: 80 }),
  /** `openai` is any OpenAI-compatible local server. `numCtx` null: chosen by Handrail from what the model and machine have. */
  model: Type.Object(
    {
      kind: choice(['builtin', 'ollama', 'openai']),
      name: Type.String({ maxLength: 200 }),
      baseUrl,
      profile: choice(['generic', 'lm-studio', 'llama.cpp', 'vllm']),
      numCtx: Type.Union([Type.Integer({ minimum: 1024, maximum: 1_048_576 }), Type.Null()]),
      think: Type.Union([Type.Boolean(), Type.Null()]),
    },
    closed,
  ),
  historyDays: Type.Integer({ minimum: 1, maximum: 3650 }),
  /** Days the record is kept, 30 at least; null: for ever. What goes leaves its digest in the chain, so that the rest still proves itself. */
  recordDays: Type.Union([Type.Integer({ minimum: 30, maximum: 36_500 }), Type.Null()]),
  /** No function code that could change a device leaves the program (enforced below everything). */
  readOnly: Type.Boolean(),
  /** Hosts that http_request may ask, as `host` or `host:port`; empty means none. */
  httpHosts: Type.Array(Type.String({ minLength: 1, maxLength: 260, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' }), { maxItems: 100 }),
  /** The plant file to open; null is the simulated plant. */
  plantFile: Type.Union([Type.String({ maxLength: 4096 }), Type.Null()]),
  /** The first-run choices have been made or passed by. */
  welcomed: Type.Boolean(),
};

export const settingsSchema = Type.Object(fields, closed);
export const settingsPatch = Type.Partial(settingsSchema);
export type Settings = Static<typeof settingsSchema>;
export type SettingsPatch = Static<typeof settingsPatch>;

export const defaultSettings: Settings = {
  lang: 'en',
  theme: 'auto',
  density: 'regular',
  textHz: 4,
  sendWith: 'enter',
  approveBy: 'hold',
  sound: false,
  operator: 'operator',
  model: { kind: 'builtin', name: '', baseUrl: 'http://127.0.0.1:11434', profile: 'generic', numCtx: null, think: null },
  historyDays: 90,
  recordDays: null,
  readOnly: false,
  httpHosts: [],
  plantFile: null,
  welcomed: false,
};
