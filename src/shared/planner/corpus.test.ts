import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isWrongWrite, matches } from '../../../test/eval/intents.ts';
import { interpret } from './index.ts';
import type { Interpretation, World } from './types.ts';

const folder = new URL('../../../test/fixtures/intents/', import.meta.url);
const world = JSON.parse(readFileSync(new URL('world.json', folder), 'utf8')) as World;
type Line = Interpretation & { id: string; text: string };
const linesOf = (file: string): Line[] =>
  readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

describe.each(readdirSync(folder).filter((name) => name.endsWith('.jsonl')))('%s', (file) => {
  const lines = linesOf(file);

  test('holds requests in both languages, each id once', () => {
    expect(lines.length).toBeGreaterThan(20);
    expect(new Set(lines.map((l) => l.id)).size).toBe(lines.length);
  });

  test.each(lines.map((l) => [l.text, l] as const))('%s', (text, line) => {
    const got = interpret(text, world);
    const { intent, params, needs_clarification, reason } = line;
    const expected = { intent, params, needs_clarification, reason };
    if (!matches(expected, got)) expect(got).toEqual(expected);
    expect(isWrongWrite(expected, got)).toBe(false);
  });
});

describe('the match rule of the corpus', () => {
  const read = (params: Record<string, unknown>): Interpretation => ({
    intent: 'tag_read',
    params,
    needs_clarification: true,
    reason: 'unknown_tag',
  });

  test('a query matches when one contains the other, letter case aside', () => {
    expect(matches(read({ query: 'chiller outlet' }), read({ query: 'Chiller Outlet Temperature' }))).toBe(true);
    expect(matches(read({ query: 'chiller' }), read({ query: 'boiler' }))).toBe(false);
    expect(matches(read({ query: 'chiller' }), read({ query: '' }))).toBe(false);
  });

  test('array order counts, key order does not, and an extra key is a miss', () => {
    expect(matches(read({ tags: ['a', 'b'] }), read({ tags: ['b', 'a'] }))).toBe(false);
    expect(matches(read({ a: 1, b: 2 }), read({ b: 2, a: 1 }))).toBe(true);
    expect(matches(read({ a: 1 }), read({ a: 1, b: 2 }))).toBe(false);
  });

  test('a write proposed for a question, or with another value, is a wrong write', () => {
    const write = (value: number): Interpretation => ({
      intent: 'tag_write',
      params: { tag: 'x', value },
      needs_clarification: false,
      reason: null,
    });
    expect(isWrongWrite(write(1), write(2))).toBe(true);
    expect(isWrongWrite(read({}), write(2))).toBe(true);
    expect(isWrongWrite(write(2), write(2))).toBe(false);
    expect(isWrongWrite(write(2), { ...write(3), needs_clarification: true })).toBe(false);
  });
});
