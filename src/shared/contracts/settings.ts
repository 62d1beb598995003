import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false };
const choice = <const T extends readonly string[]>(values: T) => Type.Unsafe<T[number]>({ enum: [...values] });

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
  model: Type.Object(
    { kind: choice(['builtin', 'ollama', 'openai']), name: Type.String({ maxLength: 200 }), baseUrl: Type.String({ maxLength: 300 }) },
    closed,
  ),
  historyDays: Type.Integer({ minimum: 1, maximum: 3650 }),
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
  model: { kind: 'builtin', name: '', baseUrl: 'http://127.0.0.1:11434' },
  historyDays: 90,
};
