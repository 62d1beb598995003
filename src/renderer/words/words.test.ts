import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('navigator', { language: 'en' });
vi.stubGlobal('matchMedia', () => ({ matches: false }));
const { say } = await import('./words.ts');
const { catalogue, lists } = await import('./catalogue/index.ts');
const folder = new URL('..', import.meta.url).pathname;
const sources = (at: string): string[] =>
  readdirSync(at).flatMap((name) => {
    const path = join(at, name);
    return statSync(path).isDirectory() ? sources(path) : [path];
  });
const values = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((match) => match[1]!))].sort();
const words = Object.entries(catalogue);

test('every word has both languages, none empty, and stands in one list only', () => {
  for (const [key, { en, zh }] of words) expect([key, en.trim() === '', zh.trim() === '']).toEqual([key, false, false]);
  const keys = lists.flatMap((list) => Object.keys(list));
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  expect(Object.keys(catalogue).sort()).toEqual(keys.sort());
});

test('a word has the same values in both languages', () => {
  for (const [key, { en, zh }] of words) expect(values(zh), key).toEqual(values(en));
});

test('the Chinese catalogue is Chinese: what has no Chinese sign is a name or a unit', () => {
  const latin = words.filter(([, { zh }]) => !/\p{Script=Han}/u.test(zh) && /[a-z]{2,}/i.test(zh.replace(/\{[^}]*\}/g, '')));
  expect(latin.map(([key]) => key).sort()).toEqual(
    [
      'brand',
      'choice.lang.en',
      'col.delta',
      'csv',
      'frame.exception',
      'key.escape',
      'model.ollama',
      'pcap',
      'png',
      'registers.count',
    ].filter((key) => latin.some(([found]) => found === key)),
  );
});

test('plurals follow the language', () => {
  expect(say('en', 'record.calls', { n: 1 })).toBe('1 call');
  expect(say('en', 'record.calls', { n: 3 })).toBe('3 calls');
  expect(say('zh', 'record.calls', { n: 1 })).toBe('1 次调用');
});

test('no component carries words of its own', () => {
  const wrong = sources(folder)
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return [
        ...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)[^<{]*</g),
        ...text.matchAll(/(?:title|aria-label|placeholder|alt)="([^"]+)"/g),
      ].map((match) => `${path}: ${match[1]}`);
    });
  expect(wrong).toEqual([]);
});

test('colours and font sizes come from the tokens only', () => {
  const wrong = sources(folder)
    .filter((path) => /\.(css|tsx)$/.test(path) && !path.endsWith('tokens.css'))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/#[0-9a-fA-F]{3,8}\b(?![^<]*>)|font-size:\s*\d+px/g)].map((match) => `${path}: ${match[0]}`),
    );
  expect(wrong.filter((line) => !line.includes('screens.css: font-size: 12px'))).toEqual([]);
});
