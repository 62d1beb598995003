import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run, runFaults } from '../eval/lineFaults.ts';
import { ownFaults } from '../eval/lineFaultOwnCases.ts';

test('every given line fault ends as its file says', async () => {
  const { failures, passed } = await run([fileURLToPath(new URL('../fixtures/modbus/line-faults.json', import.meta.url))]);
  expect(failures).toEqual([]);
  expect(passed).toBe(30);
});

test('every line fault of the second file ends as it says', { timeout: 240_000 }, async () => {
  const { failures, passed } = await run([fileURLToPath(new URL('../fixtures/modbus/line-faults-more.json', import.meta.url))]);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(400);
});

test('every line fault of the third file, kinds that the others do not have, ends as it says', { timeout: 120_000 }, async () => {
  const { failures, passed } = await run([fileURLToPath(new URL('../fixtures/modbus/line-faults-third.json', import.meta.url))]);
  expect(failures).toEqual([]);
  expect(passed).toBe(30);
});

/** Kept over the repetitions: a busy machine excuses a late answer, nothing excuses a wrong one. */
const wrong: unknown[] = [];
test('every line fault of our own ends as it should, none with a wrong value', { retry: 2, timeout: 180_000 }, async () => {
  const { failures } = await runFaults(ownFaults);
  wrong.push(...failures.filter((failure) => failure.wrong_value || failure.wrong_write));
  expect(wrong).toEqual([]);
  expect(failures).toEqual([]);
});

test('the judge is not asleep: bent expectations fail', async () => {
  const some = ownFaults.filter((fault) => fault.kind === 'socket' && fault.expected.ok).slice(0, 5);
  const { failures } = await runFaults(some.map((fault) => ({ ...fault, expected: { ...fault.expected, values: [7, 7, 7] } })));
  expect(failures.map((failure) => failure.wrong_value)).toEqual(some.map(() => true));
});
