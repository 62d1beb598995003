import { Type, type Static } from 'typebox';
import { isIPv4 } from 'node:net';
import { findSerialSettings, scanUnits, type FoundUnit, type LineSettings } from '../devices/index.ts';
import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { Devices } from '../../shared/contracts/devices.ts';
import type { ToolContext, ToolDefinition } from '../../shared/contracts/tools.ts';
import { saysNow, subnetScanSeconds } from '../../shared/scanWords.ts';
import type { ToolDeps } from './deps.ts';
import { jobView } from './job.ts';
import type { Jobs } from './jobs.ts';
import { closed, plain } from './schema.ts';
import { invalid } from './target.ts';
import { dropConnection, ensureConnection, type Wanted } from './temporary.ts';

const parameters = Type.Object(
  {
    port: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'serial port' })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    subnet: Type.Optional(Type.String({ minLength: 9, maxLength: 18, description: 'like 192.168.1.0/24' })),
    baud: Type.Optional(Type.Integer({ minimum: 300, maximum: 921_600 })),
    from: Type.Optional(Type.Integer({ minimum: 1, maximum: 247 })),
    to: Type.Optional(Type.Integer({ minimum: 1, maximum: 247 })),
  },
  closed,
);
type Args = Static<typeof parameters>;

export const scanManners = {
  hostsAtOnce: 16,
  /** Units asked with each of the usual settings while those of a line are not known. */
  unitsPerSetting: 5,
  /** The call answers with what is known after this; the rest goes on as a job. */
  answerAfterMs: 20_000,
};

/** A station that answered; `device`: the plant file's name for it. */
export type Found = FoundUnit & { connection: string; device: string | null };
type Scanned = { found: Found[]; probed: number; silent: number };

/** Looks for stations with read-only probes. Long scans become a job; Stop ends them. */
export function scanDevices({ plant, devices, jobs }: Pick<ToolDeps, 'plant' | 'devices'> & { jobs: Jobs }): ToolDefinition {
  return {
    contract: {
      name: 'scan_devices',
      title: { en: 'Scan for devices', zh: '扫描设备' },
      description: {
        en: 'Find stations on a serial port, host or subnet, units from-to. May return a job.',
        zh: '在串口、主机或网段上用只读探测查找站点，可能返回作业。',
      },
      parameters: plain(parameters),
      returnSchema: plain(jobView),
      executionTimeoutMs: 30_000,
      isDeterministic: false,
      effect: 'connect',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      const asked = args as Args;
      const [from, to] = [asked.from ?? 1, asked.to ?? 247];
      if ([asked.port, asked.host, asked.subnet].filter((x) => x !== undefined).length !== 1)
        throw invalid('name one of port, host or subnet', '请给出 port、host 或 subnet 其一');
      if (from > to) throw invalid('from must not be above to', 'from 不能大于 to');
      const hosts = asked.subnet === undefined ? null : hostsOf(asked.subnet);
      if (hosts !== null) mustBeMeant(asked.subnet!, hosts.length, context);
      const { priority } = context;
      const id = jobs.start('scan_devices', context.call.session_id, context.stop, (signal, progress) => {
        const scan: Scan = { devices, signal, priority, deviceAt, progress };
        if (hosts !== null) return scanHosts(hosts, scan);
        const isKnown = plant.file.connections.some((c) => c.serial?.path === asked.port);
        if (asked.port !== undefined && asked.baud === undefined && !isKnown) return scanUnknownLine(asked.port, span(from, to), scan);
        const wanted: Wanted =
          asked.port !== undefined
            ? { serial: { path: asked.port, baud: asked.baud ?? 9600, dataBits: 8, parity: 'none', stopBits: 1 } }
            : { host: asked.host!, port: 502 };
        return scanLine(lineOf(wanted), span(from, to), scan);
      });
      // The call's own deadline or a stopped turn ends the scan too, as long as the call is open.
      context.signal.addEventListener('abort', () => void jobs.stop(id).catch(() => undefined), { once: true });
      return jobs.look(id, context.lang, Math.min(scanManners.answerAfterMs, Math.max(0, context.restMs() - 2000)), context.signal);
    },
  };

  /** The plant's own connection where it has one for this host or port, with its own settings. */
  function lineOf(wanted: Wanted): string {
    const own = plant.file.connections.find((c) =>
      'host' in wanted ? c.host === wanted.host : c.serial?.path === wanted.serial.path && c.serial.baud === wanted.serial.baud,
    );
    return own?.id ?? ensureConnection(devices, wanted).config.id;
  }
  function deviceAt(connection: string, unit: number): string | null {
    return plant.file.devices.find((d) => d.connection === connection && d.unitId === unit)?.id ?? null;
  }
}

/**
 * A subnet holds other people's machines too: an agent scans one only when the person, told how many addresses and how long,
 * says so ("… now" / 现在). A person's own call is meant.
 */
function mustBeMeant(subnet: string, addresses: number, context: Pick<ToolContext, 'call' | 'words'>): void {
  if (!context.call.meta.caller.startsWith('agent:') || saysNow(context.words)) return;
  const seconds = subnetScanSeconds(addresses);
  throw new HandrailError('POLICY_REFUSED', {
    detail: { reason: 'a subnet is scanned only after asking', addresses, seconds },
    message: {
      en: `Scanning ${subnet} opens connections to ${addresses} addresses and takes about ${seconds} s. It was not started.`,
      zh: `扫描 ${subnet} 将连接 ${addresses} 个地址，约需 ${seconds} 秒，尚未开始。`,
    },
    advice: { en: `Say "scan ${subnet} now" to start it.`, zh: `说“现在扫描 ${subnet}”即可开始。` },
  });
}

type Scan = {
  devices: Devices;
  signal: AbortSignal;
  priority: 'person' | 'agent' | 'poll';
  deviceAt(connection: string, unit: number): string | null;
  progress: (done: number, total: number) => void;
};

const span = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function scanLine(connection: string, units: readonly number[], scan: Scan, listenMs?: number): Promise<Scanned> {
  const { devices, signal, priority, progress } = scan;
  const options = { connection, units, priority, signal, progress, ...(listenMs === undefined ? {} : { listenMs }) };
  const found = (await scanUnits(devices, options)).map((one) => placed(connection, one, scan));
  return { found, probed: units.length, silent: units.length - found.length };
}

const placed = (connection: string, one: FoundUnit, scan: Scan): Found => ({
  connection,
  ...one,
  device: scan.deviceAt(connection, one.unit),
});

/** Nobody said the settings of this line: the usual ones are tried on the first few units until one answers, then all are asked with it. */
async function scanUnknownLine(path: string, units: readonly number[], scan: Scan): Promise<Scanned & { settings: LineSettings | null }> {
  const { devices, signal, priority, progress } = scan;
  const first = units.slice(0, scanManners.unitsPerSetting);
  const settings = await findSerialSettings(
    devices,
    (setting) => {
      const { config } = ensureConnection(devices, { serial: { path, ...setting } });
      return {
        connection: config.id,
        close: async () => {
          await devices.release(config.id);
          dropConnection(devices, config.id);
        },
      };
    },
    { units: first, priority, signal, progress },
  );
  if (settings === null) return { found: [], probed: first.length, silent: first.length, settings };
  const { config } = ensureConnection(devices, { serial: { path, ...settings } });
  return { ...(await scanLine(config.id, units, scan, 0)), settings }; // it was listened to before the search
}

async function scanHosts(hosts: readonly string[], scan: Scan): Promise<Scanned> {
  const { devices, signal, priority } = scan;
  const found: Found[] = [];
  const queue = [...hosts];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let host = queue.shift(); host !== undefined; host = queue.shift()) {
      signal.throwIfAborted();
      const { config, isNew } = ensureConnection(devices, { host, port: 502 });
      let isOpen = false;
      try {
        const units = await scanUnits(devices, { connection: config.id, units: [1, 255], most: 1, priority, signal });
        isOpen = true;
        found.push(...units.map((one) => placed(config.id, one, scan)));
      } catch (thrown) {
        signal.throwIfAborted();
        if (!asHandrailError(thrown).code.startsWith('PORT_')) throw thrown;
      } finally {
        if (isNew && !isOpen) dropConnection(devices, config.id);
      }
      scan.progress(++done, hosts.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(scanManners.hostsAtOnce, hosts.length) }, worker));
  found.sort((a, b) => a.connection.localeCompare(b.connection, 'en', { numeric: true }));
  return { found, probed: hosts.length, silent: hosts.length - found.length };
}

/** The hosts of a network of at most 256 addresses. */
export function hostsOf(subnet: string): string[] {
  const match = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(subnet.trim());
  const bits = match === null ? Number.NaN : Number(match[2]);
  if (match === null || !isIPv4(match[1]!) || !(bits >= 24 && bits <= 32))
    throw invalid('subnet is a network of at most 256 addresses, like 192.168.1.0/24', '网段最多 256 个地址，例如 192.168.1.0/24');
  const base = match[1]!.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  const first = Math.floor(base / size) * size;
  // Network and broadcast address are nobody's, save in the smallest networks.
  const [skip, last] = size > 2 ? [1, size - 2] : [0, size - 1];
  return Array.from({ length: last - skip + 1 }, (_, i) =>
    [24, 16, 8, 0].map((shift) => Math.floor((first + skip + i) / 2 ** shift) % 256).join('.'),
  );
}
