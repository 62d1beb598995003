import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../shared/contracts/settings.ts';
import { HandrailError } from '../../shared/errors.ts';
import { openSettings } from './settings.ts';

const fresh = (): string => join(mkdtempSync(join(tmpdir(), 'handrail-settings-')), 'settings.json');
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof HandrailError ? `${error.code} ${error.message}` : String(error);
  }
  return 'accepted';
};

test('settings are kept in a file and merged with the defaults of newer keys', () => {
  const file = fresh();
  openSettings(file).set({
    lang: 'zh',
    model: { kind: 'ollama', name: 'qwen3:8b', baseUrl: 'http://127.0.0.1:11434', profile: 'generic', numCtx: 8192, think: null },
  });
  expect(openSettings(file).get()).toMatchObject({ lang: 'zh', model: { name: 'qwen3:8b' } });
  writeFileSync(file, '{"operator":"Li"}');
  expect(openSettings(file).get()).toEqual({ ...defaultSettings, operator: 'Li' });
});

test('a damaged or unknown setting is refused by its place and the file stays as it is', () => {
  const file = fresh();
  writeFileSync(file, '{"operator":');
  expect(codeOf(() => openSettings(file))).toMatch(/^ARGS_SETTINGS/);
  writeFileSync(file, '{"textHz":7}');
  expect(codeOf(() => openSettings(file))).toContain('/textHz');
  writeFileSync(file, '{"autoApprove":true}');
  expect(codeOf(() => openSettings(file))).toMatch(/^ARGS_SETTINGS/);
  expect(readFileSync(file, 'utf8')).toBe('{"autoApprove":true}');
  expect(codeOf(() => openSettings(fresh()).set({ httpHosts: ['a b'] }))).toContain('/httpHosts/0');
});
