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

/** Drops trend samples that are older than a person wants to keep: at start and once a day. */
export function retainHistory(parts: { history: HistoryStore; days(): number; now(): number }): () => void {
  const drop = (): void => void parts.history.retain(parts.now() - parts.days() * dayMs);
  drop();
  const timer = setInterval(drop, dayMs);
  timer.unref();
  return () => clearInterval(timer);
}
