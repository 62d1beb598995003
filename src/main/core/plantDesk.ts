import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runDoctor } from '../devices/index.ts';
import { loadPlantFile, parsePlantFile, plantProblems, savePlantFile, type LivePlant } from '../plant/index.ts';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import type { LineVerdict, PlantSource } from '../../shared/contracts/api.ts';
import type { ConnectionConfig, Devices } from '../../shared/contracts/devices.ts';
import type { PlantFile } from '../../shared/contracts/plant.ts';
import type { RecordStore } from '../../shared/contracts/record.ts';
import { HandrailError, type Bilingual } from '../../shared/errors.ts';
import { safeFileName } from './fileDesk.ts';
import type { SettingsStore } from './settings.ts';

export type PlantDesk = {
  source(): PlantSource;
  use(name: string | null): Promise<PlantSource>;
  open(name: string, text: string): Promise<PlantSource>;
  save(file: unknown, base: string | null): Promise<PlantSource>;
  test(connection: unknown, units: readonly number[], signal: AbortSignal): Promise<LineVerdict>;
  onChange(listener: () => void): () => void;
};

type Deps = {
  dataFolder: string;
  /** The plant file at start; null: the simulated plant. */
  path: string | null;
  settings: SettingsStore;
  plant: LivePlant;
  devices: Devices;
  record: Pick<RecordStore, 'append'>;
  /** Locks writing and closes what waits for consent: it was meant for the plant as it was. */
  beforeChange(why: string): void;
  simulated(): Promise<{ file: PlantFile; taken: () => void }>;
  /** The plant that was simulated is gone. */
  left(): Promise<void>;
};

/** Which plant is open, and how a person changes it: opened, edited and saved here and nowhere else. */
export function createPlantDesk(deps: Deps): PlantDesk {
  const folder = join(deps.dataFolder, 'plants');
  const listeners = new Set<() => void>();
  let path = deps.path;
  /** One change at a time: two of them side by side would leave the wires of one with the tags of the other. */
  let tail: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = tail.then(work);
    tail = mine.catch(() => undefined);
    return mine;
  };

  const source = (): PlantSource => ({
    kind: path === null ? 'simulated' : 'file',
    path,
    digest: digestOf(deps.plant.file),
    known: existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith('.json'))
          .sort()
      : [],
  });

  /** The file is good and on disk; from here on the plant is another one. */
  async function goOnWith(file: PlantFile, newPath: string | null, why: string, taken: () => void = () => undefined): Promise<PlantSource> {
    deps.beforeChange(why);
    const wasSimulated = path === null;
    await deps.plant.replace(file, () => deps.devices.configure(file.connections));
    if (wasSimulated) await deps.left();
    taken();
    path = newPath;
    deps.settings.set({ plantFile: newPath });
    deps.record.append({ kind: 'note', payload: { text: why, plant: basename(newPath ?? 'simulated'), digest: digestOf(file) } });
    for (const listener of listeners) listener();
    return source();
  }

  return {
    source,
    use: (name) =>
      inTurn(async () => {
        if (name === null) {
          if (path === null) return source();
          const { file, taken } = await deps.simulated();
          return goOnWith(file, null, 'the simulated plant was opened', taken);
        }
        const chosen = join(folder, safeFileName(name));
        return goOnWith(loadPlantFile(chosen), chosen, `the plant file ${basename(chosen)} was opened`);
      }),
    open: (name, text) =>
      inTurn(async () => {
        const file = parsePlantFile(text, name);
        const kept = freePath(folder, safeFileName(name).replace(/(\.jsonc?)?$/i, '.json'));
        mkdirSync(folder, { recursive: true });
        writeFileSync(kept, text, { flag: 'wx' });
        return goOnWith(file, kept, `the plant file ${basename(kept)} was opened`);
      }),
    save: (edited, base) =>
      inTurn(async () => {
        const [wrong] = plantProblems(edited);
        const name = path === null || base === null ? 'plant.json' : basename(path);
        if (wrong)
          throw refusal(name, {
            en: `${wrong.pointer || '/'}: ${wrong.why.en}`,
            zh: `${wrong.pointer || '/'}：${wrong.why.zh}`,
          });
        const file = parsePlantFile(JSON.stringify(edited), name);
        if (base === null) {
          const fresh = freePath(folder, name);
          savePlantFile(fresh, file);
          return goOnWith(file, fresh, `the plant file ${basename(fresh)} was made`);
        }
        if (path === null) throw refusal(name, { en: 'the simulated plant cannot be changed', zh: '仿真工厂不能更改' });
        // Somebody else's change must not be written over by what was edited before it.
        if (base !== digestOf(deps.plant.file) || digestOf(loadPlantFile(path)) !== base)
          throw refusal(name, { en: 'it has changed since it was opened here; open it again', zh: '打开之后它已被更改，请重新打开' });
        copyFileSync(path, `${path}.before`);
        savePlantFile(path, file);
        return goOnWith(file, path, `the plant file ${basename(path)} was changed`);
      }),
    test: (draft, units, signal) =>
      inTurn(async () => {
        const config = checkedConnection(draft);
        const before = deps.devices.connections();
        // Its own settings, or a free port: the line as it runs may be asked beside the polling.
        const same = before.find((other) => canonicalJson(withoutId(other)) === canonicalJson(withoutId(config)));
        if (same) return verdict(await runDoctor(deps.devices, { connection: same.id, units: asked(same, units), signal }));
        // Another opening of the same port or host would be refused by it; the old one makes way until the test has ended.
        const makesWay = before.filter((other) => placeOf(other) === placeOf(config));
        if (makesWay.length > 0) deps.beforeChange('the settings of a connection are tested');
        const tested = { ...config, id: testId };
        deps.devices.configure([...before.filter((other) => !makesWay.includes(other)), tested]);
        try {
          return verdict(await runDoctor(deps.devices, { connection: testId, units: asked(config, units), signal }));
        } finally {
          deps.devices.configure(before);
        }
      }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  /** A register that the plant file knows: asking for one that is not there would look like a fault. */
  function asked(config: ConnectionConfig, units: readonly number[]): { unitId: number; functionCode: 1 | 2 | 3 | 4; address: number }[] {
    const { devices, tags } = deps.plant.file;
    return units.map((unitId) => {
      const known = devices.filter((device) => device.unitId === unitId && device.connection === config.id).map((device) => device.id);
      const tag = tags.find((candidate) => known.includes(candidate.device));
      return { unitId, functionCode: readFunctions[tag?.table ?? 'holding'], address: tag?.address ?? 0 };
    });
  }
}

const testId = 'connection-under-test';
const readFunctions = { holding: 3, input: 4, coil: 1, discrete: 2 } as const;
const digestOf = (file: PlantFile): string => createHash('sha256').update(JSON.stringify(file)).digest('hex');
const withoutId = ({ id: _id, ...rest }: ConnectionConfig): Omit<ConnectionConfig, 'id'> => rest;
const placeOf = (config: ConnectionConfig): string => config.serial?.path ?? `${config.host ?? ''}:${config.port ?? 502}`;
const verdict = ({ healthy, findings, probes }: LineVerdict): LineVerdict => ({ healthy, findings, probes });

/** The settings by the same rules as in a plant file. Throws ARGS_PLANT_FILE. */
function checkedConnection(draft: unknown): ConnectionConfig {
  const around = { name: { en: '-', zh: '-' }, simulated: false, connections: [draft], devices: [], tags: [] };
  const [wrong] = plantProblems(around);
  if (wrong) throw refusal('connection', { en: `${wrong.pointer}: ${wrong.why.en}`, zh: `${wrong.pointer}：${wrong.why.zh}` });
  return parsePlantFile(JSON.stringify(around), 'connection').connections[0]!;
}

function freePath(folder: string, name: string): string {
  const stem = name.replace(/\.json$/i, '');
  let free = join(folder, name);
  for (let n = 2; existsSync(free); n++) free = join(folder, `${stem}-${n}.json`);
  return free;
}

function refusal(file: string, reason: Bilingual): HandrailError {
  return new HandrailError('ARGS_PLANT_FILE', {
    detail: { file, reason: reason.en },
    message: { en: `The plant file ${file} is not usable: ${reason.en}.`, zh: `工厂文件 ${file} 不可用：${reason.zh}。` },
  });
}
