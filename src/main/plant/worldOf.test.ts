import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { World } from '../../shared/planner/types.ts';
import { simulatedPlantFile } from './simulated.ts';
import { localTime, worldOf } from './worldOf.ts';

const corpus = JSON.parse(readFileSync(new URL('../../../test/fixtures/plant/world.json', import.meta.url), 'utf8')) as World;

test('the simulated plant carries every tag of the corpus with its words, unit, range and access, first and in order', () => {
  const world = worldOf(simulatedPlantFile({ port: 502 }), ['COM3'], corpus.now);
  expect(world.tags.slice(0, corpus.tags.length)).toEqual(corpus.tags);
  expect(world.tags.length).toBeGreaterThanOrEqual(40);
});

test('its devices carry unit and aliases of the corpus', () => {
  const world = worldOf(simulatedPlantFile({ port: 502 }), [], corpus.now);
  for (const device of corpus.devices) {
    const ours = world.devices.find((d) => d.id === device.id);
    expect(ours?.unit).toBe(device.unit);
    expect(ours?.aliases).toEqual(expect.arrayContaining(device.aliases));
  }
});

test('the words that the corpus counts on fit no other tag', () => {
  const rest = worldOf(simulatedPlantFile({ port: 502 }), [], corpus.now).tags.slice(corpus.tags.length);
  const words = /temp|温度|pressure|压力|level|液位|pump|泵|freq|频率|valve|阀/i;
  expect(rest.flatMap((t) => [t.name, ...t.aliases]).filter((a) => words.test(a))).toEqual([]);
});

test('a device on a serial line is shown with port and baud rate', () => {
  const world = worldOf(simulatedPlantFile({ port: 502, rtuPath: 'ttyA' }), [], corpus.now);
  expect(world.devices[1]?.link).toEqual({ port: 'ttyA', baud: 19200 });
});

test('local time is written without an offset', () => {
  expect(localTime(new Date(2026, 2, 18, 10, 30, 0).getTime())).toBe('2026-03-18T10:30:00');
});
