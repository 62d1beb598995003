import { asHandrailError } from '../../shared/errors.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import type { DeviceConfig, PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import { badReading, isSilence, readDevice, type TagReader } from './readTags.ts';

/** How long a device that does not answer is left alone, by failures in a row: others on its wire must not wait for it. */
const backOffMs = [0, 1000, 2000, 5000, 10_000, 30_000] as const;
/** Tags due within this are read together with those already due: one request instead of two. */
const togetherMs = 30;
/** On a serial line polling takes at most this share of the time; the rest stays for people and the agent. */
const serialShare = 0.6;

type DevicePolling = { device: DeviceConfig; tags: { tag: TagConfig; dueAt: number }[]; failures: number; quietUntil: number };

/**
 * Polls every device in its own rhythm, one request after another per connection. Each wire has one loop; on it the device
 * that has waited longest is next, and the line itself lets a person's or the agent's request go first.
 */
export function createPolling({
  file,
  reader,
  keep,
}: {
  file: PlantFile;
  reader: TagReader;
  keep: (tag: TagConfig, reading: Reading) => void;
}) {
  /** Which start a loop belongs to: one that was stopped must not come back to life with the next start. */
  let current: AbortController | undefined;
  const tagById = new Map(file.tags.map((tag) => [tag.id, tag]));
  let loops: Promise<void>[] = [];
  const wakers = new Set<() => void>();

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      wakers.add(wake);
    });

  async function pollConnection(connection: string, signal: AbortSignal): Promise<void> {
    const isSerial = file.connections.find((c) => c.id === connection)?.serial !== undefined;
    const start = performance.now();
    const polled: DevicePolling[] = file.devices
      .filter((d) => d.connection === connection)
      .map((device) => ({
        device,
        failures: 0,
        quietUntil: 0,
        tags: file.tags.filter((t) => t.device === device.id).map((tag) => ({ tag, dueAt: start })),
      }));
    while (!signal.aborted) {
      const next = mostOverdue(polled);
      if (!next) return;
      const wait = next.dueAt - performance.now();
      if (wait > 1) {
        await sleep(Math.min(wait, 1000));
        continue;
      }
      const began = performance.now();
      await pollDevice(next.polling, signal);
      const took = performance.now() - began;
      if (isSerial) await sleep(took * (1 / serialShare - 1));
    }
  }

  async function pollDevice(polling: DevicePolling, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const due = polling.tags.filter((t) => t.dueAt <= now + togetherMs);
    let answers = 0;
    let silences = 0;
    try {
      await readDevice(
        reader,
        polling.device,
        due.map((t) => t.tag),
        { priority: 'poll', signal, isStopped: () => signal.aborted },
        (reading) => {
          if (signal.aborted) return;
          if (reading.quality === 'bad' && reading.error !== null && isSilence(reading.error)) silences++;
          else answers++;
          keep(tagById.get(reading.tag)!, reading);
        },
      );
    } catch (thrown) {
      const error = asHandrailError(thrown);
      if (error.code === 'CANCELLED' || signal.aborted) return;
      // A fault of ours on one device must not end the polling of the wire, nor leave old values looking fresh.
      silences++;
      for (const { tag } of due) keep(tag, badReading(tag, reader.clock, error));
    }
    polling.failures = silences > 0 && answers === 0 ? Math.min(polling.failures + 1, backOffMs.length - 1) : 0;
    const after = performance.now();
    polling.quietUntil = after + backOffMs[polling.failures]!;
    // The next time counts from when it was due, so that ten a second are ten a second; what was missed is not made up for.
    for (const t of due) t.dueAt = Math.max(t.dueAt + t.tag.pollMs, after - t.tag.pollMs);
  }

  return {
    start(): void {
      if (current && !current.signal.aborted) return;
      const run = new AbortController();
      current = run;
      loops = [...loops, ...file.connections.map((c) => pollConnection(c.id, run.signal))];
    },
    stop(): void {
      current?.abort();
      for (const wake of [...wakers]) wake();
    },
    async idle(): Promise<void> {
      await Promise.allSettled(loops);
      loops = [];
    },
  };
}

function mostOverdue(polled: readonly DevicePolling[]): { polling: DevicePolling; dueAt: number } | null {
  let best: { polling: DevicePolling; dueAt: number } | null = null;
  for (const polling of polled) {
    const first = Math.min(...polling.tags.map((t) => t.dueAt));
    if (!Number.isFinite(first)) continue;
    const dueAt = Math.max(first, polling.quietUntil);
    if (!best || dueAt < best.dueAt) best = { polling, dueAt };
  }
  return best;
}
