import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

vi.stubGlobal('navigator', { language: 'en' });
vi.stubGlobal('matchMedia', () => ({ matches: false }));
const { catalogues, say } = await import('./words.ts');
const folder = new URL('..', import.meta.url).pathname;
const sources = (at: string): string[] =>
  readdirSync(at).flatMap((name) => {
    const path = join(at, name);
    return statSync(path).isDirectory() ? sources(path) : [path];
  });
const values = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((match) => match[1]!))].sort();
const { en, zh } = catalogues;

test('both catalogues have the same words, none empty', () => {
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [key, text] of [...Object.entries(en), ...Object.entries(zh)]) expect(text, key).not.toBe('');
});

test('a word has the same values in both languages', () => {
  for (const key of Object.keys(en) as (keyof typeof en)[]) expect(values(zh[key]), key).toEqual(values(en[key]));
});

test('the Chinese catalogue is Chinese: what has no Chinese sign is a name or a unit', () => {
  const latin = Object.entries(zh).filter(([, text]) => !/\p{Script=Han}/u.test(text) && /[a-z]{2,}/i.test(text.replace(/\{[^}]*\}/g, '')));
  expect(latin.map(([key]) => key).sort()).toEqual(
    ['brand', 'choice.lang.en', 'col.delta', 'csv', 'frame.exception', 'key.escape', 'model.ollama', 'pcap', 'png'].filter((key) =>
      latin.some(([found]) => found === key),
    ),
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
