import { describe, expect, test } from 'vitest';
import { simulatedPlantFile } from '../simulated.ts';
import { advance, drumPressure, newBoilerHouse, readingsOf, type BoilerHouse, type Commands, type Troubles } from './boilerHouse.ts';

const start = Date.parse('2026-03-18T10:30:00Z');
/** The plant after some seconds with other commands. */
function after(
  seconds: number,
  commands: Partial<Commands> = {},
  troubles: Troubles = {},
  from: BoilerHouse = newBoilerHouse(start),
): BoilerHouse {
  return advance({ ...from, commands: { ...from.commands, ...commands } }, from.at + seconds * 1000, troubles);
}

test('the same state and times give the same values, in one stride or in many', () => {
  let many = newBoilerHouse(start);
  for (let i = 1; i <= 120; i++) many = advance(many, start + i * 500);
  expect(readingsOf(many)).toEqual(readingsOf(after(60)));
});

test('left alone for a day it stays in its ranges and raises no alarm', () => {
  const file = simulatedPlantFile({ port: 1 });
  let house = newBoilerHouse(start);
  for (let hour = 1; hour <= 24; hour++) {
    house = advance(house, start + hour * 3_600_000);
    const values = readingsOf(house);
    for (const tag of file.tags) {
      const value = values[tag.id];
      if (typeof value !== 'number' || tag.range.min === null || tag.range.max === null) continue;
      expect([tag.id, value >= tag.range.min && value <= tag.range.max]).toEqual([tag.id, true]);
    }
    expect(values['alarm_word']).toBe(0);
  }
});

describe('everything hangs together', () => {
  test('the temperature follows its setpoint with a lag, the pressure follows the temperature', () => {
    const soon = after(5, { boiler_temp_sp: 120 });
    const later = after(600, { boiler_temp_sp: 120 });
    expect(soon.process.boilerTemp).toBeGreaterThan(158);
    expect(Math.abs(later.process.boilerTemp - 120)).toBeLessThan(3);
    expect(readingsOf(later)['boiler_pressure']).toBeLessThan(readingsOf(soon)['boiler_pressure'] as number);
    expect(drumPressure(165)).toBeCloseTo(0.6, 1); // steam tables: 0.70 MPa absolute at 165 °C
  });

  test('a closed inlet empties tank 1, an open one fills it', () => {
    const level = (valve: number) => after(300, { inlet_valve: valve }).process.tank1;
    expect(level(0)).toBeLessThan(level(45));
    expect(level(100)).toBeGreaterThan(level(45));
  });

  test('a stopped pump takes flow and current with it, and without water the burner trips until it is acknowledged', () => {
    const stopped = after(60, { pump2_run: false });
    expect(readingsOf(stopped)).toMatchObject({ feedwater_flow: 0, motor_current: 0 });
    const dry = after(3600, { pump1_run: false });
    expect(readingsOf(dry)).toMatchObject({ alarm_word: 2, burner_on: false, feed_ready: false });
    const refilled = after(1800, { pump1_run: true }, {}, dry);
    expect(readingsOf(refilled)['alarm_word']).toBe(2); // it latches
    expect(readingsOf(after(30, { alarm_ack: true }, {}, refilled))).toMatchObject({ alarm_word: 0, alarm_ack: false });
  });

  test('counters only grow, and faster with more power', () => {
    const energy = (house: BoilerHouse) => house.process.energyKwh - newBoilerHouse(start).process.energyKwh;
    expect(energy(after(600))).toBeGreaterThan(0);
    expect(energy(after(600, { line_speed: 80 }))).toBeGreaterThan(energy(after(600)));
  });

  test('a runaway burner ends in the overheat alarm, not in a melted boiler', () => {
    const hot = after(600, {}, { overheats: true });
    expect(readingsOf(hot)).toMatchObject({ alarm_word: 1, burner_on: false });
    expect(hot.process.boilerTemp).toBeLessThan(245);
  });
});

test('a clock that is set back moves nothing, a long pause is made up for within bounds', () => {
  const house = newBoilerHouse(start);
  expect(advance(house, start - 1000).process).toEqual(house.process);
  const week = advance(house, start + 7 * 86_400_000);
  expect(week.at).toBe(start + 7 * 86_400_000);
  expect(week.process.runHours - house.process.runHours).toBeCloseTo(2, 1);
});
