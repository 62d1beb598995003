import { expect, test } from 'vitest';
import type { StateLogEntry } from '../../../shared/contracts/agent.ts';
import { logRows, whyWords } from './stateLog.ts';

const at = (ms: number): string => new Date(Date.UTC(2026, 11, 1) + ms).toISOString();
const log: StateLogEntry[] = [
  { state: 'PLANNING', at: at(0), duration_ms: 58.2, why: 'a message came', fuse_ms: 8000 },
  { state: 'TOOL_CALLING', at: at(60), duration_ms: 3000, why: 'calls: tag_read', fuse_ms: 3000 },
  { state: 'PLANNING', at: at(3060), duration_ms: 15, why: 'replan 1: tag_read: no answer', fuse_ms: 8000 },
  { state: 'VERIFICATION', at: at(3075), duration_ms: null, why: 'an answer is drafted', fuse_ms: 5000 },
  { state: 'IDLE', at: at(3100), duration_ms: null, why: 'answered', fuse_ms: null },
];

test('the log of a turn becomes rows in time, with what was planned again and which fuse ended a state', () => {
  const { rows, totalMs, ending } = logRows(log);
  expect(rows.map(({ state, from, ms, blown }) => [state, from, ms, blown])).toEqual([
    ['PLANNING', 0, 58.2, false],
    ['TOOL_CALLING', 60, 3000, true],
    ['PLANNING', 3060, 15, false],
    ['VERIFICATION', 3075, 25, false],
  ]);
  expect(rows[2]!.replan).toEqual({ n: 1, reason: 'tag_read: no answer' });
  expect([totalMs, ending]).toEqual([3100, 'answered']);
  expect(logRows([])).toEqual({ rows: [], totalMs: 1, ending: '' });
});

test('a reason of the loop is said in the reader’s words, another one as it is recorded', () => {
  const say = (key: string): string => `<${key}>`;
  expect([whyWords('a message came', say), whyWords('calls: tag_read', say), whyWords('the sun came out', say)]).toEqual([
    '<why.message>',
    '<why.calls>',
    'the sun came out',
  ]);
});
