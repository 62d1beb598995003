import { expect, test } from 'vitest';
import type { LineHealth } from '../../shared/contracts/devices.ts';
import type { PlantFile } from '../../shared/contracts/plant.ts';
import { HandrailError } from '../../shared/errors.ts';
import { defaultSettings, type Settings } from '../../shared/contracts/settings.ts';
import { lockOnLineLoss, retainHistory, retainRecord } from './housekeeping.ts';

const file = {
  devices: [
    { id: 'plc1', connection: 'net' },
    { id: 'vfd2', connection: 'com' },
  ],
} as unknown as PlantFile;

test('writing that was opened for a device is locked when its line is lost, and only then', () => {
  let tell: (health: LineHealth) => void = () => undefined;
  const locked: string[] = [];
  const stop = lockOnLineLoss({
    devices: {
      onHealth: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    arming: {
      arm: () => [],
      list: () => [],
      onChange: () => () => undefined,
      isArmed: (d) => d === 'plc1',
      lock: (why) => locked.push(why),
    },
    plant: { file },
  });
  const health = (connection: string, state: LineHealth['state'], error: HandrailError | null): LineHealth =>
    ({ connection, state, error }) as LineHealth;
  tell(health('net', 'open', null));
  tell(health('com', 'waiting-retry', new HandrailError('PORT_CLOSED')));
  expect(locked).toEqual([]);
  tell(health('net', 'waiting-retry', new HandrailError('PORT_CLOSED')));
  expect(locked).toEqual(['the line net was lost']);
  stop();
});

test('samples older than the days asked for are dropped at start', () => {
  const asked: number[] = [];
  const stop = retainHistory({
    history: {
      retain: (before: number) => {
        asked.push(before);
        return 0;
      },
    } as never,
    days: () => 2,
    now: () => 10 * 86_400_000,
  });
  stop();
  expect(asked).toEqual([8 * 86_400_000]);
});

test('the record is kept for ever until a person wishes otherwise, and then cut piece by piece', async () => {
  const asked: number[] = [];
  let pieces = 3;
  let change: (settings: Settings) => void = () => undefined;
  let settings: Settings = { ...defaultSettings };
  const stop = retainRecord({
    store: {
      retain: (before) => {
        asked.push(before);
        return pieces-- > 0 ? ({} as never) : null;
      },
    },
    settings: { get: () => settings, onChange: (listener) => ((change = listener), () => undefined) },
    now: () => 100 * 86_400_000,
  });
  await new Promise(setImmediate);
  expect(asked).toEqual([]);
  settings = { ...settings, recordDays: 30 };
  change(settings);
  while (asked.length < 4) await new Promise(setImmediate);
  await stop();
  expect(asked).toEqual(Array(4).fill(70 * 86_400_000));
});

test('a disk that refuses to cut the record stops nothing', async () => {
  const stop = retainRecord({
    store: {
      retain: () => {
        throw new HandrailError('STORE_WRITE', { detail: { reason: 'the disk is full' } });
      },
    },
    settings: { get: () => ({ ...defaultSettings, recordDays: 30 }), onChange: () => () => undefined },
    now: () => 0,
  });
  await expect(stop()).resolves.toBeUndefined();
});
