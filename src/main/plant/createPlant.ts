import { HandrailError } from '../../shared/errors.ts';
import type { Devices, Reading } from '../../shared/contracts/devices.ts';
import type { HistoryStore } from '../../shared/contracts/record.ts';
import type { DeviceConfig, Plant, PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import { staleAfterMs } from '../../shared/plant/tagValue.ts';
import { nothingLearned, type Learned } from './limits.ts';
import { createPolling } from './polling.ts';
import { readDevice, type TagReader } from './readTags.ts';
import { createSampling, type SamplingTrouble } from './sampling.ts';

export type PlantDeps = {
  file: PlantFile;
  devices: Pick<Devices, 'request'>;
  clock?: { now(): number };
  /** Where samples go: only what moved by its deadband, and a sign of life now and then. */
  history?: Pick<HistoryStore, 'add'>;
};

export function createPlant({
  file,
  devices,
  clock = { now: () => Date.now() },
  history,
}: PlantDeps): Plant & { learned(device: string): Learned; samplingTrouble(): SamplingTrouble | null } {
  const tags = new Map(file.tags.map((tag) => [tag.id, tag]));
  const deviceById = new Map(file.devices.map((device) => [device.id, device]));
  const learned = new Map<string, Learned>();
  const last = new Map<
    string,
    { value: Extract<Reading, { quality: 'good' | 'uncertain' | 'stale' }> | null; failed: Extract<Reading, { quality: 'bad' }> | null }
  >();
  const listeners = new Set<(batch: readonly Reading[]) => void>();
  const reader: TagReader = {
    file,
    devices,
    clock,
    learned(device) {
      const found = learned.get(device) ?? nothingLearned();
      learned.set(device, found);
      return found;
    },
  };
  const sampling = createSampling(clock, history ? (samples) => history.add(samples) : null);

  // Readings go out in batches: a listener is called at most ten times a second whatever the polling does.
  let batch = new Map<string, Reading>();
  let batchTimer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    batchTimer = undefined;
    const readings = [...batch.values()];
    batch = new Map();
    for (const listener of listeners) listener(readings);
  };

  /** The one place where a fresh reading becomes known. */
  function keep(tag: TagConfig, reading: Reading): void {
    const before = last.get(tag.id);
    if (reading.quality === 'bad') last.set(tag.id, { value: before?.value ?? null, failed: reading });
    else last.set(tag.id, { value: reading, failed: null });
    sampling.take(tag, reading);
    if (listeners.size === 0) return;
    batch.set(tag.id, known(tag)!);
    batchTimer ??= setTimeout(flush, 100);
  }

  /** What is known of a tag now: an old value is stale, never fresh; a failed try leaves the old value with its reason. */
  function known(tag: TagConfig): Reading | undefined {
    const entry = last.get(tag.id);
    if (!entry) return undefined;
    const { value, failed } = entry;
    // The device itself said that there is no value: that is news, and the old number must not stand in for it.
    if (failed && (value === null || failed.error === null)) return failed;
    if (value === null) return undefined;
    if (failed) return { ...value, quality: 'stale', reason: failed.reason };
    return clock.now() - Date.parse(value.readAt) > staleAfterMs(tag) ? { ...value, quality: 'stale', reason: 'stale' } : value;
  }

  function mustKnow(id: string): TagConfig {
    const tag = tags.get(id);
    if (tag) return tag;
    throw new HandrailError('DEVICE_TAG_UNKNOWN', { detail: { tag: id, known: [...tags.keys()].slice(0, 40).join(', ') } });
  }

  const polling = createPolling({ file, reader, keep });

  return {
    file,
    tag: (id) => tags.get(id),
    device: (id) => deviceById.get(id),
    async readTags(ids, { priority, signal }) {
      const wanted = ids.map(mustKnow);
      const results = new Map<string, Reading>();
      let crcValid: boolean | null = null;
      const groups = groupByDevice(wanted, deviceById);
      // Devices on one wire queue up in the line; those on different wires are read side by side.
      await Promise.all(
        [...groups].map(([device, group]) =>
          readDevice(reader, device, group, { priority, signal }, (reading, reply) => {
            results.set(reading.tag, reading);
            const crc = reply ? reply.crcValid : reading.quality === 'bad' ? reading.error?.detail['crc_valid'] : null;
            if (typeof crc === 'boolean') crcValid = crcValid === false ? false : crc;
            keep(tags.get(reading.tag)!, reading);
          }),
        ),
      );
      return { readings: ids.map((id) => results.get(id)!), crcValid };
    },
    lastKnown(id) {
      return known(mustKnow(id));
    },
    onReadings(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    startPolling: () => polling.start(),
    stopPolling: () => polling.stop(),
    learned: (device) => reader.learned(device),
    samplingTrouble: () => sampling.trouble(),
    async close() {
      polling.stop();
      await polling.idle();
      sampling.flush();
      clearTimeout(batchTimer);
      listeners.clear();
    },
  };
}

export function groupByDevice(tags: readonly TagConfig[], devices: ReadonlyMap<string, DeviceConfig>): Map<DeviceConfig, TagConfig[]> {
  const groups = new Map<DeviceConfig, TagConfig[]>();
  for (const tag of new Set(tags)) {
    const device = devices.get(tag.device)!;
    const group = groups.get(device);
    if (group) group.push(tag);
    else groups.set(device, [tag]);
  }
  return groups;
}
