import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { HandrailError } from '../../src/shared/errors.ts';
import type { Devices, WireRequest } from '../../src/shared/contracts/devices.ts';

/** A Modbus TCP client of a few lines, written apart from our own engine: it judges the simulated plant in tests. */
export async function plainTcp(
  port: number,
): Promise<{ ask(unitId: number, pdu: readonly number[], waitMs?: number): Promise<number[] | null>; socket: Socket; close(): void }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  let received: Buffer = Buffer.alloc(0);
  const waiting = new Map<number, (pdu: number[] | null) => void>();
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 8 && received.length >= 6 + received.readUInt16BE(4)) {
      const end = 6 + received.readUInt16BE(4);
      waiting.get(received.readUInt16BE(0))?.([...received.subarray(7, end)]);
      waiting.delete(received.readUInt16BE(0));
      received = received.subarray(end);
    }
  });
  socket.on('close', () => {
    for (const settle of waiting.values()) settle(null);
  });
  let id = 0;
  return {
    socket,
    close: () => socket.destroy(),
    ask(unitId, pdu, waitMs = 2000) {
      id = (id + 1) & 0xffff;
      const mine = id;
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(null), waitMs);
        const settle = (answer: number[] | null): void => {
          clearTimeout(timer);
          waiting.delete(mine);
          resolve(answer);
        };
        waiting.set(mine, settle);
        socket.write(Buffer.from([mine >> 8, mine & 255, 0, 0, 0, pdu.length + 1, unitId, ...pdu]));
      });
    },
  };
}

/** The reading half of the devices room over one plain client: enough for tests of what stands above it. */
export async function plainDevices(port: number): Promise<Pick<Devices, 'request'> & { requests: WireRequest[]; close(): void }> {
  const client = await plainTcp(port);
  const requests: WireRequest[] = [];
  let tail: Promise<unknown> = Promise.resolve();
  return {
    requests,
    close: () => client.close(),
    request(request) {
      requests.push(request);
      const run = async () => {
        request.signal?.throwIfAborted();
        const { address = 0, quantity = 0, functionCode, unitId } = request;
        const answer = await client.ask(
          unitId,
          [functionCode, address >> 8, address & 255, quantity >> 8, quantity & 255],
          request.timeoutMs ?? 500,
        );
        if (answer === null)
          throw new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: unitId, timeout_ms: request.timeoutMs ?? 500 } });
        if (answer[0]! & 0x80) throw new HandrailError('DEVICE_EXCEPTION', { detail: { unit: unitId, exception: answer[1] } });
        const bytes = answer.slice(2);
        const base = { readAt: new Date().toISOString(), durationMs: 1, attempts: 1, crcValid: null, tx: new Uint8Array(), rx: null };
        if (functionCode <= 2)
          return { ...base, bits: Array.from({ length: quantity }, (_, i) => ((bytes[i >> 3]! >> (i & 7)) & 1) === 1) };
        return { ...base, words: Array.from({ length: quantity }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!) };
      };
      const mine = tail.then(run, run);
      tail = mine.catch(() => undefined);
      return mine;
    },
  };
}
