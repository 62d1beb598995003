import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpret, suggest } from './index.ts';
import type { Interpretation, World } from './types.ts';

const folder = new URL('../../../test/fixtures/intents/', import.meta.url);
const world = JSON.parse(readFileSync(new URL('world.json', folder), 'utf8')) as World;
type Line = Interpretation & { text: string; lang: string };
const train = readFileSync(new URL('train.jsonl', folder), 'utf8')
  .split('\n')
  .filter((l) => l !== '')
  .map((l) => JSON.parse(l) as Line);
const english = train.filter((l) => l.lang === 'en');
const chinese = train.filter((l) => l.lang === 'zh');

/** The same meaning; a query is compared without the case and width it was typed in. */
function meaning(text: string): unknown {
  const got = interpret(text, world);
  const plain = JSON.stringify(got).normalize('NFKC').toLowerCase();
  return JSON.parse(plain) as unknown;
}
const wide = (text: string): string =>
  [...text].map((c) => (/[0-9A-Za-z]/.test(c) ? String.fromCodePoint(c.codePointAt(0)! + 0xfee0) : c)).join('');
const isWrite = (x: Interpretation): boolean =>
  !x.needs_clarification &&
  (['tag_write', 'modbus_write', 'undo'].includes(x.intent) ||
    (x.intent === 'multi' && (x.params.steps as Interpretation[]).some((s) => isWrite({ ...s, needs_clarification: false }))));

describe('the meaning of a request does not change', () => {
  test.each(english.map((l) => l.text))('in capitals: %s', (text) => {
    // a file keeps its own spelling, which is compared without case
    expect(meaning(text.toUpperCase().replaceAll('0X', '0x'))).toEqual(meaning(text));
  });
  test.each(train.map((l) => l.text))('in full width: %s', (text) => {
    expect(meaning(wide(text))).toEqual(meaning(text));
  });
  test.each(train.map((l) => l.text))('with spaces around and doubled: %s', (text) => {
    expect(meaning(`  ${text.replaceAll(' ', '  ')} `)).toEqual(meaning(text));
  });
  test.each(train.map((l) => l.text))('with a full stop or none: %s', (text) => {
    const bare = text.replace(/[?？。.]$/, '');
    expect(meaning(`${bare}.`)).toEqual(meaning(bare));
    expect(meaning(`${bare}。`)).toEqual(meaning(bare));
  });
  test.each(chinese.map((l) => l.text))('with polite words: %s', (text) => {
    expect(meaning(`请${text}`)).toEqual(meaning(text));
    expect(meaning(`${text}，谢谢`)).toEqual(meaning(text));
    expect(meaning(`麻烦您${text}`)).toEqual(meaning(text));
  });
  test.each(english.map((l) => l.text))('with polite words: %s', (text) => {
    expect(meaning(`please ${text}`)).toEqual(meaning(text));
    expect(meaning(`${text.replace(/[?]$/, '')}, thanks`)).toEqual(meaning(text.replace(/[?]$/, '')));
  });
  test.each(chinese.map((l) => l.text))('with spaces between Chinese words and numbers: %s', (text) => {
    expect(meaning(text.replace(/([\u3400-\u9fff])(\d)/g, '$1 $2').replace(/(\d)([\u3400-\u9fff])/g, '$1 $2'))).toEqual(meaning(text));
  });
});

describe('any text at all', () => {
  test('is answered without throwing, in a fraction of a second', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.string({ maxLength: 300, unit: 'binary' })), (text) => {
        const got = interpret(text, world);
        expect(typeof got.intent).toBe('string');
        expect(got.needs_clarification || got.intent === 'refuse' || got.intent === 'unknown').toBe(got.reason !== null);
      }),
      { numRuns: 2000 },
    );
  });

  test('of random characters never becomes a write', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120, unit: 'grapheme' }), (text) => {
        expect(isWrite(interpret(text, world))).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  test('of shuffled request words is a write only of what its own words name', () => {
    const words = [
      'read',
      'set',
      'pump',
      '1',
      '2',
      'frequency',
      'to',
      '30',
      'Hz',
      'slave',
      'register',
      '5',
      'what',
      'is',
      'not',
      'coil',
      'on',
      'yesterday',
      '温度',
      '设为',
      '读',
      '一号',
      '泵',
      '从站',
      '，',
      '多少',
      'if',
      'why',
      '40001',
      '%',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), (picked) => {
        const got = interpret(picked.join(' '), world);
        if (!isWrite(got)) return;
        // every number of the write stands in the text, and none is left that the write does not use
        const steps = got.intent === 'multi' ? (got.params.steps as Interpretation[]) : [got];
        expect(picked.some((w) => ['what', 'why', 'if', 'not', '多少'].includes(w)) && got.intent !== 'multi').toBe(false);
        for (const step of steps) {
          if (step.intent === 'tag_write' && typeof step.params.value === 'number')
            expect(['1', '2', '5', '30', '40001', '一号']).toContain(String(step.params.value));
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('of great length ends soon', () => {
    for (const text of [
      '1'.repeat(20000),
      '一'.repeat(20000),
      'pump 1 and '.repeat(2000),
      '，'.repeat(5000),
      'set '.repeat(3000),
      '设定'.repeat(3000),
      '从'.repeat(4000),
      '8点到'.repeat(1000),
    ]) {
      const got = interpret(text, world);
      expect(isWrite(got)).toBe(false);
    }
  });

  test('being typed gets suggestions that fit in place', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'grapheme' }), fc.integer({ min: -5, max: 80 }), (text, caret) => {
        for (const s of suggest(text, caret, world, 'zh')) expect(s.from <= s.to && s.to <= text.length && s.from >= 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
