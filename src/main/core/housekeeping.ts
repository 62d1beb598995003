import type { Store } from '../store/index.ts';
import type { SettingsStore } from './settings.ts';
import type { Arming } from '../../shared/contracts/approvals.ts';
import type { Devices } from '../../shared/contracts/devices.ts';
import type { Plant } from '../../shared/contracts/plant.ts';
import type { HistoryStore } from '../../shared/contracts/record.ts';

/** A line that was lost may come back with another device behind it: what was opened for writing there is locked again. */
export function lockOnLineLoss(parts: { devices: Pick<Devices, 'onHealth'>; arming: Arming; plant: Pick<Plant, 'file'> }): () => void {
  return parts.devices.onHealth((line) => {
    if (line.error === null || line.state === 'open') return;
    const lost = parts.plant.file.devices.filter((device) => device.connection === line.connection && parts.arming.isArmed(device.id));
    if (lost.length > 0) parts.arming.lock(`the line ${line.connection} was lost`);
  });
}

const dayMs = 86_400_000;

/** Records taken at a time: some tens of milliseconds of the loop. */
const recordsAtOnce = 2_000;

/**
 * Takes records off the disk that are older than a person wants to keep: at start, once a day, and when that wish changes. Without
 * a wish the record is kept for ever. A disk that refuses is told by the record's own health; the next day it is tried again.
 */
export function retainRecord(parts: {
  store: Pick<Store, 'retain'>;
  settings: Pick<SettingsStore, 'get' | 'onChange'>;
  now(): number;
}): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  async function drop(): Promise<void> {
    const days = parts.settings.get().recordDays;
    if (days === null) return;
    const before = parts.now() - days * dayMs;
    try {
      while (!stopped && parts.store.retain(before, recordsAtOnce) !== null) await new Promise<void>((next) => setImmediate(next));
    } catch {
      return; // nothing is lost by it: the record stays whole, its health tells of a disk that refuses
    }
  }
  const run = (): void => void (running = running.then(drop));
  run();
  const timer = setInterval(run, dayMs);
  timer.unref();
  let last = parts.settings.get().recordDays;
  const stopListening = parts.settings.onChange(({ recordDays }) => {
    if (recordDays !== last) run();
    last = recordDays;
  });
  return async () => {
    stopped = true;
    clearInterval(timer);
    stopListening();
    await running;
  };
}

/** Drops trend samples that are older than a person wants to keep: at start and once a day. */
export function retainHistory(parts: { history: HistoryStore; days(): number; now(): number }): () => void {
  const drop = (): void => void parts.history.retain(parts.now() - parts.days() * dayMs);
  drop();
  const timer = setInterval(drop, dayMs);
  timer.unref();
  return () => clearInterval(timer);
}
