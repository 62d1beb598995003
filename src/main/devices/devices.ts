import type { ConnectionConfig, Devices, LineHealth, WireReply, WireRequest } from '../../shared/contracts/devices.ts';
import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import { answerBytes } from './framing/answers.ts';
import { encodeRequestPdu } from './framing/requests.ts';
import { defaultTimeoutMs, responseFloorMs } from './line/timing.ts';
import { Wire, type WireDeps } from './line/wire.ts';
import { effectOf } from './readOnly.ts';
import { Ask } from './ask.ts';
import { theirFrame } from './facade/secondOpinion.ts';
import { FrameTap } from './tap.ts';
import { openSerial } from './transport/serial.ts';
import { OpenFailure } from './transport/transport.ts';
import { PlugMemory } from './transport/usbIdentity.ts';
import { openSocket } from './transport/socket.ts';

export type DevicesDeps = {
  /** Asked for every frame; below everything, so that no door can go around it. */
  isReadOnly?(): boolean;
  openTransport?: WireDeps['openTransport'];
  backoffMs?: WireDeps['backoffMs'];
};

const connectTimeoutMs = 3000;
const socketBackoffMs = [1000, 1000, 2000, 5000, 10_000, 30_000];
const serialBackoffMs = [100, 250, 500, 1000, 2000];
/** So that many clients of one gateway do not come back in step. */
const jitter = (ms: number): number => ms * (0.9 + Math.random() * 0.2);

/** Serial ports are followed by the identity of their plug; see usbIdentity.ts. */
function transportOpener(plugs: PlugMemory): WireDeps['openTransport'] {
  return async (config, events) => {
    const isSerial = config.kind === 'rtu' || config.kind === 'ascii';
    // Without a host a socket would go to this very machine.
    if (isSerial ? !config.serial?.path : !config.host)
      throw new OpenFailure('PORT_SETTINGS', `${config.id} names no ${isSerial ? 'serial port' : 'host'}`);
    if (!isSerial) return openSocket({ host: config.host!, port: config.port ?? 502, timeoutMs: connectTimeoutMs }, events);
    const where = await plugs.pathFor(config.id, config.serial!.path);
    if ('refused' in where) throw new OpenFailure('PORT_NOT_FOUND', where.refused);
    const transport = await openSerial({ ...config.serial!, path: where.path }, events);
    await plugs.opened(config.id, where.path);
    return transport;
  };
}

export function createDevices(deps: DevicesDeps = {}): Devices {
  const tap = new FrameTap();
  const plugs = new PlugMemory();
  const wires = new Map<string, Wire>();
  const healthListeners = new Set<(health: LineHealth) => void>();
  const wireDeps: WireDeps = {
    tap,
    openTransport: deps.openTransport ?? transportOpener(plugs),
    changed: (health) => {
      for (const listener of healthListeners) listener(health);
    },
    backoffMs: deps.backoffMs ?? ((config) => (config.serial && !config.host ? serialBackoffMs : socketBackoffMs).map(jitter)),
  };

  function wireOf(connection: string): Wire {
    const wire = wires.get(connection);
    if (!wire)
      throw new HandrailError('ARGS_INVALID', { detail: { reason: `there is no connection ${connection}`, failure: 'INVALID_REQUEST' } });
    return wire;
  }

  /** The PDU of a request that may be sent, or the refusal. Nothing has touched the wire yet. */
  function prepare(request: WireRequest, config: ConnectionConfig): { pdu: Uint8Array; isWrite: boolean } {
    const isLine = config.kind !== 'tcp';
    const pdu = encodeRequestPdu(request);
    const effect = effectOf(pdu);
    const refuse = (reason: string): never => {
      throw new HandrailError('FRAME_LIMIT', { detail: { reason, failure: 'INVALID_REQUEST', unit: request.unitId } });
    };
    if (!Number.isInteger(request.unitId) || request.unitId < 0 || request.unitId > (isLine ? 247 : 255))
      refuse(`unit ${String(request.unitId)}, allowed are 0 to ${isLine ? 247 : 255}`);
    if (effect === 'forbidden')
      refuse(`function ${request.functionCode} with sub-function ${String(request.subFunction)} would take the device off the line`);
    if (isLine && request.unitId === 0 && (effect !== 'write' || request.functionCode === 23))
      refuse('unit 0 is a broadcast: nobody answers, so it cannot be read');
    if (effect === 'write' && deps.isReadOnly?.()) {
      throw new HandrailError('POLICY_READ_ONLY', {
        detail: { target: config.id, failure: 'READ_ONLY', function_code: request.functionCode },
      });
    }
    // What changes a machine is encoded by two authors; a difference means that one of them would write something else.
    const theirs = effect === 'write' ? theirFrame(request) : null;
    if (theirs && !sameBytes(theirs.subarray(1, -2), pdu)) refuse('two encoders disagree about this write');
    return { pdu, isWrite: effect === 'write' };
  }

  function ask(request: WireRequest): Promise<WireReply> {
    const wire = wireOf(request.connection);
    const { pdu, isWrite } = prepare(request, wire.config);
    if (request.signal?.aborted) throw new HandrailError('CANCELLED', { detail: { failure: 'CANCELLED' } });
    const data = answerBytes(pdu);
    const floor = responseFloorMs(wire.config, pdu.length + 3, data < 0 ? 8 : data + 5);
    const timeoutMs = Math.max(request.timeoutMs ?? wire.config.timing?.timeoutMs ?? defaultTimeoutMs, floor);
    // One promise and one object a request: this is the hot path of all polling.
    return new Promise((resolve, reject) => new Ask(wire, request, pdu, isWrite, timeoutMs, resolve, reject).submit());
  }

  return {
    configure(connections) {
      const wanted = new Map(connections.map((config) => [config.id, config]));
      for (const [id, wire] of wires) {
        if (JSON.stringify(wanted.get(id)) === JSON.stringify(wire.config)) continue;
        wire.close();
        wires.delete(id);
        plugs.forget(id);
      }
      for (const [id, config] of wanted) if (!wires.has(id)) wires.set(id, new Wire(config, wireDeps));
    },
    connections: () => [...wires.values()].map((wire) => wire.config),
    request(request) {
      try {
        return ask(request);
      } catch (error) {
        return Promise.reject(asHandrailError(error));
      }
    },
    health: () => [...wires.values()].map((wire) => wire.health()),
    onHealth(listener) {
      healthListeners.add(listener);
      return () => healthListeners.delete(listener);
    },
    onFrames: (listener) => tap.listen(listener),
    recentFrames: (connection) => tap.recent(connection),
    open: (connection) => wireOf(connection).openNow(),
    async release(connection) {
      wireOf(connection).release();
    },
    async close() {
      for (const wire of wires.values()) wire.close();
      wires.clear();
      tap.close();
      healthListeners.clear();
    },
  };
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
