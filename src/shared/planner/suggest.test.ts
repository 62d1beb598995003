import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { initials, interpret, suggest } from './index.ts';
import type { World } from './types.ts';

const world = JSON.parse(readFileSync(new URL('../../../test/fixtures/intents/world.json', import.meta.url), 'utf8')) as World;
const offered = (text: string, lang: 'zh' | 'en' = 'zh'): string[] =>
  suggest(text, text.length, world, lang).map((s) => text.slice(0, s.from) + s.insert + text.slice(s.to));

describe('suggestions while typing', () => {
  test('complete the name before the caret, in the language asked for', () => {
    expect(offered('读一下锅')).toContain('读一下锅炉温度');
    expect(offered('show boi', 'en')).toContain('show boiler temp');
  });
  test('find a name by its pinyin initials', () => {
    expect(initials('锅炉温度')).toBe('glwd');
    expect(offered('画一下glyl')).toEqual(['画一下锅炉压力']);
  });
  test('offer whole forms of requests', () => {
    expect(offered('撤销')).toContain('撤销上一次写入');
    expect(offered('list', 'en')).toEqual(expect.arrayContaining(['list tags', 'list serial ports']));
  });
  test('offer nothing for nothing', () => {
    expect(offered('')).toEqual([]);
    expect(offered('  ')).toEqual([]);
  });
});

test('pinyin initials name a tag when only one has them', () => {
  expect(interpret('glyl多少', world)).toMatchObject({ intent: 'tag_read', params: { tags: ['boiler_pressure'] } });
});
