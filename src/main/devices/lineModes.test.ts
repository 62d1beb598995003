import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { HandrailError } from '../../shared/errors.ts';
import type { ConnectionConfig } from '../../shared/contracts/devices.ts';
import { createDevices, decodeAscii, decodeRtuRequest, encodeAscii, encodeRtu, wordsPdu } from './index.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A serial line behind a socket: what comes back is decided by the test. */
async function lineServer(
  kind: 'rtu_over_tcp' | 'ascii_over_tcp',
  answer: (socket: Socket, unitId: number, pdu: Uint8Array, frame: Uint8Array) => void,
  echo?: boolean,
) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    ends.push(() => socket.destroy());
    socket.on('data', (chunk) => {
      const decoded = kind === 'rtu_over_tcp' ? decodeRtuRequest(chunk) : decodeAscii(chunk);
      if (decoded.kind === 'frame') answer(socket, decoded.unitId, decoded.pdu, chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => void server.close());
  const address = server.address();
  const devices = createDevices();
  ends.push(() => devices.close());
  const config: ConnectionConfig = {
    id: 'a',
    kind,
    host: '127.0.0.1',
    port: typeof address === 'object' && address ? address.port : 0,
    timing: { timeoutMs: 150 },
  };
  if (echo !== undefined) config.serial = { path: '', baud: 9600, dataBits: 8, parity: 'none', stopBits: 1, echo };
  devices.configure([config]);
  return devices;
}
const read = { connection: 'a', unitId: 9, functionCode: 3, address: 560, quantity: 2, priority: 'person' } as const;
const words = wordsPdu(3, [40000, 25]);

test('ASCII: an answer in pieces behind noise is read; lower case is tolerated', async () => {
  const devices = await lineServer('ascii_over_tcp', (socket, unitId) => {
    const text = Buffer.from(encodeAscii(unitId, words)).toString().toLowerCase();
    socket.write('noise:0');
    setTimeout(() => socket.write(text.slice(0, 9)), 5);
    setTimeout(() => socket.write(text.slice(9)), 20);
  });
  expect(await devices.request(read)).toMatchObject({ words: [40000, 25], crcValid: true });
});

test('ASCII: a wrong LRC is a checksum error at once, another unit is not ours', async () => {
  let mode: 'lrc' | 'unit' = 'lrc';
  const devices = await lineServer('ascii_over_tcp', (socket, unitId) => {
    const frame = Buffer.from(encodeAscii(mode === 'lrc' ? unitId : 10, words));
    if (mode === 'lrc') frame[frame.length - 3]! ^= 1;
    socket.write(frame);
  });
  expect(await devices.request(read).catch((error: HandrailError) => error)).toMatchObject({
    code: 'FRAME_CRC',
    detail: { crc_valid: false },
  });
  mode = 'unit';
  expect(await devices.request(read).catch((error: HandrailError) => error)).toMatchObject({
    code: 'FRAME_MISMATCH',
    detail: { failure: 'UNIT_MISMATCH' },
  });
});

test('a line that echoes: the echo of a write is no confirmation, echo and confirmation are', async () => {
  let confirms = false;
  const devices = await lineServer(
    'rtu_over_tcp',
    (socket, _unit, _pdu, frame) => {
      socket.write(frame);
      if (confirms) setTimeout(() => socket.write(frame), 10);
    },
    true,
  );
  const write = { connection: 'a', unitId: 9, functionCode: 6, address: 1, words: [5], priority: 'person' } as const;
  expect(await devices.request(write).catch((error: HandrailError) => error)).toMatchObject({
    code: 'WRITE_UNCONFIRMED',
    detail: { failure: 'ECHO_ONLY' },
  });
  confirms = true;
  expect(await devices.request(write)).toMatchObject({ crcValid: true });
});

test('after a question without an answer, a different second answer in one piece is refused and a lone one is marked unverified', async () => {
  let turn = 0;
  const devices = await lineServer('rtu_over_tcp', (socket, unitId) => {
    turn++;
    if (turn === 2) socket.write(Buffer.concat([encodeRtu(unitId, wordsPdu(3, [1, 1])), encodeRtu(unitId, words)]));
    if (turn === 3) socket.write(encodeRtu(unitId, words));
  });
  const failures = [];
  for (let i = 0; i < 2; i++)
    failures.push(
      await devices.request(read).then(
        () => 'ok',
        (error: HandrailError) => error.detail['failure'],
      ),
    );
  expect(failures).toEqual(['TIMEOUT', 'CONTRADICTION']);
  expect(await devices.request(read)).toMatchObject({ words: [40000, 25], unverified: true });
});

test('a late answer that has passed by lifts the doubt', async () => {
  let late: (() => void) | null = null;
  const devices = await lineServer('rtu_over_tcp', (socket, unitId) => {
    const answer = (): void => void socket.write(encodeRtu(unitId, words));
    if (late === null) late = answer;
    else answer();
  });
  expect(await devices.request(read).catch((error: HandrailError) => error)).toMatchObject({ code: 'DEVICE_NO_ANSWER' });
  late!(); // after the question was given up, however slow this machine is
  const reply = await devices.request(read);
  expect(reply.words).toEqual([40000, 25]);
  expect(reply.unverified).toBeUndefined();
});

test('F17: frames nobody asked for are noted and thrown away, the port stays open', async () => {
  const devices = await lineServer('rtu_over_tcp', (socket, unitId) => {
    socket.write(Buffer.concat([encodeRtu(0, Uint8Array.of(6, 0, 1, 0, 3)), encodeRtu(unitId, words)]));
    setTimeout(() => socket.write(encodeRtu(0, Uint8Array.of(6, 0, 1, 0, 4))), 5);
  });
  for (let i = 0; i < 3; i++) {
    expect((await devices.request(read)).words).toEqual([40000, 25]);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  expect(devices.health()[0]).toMatchObject({ state: 'open', epoch: 1 });
  expect(devices.health()[0]!.counters.strays).toBeGreaterThanOrEqual(3);
});
