import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { characterMs, silenceMs } from '../../src/main/devices/index.ts';
import { compileC, startPeer } from '../harness/cPrograms.ts';
import { openPtyPair } from '../harness/ptyLine.ts';
import type { Bench, Figure } from './main.ts';

const exec = promisify(execFile);
const clientFile = fileURLToPath(new URL('lineClient.ts', import.meta.url));
type Run = { rate: number; p50_us: number; p99_us: number; cpu_us: number; cycle_ms?: number };

/**
 * Reads of 125 holding registers against the same libmodbus server: Handrail, the libmodbus C client, modbus-serial and
 * jsmodbus, in interleaved rounds, each in a process of its own, every value checked. Then several in flight, a pty line, and
 * lines of real baud rates against the least time the wire itself needs.
 */
export async function bench(): Promise<Bench> {
  const c = await compileC(['modbusServer', 'modbusClient', 'uart']);
  if ('missing' in c) {
    return {
      name: 'line',
      figures: [
        {
          name: 'tcp sequential, Handrail',
          value: 0,
          unit: 'requests/s',
          peer: null,
          ratio: null,
          goal: '>= 0.8 of the libmodbus C client',
          met: null,
        },
      ],
      summary: `Not measured here: ${c.missing}.`,
    };
  }
  const figures: Figure[] = [];
  try {
    await tcp(c.path('modbusServer'), c.path('modbusClient'), figures);
    await ptyLine(c.path('modbusServer'), c.path('modbusClient'), figures);
    await baudRates(c.path('uart'), figures);
  } finally {
    await c.close();
  }
  const missed = figures.filter((figure) => figure.met === false).map((figure) => figure.name);
  return { name: 'line', figures, summary: missed.length === 0 ? 'All goals met.' : `Goals missed: ${missed.join('; ')}.` };
}

async function tcp(server: string, cClient: string, figures: Figure[]): Promise<void> {
  const peer = await startPeer(server, ['tcp', '0']);
  const port = peer.line.split(' ')[1]!;
  try {
    const clients: Record<string, () => Promise<Run>> = {
      libmodbus: () => json(cClient, ['tcp', port, '20000']),
      handrail: () => node('handrail', 'tcp', port, 20_000),
      'modbus-serial': () => node('modbus-serial', 'tcp', port, 8000),
      jsmodbus: () => node('jsmodbus', 'tcp', port, 5000),
    };
    const runs = await rounds(7, clients);
    const at = (name: string): Run => median(runs[name]!);
    figures.push(
      figure(
        'tcp sequential, Handrail against libmodbus in C',
        at('handrail').rate,
        'requests/s',
        at('libmodbus').rate,
        '>= 0.8',
        (ratio) => ratio >= 0.8,
      ),
    );
    for (const name of ['modbus-serial', 'jsmodbus'])
      figures.push(
        figure(`tcp sequential, Handrail against ${name}`, at('handrail').rate, 'requests/s', at(name).rate, '> 1', (ratio) => ratio > 1),
      );
    figures.push(
      figure('tcp sequential, p50 against libmodbus in C', at('handrail').p50_us, 'us', at('libmodbus').p50_us),
      figure('tcp sequential, p99 against libmodbus in C', at('handrail').p99_us, 'us', at('libmodbus').p99_us),
    );
    for (const name of ['libmodbus', 'modbus-serial', 'jsmodbus'])
      figures.push(figure(`tcp sequential, CPU per request against ${name}`, at('handrail').cpu_us, 'us', at(name).cpu_us));
    for (const inFlight of [4, 8, 16]) {
      const piped = await rounds(3, {
        handrail: () => node('handrail', 'tcp', port, 30_000, inFlight),
        'modbus-serial': () => node('modbus-serial', 'tcp', port, 10_000, inFlight),
        libmodbus: () => json(cClient, ['tcp', port, '10000']),
      });
      const ours = median(piped['handrail']!);
      figures.push(
        figure(
          `tcp ${inFlight} in flight, Handrail against libmodbus in C (which cannot)`,
          ours.rate,
          'requests/s',
          median(piped['libmodbus']!).rate,
          '> 1',
          (ratio) => ratio > 1,
        ),
      );
      figures.push(
        figure(
          `tcp ${inFlight} in flight, Handrail against modbus-serial`,
          ours.rate,
          'requests/s',
          median(piped['modbus-serial']!).rate,
          '> 1',
          (ratio) => ratio > 1,
        ),
      );
      figures.push(
        figure(
          `tcp ${inFlight} in flight, CPU per request against modbus-serial`,
          ours.cpu_us,
          'us',
          median(piped['modbus-serial']!).cpu_us,
        ),
      );
    }
  } finally {
    await peer.stop();
  }
}

/** A pty has no baud rate. The peers keep no silence between frames; we do, so their rate here is one no real line allows. */
async function ptyLine(server: string, cClient: string, figures: Figure[]): Promise<void> {
  const pair = await openPtyPair();
  const peer = await startPeer(server, ['rtu', pair.b, '115200', '1']);
  try {
    const runs = await rounds(3, {
      libmodbus: () => json(cClient, ['rtu', pair.a, '2000']),
      handrail: () => node('handrail', 'rtu', pair.a, 500),
      'modbus-serial': () => node('modbus-serial', 'rtu', pair.a, 500),
      jsmodbus: () => node('jsmodbus', 'rtu', pair.a, 500),
    });
    const ours = median(runs['handrail']!);
    for (const name of ['libmodbus', 'modbus-serial', 'jsmodbus']) {
      figures.push(
        figure(`rtu on a pty, t3.5 of 1.75 ms kept, against ${name} (keeps none)`, ours.rate, 'requests/s', median(runs[name]!).rate),
      );
      figures.push(figure(`rtu on a pty, CPU per request against ${name}`, ours.cpu_us, 'us', median(runs[name]!).cpu_us));
    }
  } finally {
    await peer.stop();
    await pair.close();
  }
}

/** Busy share: the least time a cycle needs on the wire (request, silence, answer, silence) over the time it took. */
async function baudRates(uart: string, figures: Figure[]): Promise<void> {
  for (const [baud, count] of [
    [9600, 8],
    [19_200, 14],
    [38_400, 25],
    [57_600, 35],
    [115_200, 80],
  ] as const) {
    const pair = await openPtyPair();
    const line = { baud, dataBits: 8, parity: 'even', stopBits: 1 } as const;
    const peer = await startPeer(uart, [pair.b, String(baud), '11']);
    try {
      const least = (8 + 255) * characterMs(line) + 2 * silenceMs(line);
      const runs = await rounds(3, { handrail: () => node('handrail', 'rtu', pair.a, count, 1, baud) });
      const cycle = median(runs['handrail']!).cycle_ms!;
      figures.push({
        name: `rtu line busy at ${baud} baud (simulated wire timing)`,
        value: round((least / cycle) * 100),
        unit: '%',
        peer: 100,
        ratio: round(least / cycle),
        goal: '>= 97 %',
        met: least / cycle >= 0.97,
      });
      figures.push({
        name: `rtu cycle at ${baud} baud against the least the wire needs`,
        value: round(cycle),
        unit: 'ms',
        peer: round(least),
        ratio: round(cycle / least),
        goal: null,
        met: null,
      });
    } finally {
      await peer.stop();
      await pair.close();
    }
  }
}

async function rounds(times: number, clients: Record<string, () => Promise<Run>>): Promise<Record<string, Run[]>> {
  const runs: Record<string, Run[]> = {};
  for (let i = 0; i < times; i++) for (const [name, measure] of Object.entries(clients)) (runs[name] ??= []).push(await measure());
  return runs;
}

const json = async (command: string, args: string[]): Promise<Run> => JSON.parse((await exec(command, args)).stdout) as Run;
const node = (client: string, kind: string, target: string, count: number, inFlight = 1, baud = 115_200): Promise<Run> =>
  json(process.execPath, [clientFile, client, kind, target, String(count), String(inFlight), String(baud)]);

function median(runs: readonly Run[]): Run {
  return [...runs].sort((a, b) => a.rate - b.rate)[runs.length >> 1]!;
}

function figure(
  name: string,
  value: number,
  unit: string,
  peer: number,
  goal: string | null = null,
  isMet?: (ratio: number) => boolean,
): Figure {
  return { name, value: round(value), unit, peer: round(peer), ratio: round(value / peer), goal, met: isMet ? isMet(value / peer) : null };
}

const round = (value: number): number => Number(value.toPrecision(4));
