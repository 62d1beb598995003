import type { ConnectionConfig, Devices, LineHealth, WireReply, WireRequest } from '../../shared/contracts/devices.ts';
import { HandrailError } from '../../shared/errors.ts';
import { answerBytes } from './framing/answers.ts';
import { encodeRequestPdu } from './framing/requests.ts';
import { requestError } from './failures.ts';
import { defaultTimeoutMs, responseFloorMs } from './line/timing.ts';
import type { Outcome, Transaction } from './line/transaction.ts';
import { Wire, type WireDeps } from './line/wire.ts';
import { effectOf } from './readOnly.ts';
import { FrameTap } from './tap.ts';
import { openSerial } from './transport/serial.ts';
import { openSocket } from './transport/socket.ts';

export type DevicesDeps = {
  /** Asked for every frame; below everything, so that no door can go around it. */
  isReadOnly?(): boolean;
  openTransport?: WireDeps['openTransport'];
  backoffMs?: WireDeps['backoffMs'];
};

const connectTimeoutMs = 3000;
/** A device that says "busy" is asked again after these pauses; never a write. */
const busyPausesMs = [100, 200, 400, 800];
const socketBackoffMs = [1000, 1000, 2000, 5000, 10_000, 30_000];
const serialBackoffMs = [100, 250, 500, 1000, 2000];
/** So that many clients of one gateway do not come back in step. */
const jitter = (ms: number): number => ms * (0.9 + Math.random() * 0.2);

const openTransport: WireDeps['openTransport'] = (config, events) =>
  config.kind === 'rtu' || config.kind === 'ascii'
    ? openSerial(config.serial!, events)
    : openSocket({ host: config.host!, port: config.port ?? 502, timeoutMs: connectTimeoutMs }, events);

export function createDevices(deps: DevicesDeps = {}): Devices {
  const tap = new FrameTap();
  const wires = new Map<string, Wire>();
  const healthListeners = new Set<(health: LineHealth) => void>();
  const wireDeps: WireDeps = {
    tap,
    openTransport: deps.openTransport ?? openTransport,
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
    return { pdu, isWrite: effect === 'write' };
  }

  function askOnce(request: WireRequest, attempts: number): Promise<WireReply> {
    const wire = wireOf(request.connection);
    const { pdu, isWrite } = prepare(request, wire.config);
    if (request.signal?.aborted) return Promise.reject(new HandrailError('CANCELLED'));
    const data = answerBytes(pdu);
    const floor = responseFloorMs(wire.config, pdu.length + 3, data < 0 ? 8 : data + 5);
    const timeoutMs = Math.max(request.timeoutMs ?? wire.config.timing?.timeoutMs ?? defaultTimeoutMs, floor);
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const onAbort = (): void => {
        // A write that has left goes on to its true end; all else is let go now, and the wire waits out its own rules.
        if (wire.abandon(transaction))
          settle({
            ok: false,
            failure: 'CANCELLED',
            reason: 'stopped while waiting',
            rx: null,
            crcValid: null,
            durationMs: 0,
            sent: false,
          });
        else if (!isWrite)
          settle({ ok: false, failure: 'CANCELLED', reason: 'stopped', rx: null, crcValid: null, durationMs: 0, sent: true });
      };
      let isSettled = false;
      const settle = (outcome: Outcome): void => {
        if (isSettled) return;
        isSettled = true;
        signal?.removeEventListener('abort', onAbort);
        if (!outcome.ok) return reject(requestError(wire.config, request, transaction, outcome));
        const { answer } = outcome;
        const reply: WireReply = {
          readAt: new Date().toISOString(),
          durationMs: outcome.durationMs,
          attempts,
          crcValid: outcome.crcValid,
          tx: transaction.frame!,
          rx: outcome.rx,
        };
        if (answer.words) reply.words = answer.words;
        if (answer.bits) reply.bits = answer.bits;
        if (answer.data) reply.data = answer.data;
        if (answer.objects) reply.objects = answer.objects;
        if (answer.records) reply.records = answer.records;
        if (answer.next !== undefined) reply.next = answer.next;
        if (outcome.broadcast) reply.broadcast = true;
        if (outcome.unverified) reply.unverified = true;
        resolve(reply);
      };
      const transaction: Transaction = {
        unitId: request.unitId,
        pdu,
        isWrite,
        priority: request.priority,
        timeoutMs,
        enqueuedAt: 0,
        sentAt: 0,
        deadline: 0,
        frame: null,
        transactionId: 0,
        abandoned: false,
        settle,
      };
      if (signal) signal.addEventListener('abort', onAbort, { once: true });
      wire.submit(transaction);
    });
  }

  /** Exception 06 means "later": reads wait and ask again with growing pauses. */
  async function askPatiently(request: WireRequest): Promise<WireReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await askOnce(request, attempt);
      } catch (error) {
        const pause = busyPausesMs[attempt - 1];
        const isBusy = error instanceof HandrailError && error.code === 'DEVICE_EXCEPTION' && error.detail['exception'] === 6;
        if (!isBusy || pause === undefined || error.retry !== 'yes') throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  return {
    configure(connections) {
      const wanted = new Map(connections.map((config) => [config.id, config]));
      for (const [id, wire] of wires) {
        if (JSON.stringify(wanted.get(id)) === JSON.stringify(wire.config)) continue;
        wire.close();
        wires.delete(id);
      }
      for (const [id, config] of wanted) if (!wires.has(id)) wires.set(id, new Wire(config, wireDeps));
    },
    connections: () => [...wires.values()].map((wire) => wire.config),
    request: async (request) => (request.once ? askOnce(request, 1) : askPatiently(request)),
    health: () => [...wires.values()].map((wire) => wire.health()),
    onHealth(listener) {
      healthListeners.add(listener);
      return () => healthListeners.delete(listener);
    },
    onFrames: (listener) => tap.listen(listener),
    recentFrames: (connection) => tap.recent(connection),
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
