import { HandrailError } from '../../src/shared/errors.ts';
import type { ModbusTable } from '../../src/shared/contracts/approvals.ts';
import type { Devices, WireReply, WireRequest } from '../../src/shared/contracts/devices.ts';
import { onlyReads } from '../../src/main/gateway/wireGuard.ts';

export type WriteFate =
  | 'taken'
  | 'no-answer-taken'
  | 'no-answer-lost'
  | 'not-taken'
  | 'clamped'
  | 'overwritten'
  | 'different'
  | 'closed-port'
  | { exception: number };

export type FakeWires = Devices & {
  set(unit: number, table: ModbusTable, address: number, value: number | boolean): void;
  get(unit: number, table: ModbusTable, address: number): number | boolean;
  /** What happens to the next writes; each is used once, then `taken`. */
  fates: WriteFate[];
  writes: WireRequest[];
  reads: number;
  /** Reads of a unit that answers nothing. */
  dead: Set<number>;
  /** Called before each read, to change the plant behind the gateway's back. */
  beforeRead: ((read: number) => void) | null;
  delayMs: number;
};

const tableOf: Record<number, ModbusTable> = { 1: 'coil', 2: 'discrete', 3: 'holding', 4: 'input' };

/** Registers in memory behind the Devices contract, with the ways in which real devices treat a write. */
export function createFakeWires(): FakeWires {
  const cells = new Map<string, number | boolean>();
  const key = (unit: number, table: string, address: number): string => `${unit}/${table}/${address}`;
  const reply = (parts: Partial<WireReply>): WireReply => ({
    readAt: new Date().toISOString(),
    durationMs: 1,
    attempts: 1,
    crcValid: true,
    tx: new Uint8Array([1]),
    rx: new Uint8Array([2]),
    ...parts,
  });
  let overwriteAfter = 0;

  const wires: FakeWires = {
    fates: [],
    writes: [],
    reads: 0,
    dead: new Set(),
    beforeRead: null,
    delayMs: 0,
    set: (unit, table, address, value) => void cells.set(key(unit, table, address), value),
    get: (unit, table, address) => cells.get(key(unit, table, address)) ?? (table === 'coil' || table === 'discrete' ? false : 0),
    async request(request) {
      request.signal?.throwIfAborted();
      if (wires.delayMs > 0)
        await new Promise((done, failed) => {
          const timer = setTimeout(done, wires.delayMs);
          request.signal?.addEventListener(
            'abort',
            () => {
              clearTimeout(timer);
              failed(request.signal!.reason as Error);
            },
            { once: true },
          );
        });
      if (wires.dead.has(request.unitId))
        throw new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: request.unitId, timeout_ms: 1000, sent: true } });
      return onlyReads(request) ? read(request) : write(request);
    },
    configure: () => undefined,
    connections: () => [],
    health: () => [],
    onHealth: () => () => undefined,
    onFrames: () => () => undefined,
    recentFrames: () => [],
    open: () => undefined,
    release: async () => undefined,
    close: async () => undefined,
  };

  function read(request: WireRequest): WireReply {
    wires.reads++;
    if (overwriteAfter > 0 && --overwriteAfter === 0) {
      const last = wires.writes[wires.writes.length - 1]!;
      cells.set(key(last.unitId, 'holding', last.address!), 7);
    }
    wires.beforeRead?.(wires.reads);
    const table = tableOf[request.functionCode]!;
    const values = Array.from({ length: request.quantity! }, (_, i) => wires.get(request.unitId, table, request.address! + i));
    return table === 'coil' || table === 'discrete' ? reply({ bits: values as boolean[] }) : reply({ words: values as number[] });
  }

  function write(request: WireRequest): WireReply {
    wires.writes.push(request);
    const fate = wires.fates.shift() ?? 'taken';
    const timeout = (): HandrailError =>
      new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: request.unitId, timeout_ms: 1000, sent: true } });
    if (typeof fate === 'object') {
      if (fate.exception === 5) take(request, 0);
      throw new HandrailError('DEVICE_EXCEPTION', {
        detail: { unit: request.unitId, exception: fate.exception, name: 'x', remedy: 'x', remedy_zh: 'x' },
      });
    }
    switch (fate) {
      case 'taken':
        take(request, 0);
        return reply({});
      case 'no-answer-taken':
        take(request, 0);
        throw timeout();
      case 'no-answer-lost':
        throw timeout();
      case 'not-taken':
        return reply({});
      case 'clamped': {
        const before = wires.get(request.unitId, 'holding', request.address!) as number;
        const wanted = request.words![0]!;
        cells.set(key(request.unitId, 'holding', request.address!), Math.round((before + wanted) / 2));
        return reply({});
      }
      case 'overwritten':
        take(request, 0);
        overwriteAfter = 2;
        return reply({});
      case 'different':
        take(request, 5);
        return reply({});
      case 'closed-port':
        throw new HandrailError('PORT_CLOSED', { detail: { connection: request.connection, sent: false } });
      default:
        return fate satisfies never;
    }
  }

  function take(request: WireRequest, shift: number): void {
    const { unitId, address } = request;
    if (request.functionCode === 22) {
      const now = wires.get(unitId, 'holding', address!) as number;
      cells.set(key(unitId, 'holding', address!), (now & request.andMask!) | (request.orMask! & ~request.andMask! & 0xffff));
      return;
    }
    request.words?.forEach((word, i) => cells.set(key(unitId, 'holding', address! + i), (word + shift) & 0xffff));
    request.bits?.forEach((bit, i) => cells.set(key(unitId, 'coil', address! + i), bit));
  }

  return wires;
}
