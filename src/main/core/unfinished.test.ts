import { expect, test } from 'vitest';
import { recoveredInWords, resumeTurns } from './unfinished.ts';

const now = Date.parse('2026-11-30T08:00:00.000Z');
const left = (turnId: string, agoMs: number): object => ({
  sessionId: `s-${turnId}`,
  turnId,
  text: 'x',
  snapshot: { at: new Date(now - agoMs).toISOString() },
});

test('a fresh turn goes on, an old one and one that wrote to the plant do not', async () => {
  const asked: string[] = [];
  const resumed = await resumeTurns({
    agent: {
      resume: (sessionId) => {
        asked.push(sessionId);
        return Promise.resolve({} as never);
      },
    },
    snapshots: {
      unfinishedTurns: () =>
        [left('fresh', 5000), left('old', 3_600_000), left('wrote', 5000), { ...left('none', 0), snapshot: null }] as never,
    },
    record: { calls: (id) => (id === 's-wrote' ? [{ call: { turn_id: 'wrote' }, writes: [{}] }] : []) as never },
    now: () => now,
  });
  expect(asked).toEqual(['s-fresh']);
  expect(resumed).toEqual(['fresh']);
});

test('what a crash left is said with its target, in both languages', () => {
  const item = { item: 0, write: { kind: 'plant', tag: 'pump_speed', reference: '40001', device: 'drive' }, state: 'unknown' };
  const recovered = { interrupted: ['a'], writes: [{ call_id: 'c', items: [item] }], approvals_closed: [] } as never;
  expect(recoveredInWords(recovered, 'en').join(' ')).toMatch(/pump_speed.*unknown.*1 calls.*ten minutes/);
  expect(recoveredInWords(recovered, 'zh').join(' ')).toMatch(/pump_speed.*未知/);
  expect(recoveredInWords(null, 'en')).toEqual([]);
});
