import { expect, test } from 'vitest';
import type { TurnReport } from '../../shared/contracts/agent.ts';
import { classicTokens } from './classicTokens.ts';

const entry = (tool: string, result: unknown): TurnReport['calls'][number] =>
  ({ call: { tool, args: {} }, result: { ok: true, result, error: null } }) as unknown as TurnReport['calls'][number];

test('rows that a program kept to itself are charged in the classic way, the program is not', () => {
  const rows = Array.from({ length: 200 }, (_, i) => ({ at: 1_767_600_000_000 + i * 1000, value: 20.5 + i }));
  const turn = { text: 'highest pressure?', answer: '7.9 bar' };
  const none = classicTokens({ ...turn, calls: [] });
  const small = classicTokens({ ...turn, calls: [entry('execute', { output: 7.9 })] });
  const big = classicTokens({ ...turn, calls: [entry('trend', rows), entry('execute', { output: 7.9 })] });
  expect(small).toBe(none);
  expect(big - none).toBeGreaterThan(200 * 20);
});

test('each further call sends everything before it again', () => {
  const call = entry('tag_read', { readings: [{ tag: 'a', value: 1 }] });
  const cost = (n: number): number => classicTokens({ text: 'x', answer: 'y', calls: Array.from({ length: n }, () => call) });
  expect(cost(2) - cost(1)).toBeGreaterThan(cost(1) - cost(0));
});
