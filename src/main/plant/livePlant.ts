import type { PlantFile } from '../../shared/contracts/plant.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import { createPlant, type PlantDeps } from './createPlant.ts';

export type LivePlant = ReturnType<typeof createPlant> & {
  /**
   * Puts another plant file in place. The old readings are forgotten: another file may mean another machine by the same
   * name. `rewire` sets up the wires of the new file, after nothing of the old one is polled any more.
   */
  replace(file: PlantFile, rewire: () => void): Promise<void>;
};

/** The plant of the moment behind one object, so that nobody holds on to the file of a plant that was replaced. */
export function createLivePlant(deps: PlantDeps): LivePlant {
  let now = createPlant(deps);
  let polling = false;
  const listeners = new Set<(batch: readonly Reading[]) => void>();
  const forward = (batch: readonly Reading[]): void => listeners.forEach((listener) => listener(batch));
  let detach: (() => void) | null = null;
  const attach = (): void => {
    detach?.();
    detach = listeners.size > 0 ? now.onReadings(forward) : null;
  };
  return {
    get file() {
      return now.file;
    },
    tag: (id) => now.tag(id),
    device: (id) => now.device(id),
    readTags: (ids, options) => now.readTags(ids, options),
    lastKnown: (id) => now.lastKnown(id),
    onReadings(listener) {
      listeners.add(listener);
      if (detach === null) attach();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) attach();
      };
    },
    startPolling() {
      polling = true;
      now.startPolling();
    },
    stopPolling() {
      polling = false;
      now.stopPolling();
    },
    learned: (device) => now.learned(device),
    samplingTrouble: () => now.samplingTrouble(),
    async replace(file, rewire) {
      const old = now;
      old.stopPolling();
      now = createPlant({ ...deps, file });
      attach();
      rewire();
      if (polling) now.startPolling();
      await old.close();
    },
    close: () => now.close(),
  };
}
