import { expect, test } from 'vitest';
import { HandrailError } from '../../shared/errors.ts';
import { watchHealth } from './health.ts';
import type { CoreParts } from './parts.ts';

function parts(change: Record<string, unknown>): CoreParts {
  const listen = { onHealth: () => () => undefined, onEvent: () => () => undefined, onNews: () => () => undefined };
  return {
    agent: listen,
    gateway: listen,
    devices: { ...listen, health: () => [] },
    settings: { onChange: () => () => undefined },
    sandbox: { levels: () => Promise.resolve([]), health: () => Promise.resolve({ brokerPid: null, pools: [] }) },
    record: { health: () => ({ events: 3, bytes: 9, writable: true, reason: null }) },
    plant: { samplingTrouble: () => null },
    modelState: () => ({ planner: 'builtin', state: 'ready' }),
    ...change,
  } as unknown as CoreParts;
}

test('a history that cannot be written is shown with its loss and its advice, and gone when it can', () => {
  let trouble: unknown = { error: new HandrailError('STORE_WRITE', { detail: { reason: 'the disk is full' } }), dropped: 12 };
  const health = watchHealth(parts({ plant: { samplingTrouble: () => trouble } }));
  const { history } = health.now();
  expect(history).toMatchObject({ dropped: 12, error: { code: 'STORE_WRITE' } });
  expect(history!.error.advice.en.length).toBeGreaterThan(10);
  expect(history!.error.advice.zh).toMatch(/\p{Script=Han}/u);
  trouble = null;
  expect(health.now().history).toBeNull();
  health.close();
});

test('a record that cannot be written is a trouble, a record opened for reading is none', () => {
  const reading = { health: () => ({ events: 3, bytes: 9, writable: false, reason: 'read-only' }) };
  expect(watchHealth(parts({ record: reading })).now().record.blocked).toBeNull();
  const full = { health: () => ({ events: 3, bytes: 9, writable: false, reason: 'the disk is full' }) };
  expect(watchHealth(parts({ record: full })).now().record.blocked).toMatchObject({ code: 'STORE_WRITE' });
});

test('no level is claimed before the self-test has ended, and it is not run before somebody looks', async () => {
  let asked = 0;
  const levels = () => {
    asked += 1;
    return Promise.resolve([{ lang: 'python', level: 'kernel', reason: null }]);
  };
  const health = watchHealth(parts({ sandbox: { levels, health: () => Promise.resolve({ brokerPid: 1, pools: [] }) } }));
  expect(asked).toBe(0);
  expect(health.now().sandbox).toEqual([]);
  await new Promise(setImmediate);
  expect(health.now().sandbox).toMatchObject([
    { lang: 'python', level: 'kernel', by: { network: { en: 'network namespace and filter' } } },
  ]);
  expect(asked).toBe(1);
});
