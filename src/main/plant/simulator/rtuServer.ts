import { decodeRequestPdu, decodeRtuRequest, encodeRtu, exceptionPdu } from '../../devices/framing/index.ts';
import { answer, type SimulatedDevices } from './device.ts';
import type { Fault } from './faults.ts';
import { answerInstead, spoil, type Exchange, type LineAction } from './lineFaults.ts';
import { meet } from './tcpGuard.ts';

/** One serial line made of a pseudo-terminal: `path` is the client's end, the rest is ours. */
export type PtyPair = {
  path: string;
  write(bytes: Uint8Array): void;
  onData(listener: (bytes: Uint8Array) => void): void;
  close(): Promise<void>;
};
export type RtuServer = { path: string; setFaults(faults: readonly Fault[]): void; close(): Promise<void> };

/**
 * The plant's RTU line. modbus-serial's serial server executes writes with a wrong checksum and answers after 30 ms, so
 * this one is ours: frames are found by grammar and CRC, a wrong CRC and a strange unit are met with silence, a broadcast
 * is obeyed without an answer, and a silence of 50 ms drops what never became a frame.
 */
export function startRtuServer(devices: SimulatedDevices, pair: PtyPair, quietMs = 50): RtuServer {
  let received = new Uint8Array(0);
  let faults: readonly Fault[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let tail: Promise<void> = Promise.resolve();
  let isOpen = true;
  const play = (actions: readonly LineAction[]): void => {
    for (const action of actions) {
      tail = tail.then(async () => {
        if (action.afterMs > 0) await new Promise((resolve) => setTimeout(resolve, action.afterMs));
        if (isOpen && 'bytes' in action) pair.write(action.bytes);
      });
    }
  };

  pair.onData((chunk) => {
    const joined = new Uint8Array(received.length + chunk.length);
    joined.set(received);
    joined.set(chunk, received.length);
    received = joined;
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      received = new Uint8Array(0);
    }, quietMs);
    for (;;) {
      const decoded = decodeRtuRequest(received);
      if (decoded.kind === 'incomplete') return;
      if (decoded.kind === 'garbage') {
        received = received.slice(decoded.skip);
        if (received.length === 0) return;
        continue;
      }
      const request = received.slice(decoded.start, decoded.end);
      received = received.slice(decoded.end);
      take(decoded.unitId, request);
    }
  });

  function take(unitId: number, request: Uint8Array): void {
    const requestPdu = request.subarray(1, -2);
    const verdict = decodeRequestPdu(requestPdu);
    if (unitId === 0) {
      if (verdict.kind === 'request') for (const unit of [1, 2]) answer(devices, unit, requestPdu, verdict.request);
      return;
    }
    if (unitId === 255 || !devices.unit(unitId)) return;
    const exchange: Exchange = { transport: 'rtu', unitId, request, requestPdu, frame: (unit, pdu) => encodeRtu(unit, pdu) };
    const fault = meet(faults, unitId);
    const instead = fault && answerInstead(fault, exchange);
    if (instead) play(instead);
    else
      play(
        spoil(
          fault,
          exchange,
          verdict.kind === 'exception'
            ? exceptionPdu(verdict.functionCode, verdict.exceptionCode)
            : answer(devices, unitId, requestPdu, verdict.request),
        ),
      );
  }

  return {
    path: pair.path,
    setFaults(next) {
      faults = next;
    },
    async close() {
      isOpen = false;
      clearTimeout(quiet);
      await pair.close();
    },
  };
}
