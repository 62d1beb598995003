import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Settings } from '../../shared/contracts/settings.ts';
import { HandrailError } from '../../shared/errors.ts';

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const model = {
  type: 'object',
  required: ['kind'],
  oneOf: [
    { properties: { kind: { const: 'builtin' } }, additionalProperties: false },
    {
      properties: { kind: { const: 'ollama' }, name: text(200), baseUrl: text(500), numCtx: { type: ['integer', 'null'], minimum: 512, maximum: 1_048_576 }, think: { type: ['boolean', 'null'] } },
      required: ['name', 'baseUrl', 'numCtx', 'think'],
      additionalProperties: false,
    },
    {
      properties: { kind: { const: 'openai' }, name: text(200), baseUrl: text(500), profile: { enum: ['generic', 'lm-studio', 'llama.cpp', 'vllm'] } },
      required: ['name', 'baseUrl', 'profile'],
      additionalProperties: false,
    },
  ],
};
const properties = {
  lang: { enum: ['zh', 'en', null] },
  operator: text(80),
  model,
  theme: { enum: ['light', 'dark', 'contrast', null] },
  density: { enum: ['dense', 'regular', 'glove', null] },
  sendWith: { enum: ['enter', 'ctrl-enter'] },
  typeToApprove: { type: 'boolean' },
  redrawHz: { enum: [1, 4, 10] },
  sound: { type: 'boolean' },
  readOnly: { type: 'boolean' },
  httpHosts: { type: 'array', maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 260, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' } },
  plantFile: { type: ['string', 'null'], maxLength: 4096 },
};
const isSettings = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, strictTypes: false }).compile<Settings>({
  type: 'object', properties, required: Object.keys(properties), additionalProperties: false,
});

export const defaultSettings: Settings = {
  lang: null, operator: '', model: { kind: 'builtin' }, theme: null, density: null, sendWith: 'enter', typeToApprove: false, redrawHz: 4,
  sound: false, readOnly: false, httpHosts: [], plantFile: null,
};

export type SettingsStore = { get(): Settings; set(change: Partial<Settings>): Settings; onChange(listener: (settings: Settings) => void): () => void };

/**
 * Settings in one hand-editable file, saved atomically. A file that does not fit is not overwritten and not guessed at:
 * ARGS_SETTINGS names the place, and the person decides.
 */
export function openSettings(file: string): SettingsStore {
  let current = existsSync(file) ? read(file) : defaultSettings;
  const listeners = new Set<(settings: Settings) => void>();
  return {
    get: () => current,
    set(change) {
      current = checked({ ...current, ...change }, file);
      mkdirSync(dirname(file), { recursive: true });
      const aside = `${file}.new`;
      writeFileSync(aside, `${JSON.stringify(current, null, 2)}\n`);
      renameSync(aside, file);
      listeners.forEach((listener) => listener(current));
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function read(file: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new HandrailError('ARGS_SETTINGS', { detail: { file, reason: cause instanceof Error ? cause.message : String(cause) }, cause });
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return checked({ ...defaultSettings, ...object }, file); // a file of an older version lacks newer keys
}

function checked(value: unknown, file: string): Settings {
  if (isSettings(value)) return value;
  const first = isSettings.errors?.[0];
  throw new HandrailError('ARGS_SETTINGS', { detail: { file, reason: `${first?.instancePath || '/'} ${first?.message ?? ''}` } });
}
