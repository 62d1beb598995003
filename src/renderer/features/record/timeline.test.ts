import { expect, test } from 'vitest';
import type { EventKind, RecordEvent } from '../../../shared/contracts/record.ts';
import { gist, isFaulty, seek, stepsOf, waitBefore } from './timeline.ts';

const event = (seq: number, kind: EventKind, payload: unknown, at = seq * 1000): RecordEvent => ({
  seq,
  at: new Date(at).toISOString(),
  session: 's',
  turn: null,
  call: null,
  kind,
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  prev_hash: '',
  hash: '',
});
const steps = stepsOf([
  event(1, 'turn-started', { text: 'hello' }),
  event(2, 'result', { ok: false, error: { code: 'DEVICE_NO_ANSWER', message: 'no' } }),
  event(3, 'write-step', { step: 'verdict', verdict: 'confirmed' }),
  event(4, 'note', 'not json', 90_000),
]);

test('each record says its gist, and one that cannot be read is shown as it is', () => {
  const word = (key: string): string => `<${key}>`;
  expect(gist(steps[0]!, word)).toBe('hello');
  expect(gist(steps[1]!, word)).toBe('DEVICE_NO_ANSWER no');
  expect(steps[3]!.payload).toEqual({ unreadable: 'not json' });
});

test('a result is told by its values, a state by its word', () => {
  const [read, state] = stepsOf([
    event(1, 'result', {
      ok: true,
      result: {
        readings: [
          { tag: 'boiler_temp', value: 165.2, unit: '°C' },
          { tag: 'flow', value: null, unit: '' },
        ],
      },
    }),
    event(2, 'state', { state: 'PLANNING', why: 'a message came' }),
  ]);
  expect(gist(read!, (key) => key)).toBe('boiler_temp 165.2 °C · flow —');
  expect(gist(state!, (key) => `<${key}>`)).toBe('<step.plan>: a message came');
});

test('faults are found by what happened, not by words', () => {
  expect(steps.map(isFaulty)).toEqual([false, true, false, false]);
  expect(isFaulty(stepsOf([event(5, 'write-step', { step: 'verdict', verdict: 'unknown' })])[0]!)).toBe(true);
});

test('seeking stops at the ends and stays where nothing fits', () => {
  expect(seek(steps, 0, 1, isFaulty)).toBe(1);
  expect(seek(steps, 1, 1, isFaulty)).toBe(1);
  expect(seek(steps, 3, -1, (step) => step.event.kind === 'turn-started')).toBe(0);
});

test('playing keeps the pace, jumps long pauses and goes faster on request', () => {
  expect(waitBefore(steps, 1, 1)).toBe(1000);
  expect(waitBefore(steps, 1, 4)).toBe(250);
  expect(waitBefore(steps, 3, 1)).toBe(2000);
});
