import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { defaultSettings, settingsSchema, type Settings } from '../../shared/contracts/settings.ts';
import { HandrailError } from '../../shared/errors.ts';

const isSettings = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false }).compile<Settings>(settingsSchema);

export type SettingsStore = {
  get(): Settings;
  set(change: Partial<Settings>): Settings;
  onChange(listener: (settings: Settings) => void): () => void;
};

/**
 * Settings in one hand-editable file, saved atomically. A file that does not fit is not overwritten and not guessed at:
 * ARGS_SETTINGS names the place, and the person decides.
 */
export function openSettings(file: string, firstStart: Settings = defaultSettings): SettingsStore {
  let current = existsSync(file) ? read(file) : firstStart;
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
