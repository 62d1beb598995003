import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ConnectionConfig, FrameRecord, WireRequest } from '../../shared/contracts/devices.ts';
import { HandrailError } from '../../shared/errors.ts';
import {
  createDevices,
  createFacade,
  decodeRequestPdu,
  decodeTcp,
  effectOf,
  encodeRequestPdu,
  encodeTcp,
  exceptionPdu,
  confirmationPdu,
  identificationPdu,
  identifyDevice,
  responseFloorMs,
  runDoctor,
  theirFrame,
  encodeRtu,
  wordsPdu,
  type DevicesDeps,
} from './index.ts';
import { RequestQueue } from './line/queue.ts';
import type { Transaction } from './line/transaction.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Behave = (request: { pdu: Uint8Array; unitId: number; address: number; reply: (pdu: Uint8Array) => void; socket: Socket }) => void;
const plain: Behave = ({ pdu, reply }) => {
  const verdict = decodeRequestPdu(pdu);
  if (verdict.kind === 'exception') return reply(exceptionPdu(verdict.functionCode, verdict.exceptionCode));
  const { request } = verdict;
  if (request.functionCode === 3 || request.functionCode === 4)
    return reply(
      wordsPdu(
        request.functionCode,
        Array.from({ length: request.quantity }, (_, i) => request.address + i),
      ),
    );
  reply(confirmationPdu(pdu));
};

async function serve(behave: Behave): Promise<{ port: number; seen: Uint8Array[]; connections: () => number }> {
  const seen: Uint8Array[] = [];
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let decoded = decodeTcp(pending, 2); decoded.kind === 'frame'; decoded = decodeTcp(pending, 2)) {
        const { pdu, unitId, transactionId } = decoded;
        pending = pending.subarray(decoded.end);
        seen.push(Uint8Array.from(pdu));
        behave({
          pdu,
          unitId,
          address: (pdu[1]! << 8) | pdu[2]!,
          socket,
          reply: (answer) => {
            if (!socket.destroyed) socket.write(encodeTcp(transactionId!, unitId, answer));
          },
        });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, seen, connections: () => connections };
}

function room(port: number, timing: ConnectionConfig['timing'] = {}, deps: DevicesDeps = {}) {
  const devices = createDevices(deps);
  ends.push(() => devices.close());
  devices.configure([{ id: 'a', kind: 'tcp', host: '127.0.0.1', port, timing: { timeoutMs: 3000, ...timing } }]);
  return devices;
}
const read = (more: Partial<WireRequest> = {}): WireRequest => ({
  connection: 'a',
  unitId: 1,
  functionCode: 3,
  address: 5,
  quantity: 2,
  priority: 'person',
  ...more,
});
const write = (more: Partial<WireRequest> = {}): WireRequest => ({
  connection: 'a',
  unitId: 1,
  functionCode: 6,
  address: 5,
  words: [7],
  priority: 'person',
  ...more,
});
const codeOf = (promise: Promise<unknown>): Promise<[string, unknown]> =>
  promise.then(
    () => ['ok', null],
    (error: HandrailError) => [error.code, error.detail['failure']],
  );

test('a read gives its words, its frames and no checksum verdict over TCP', async () => {
  const devices = room((await serve(plain)).port);
  const reply = await devices.request(read());
  expect(reply).toMatchObject({ words: [5, 6], crcValid: null, attempts: 1 });
  expect(Buffer.from(reply.rx!).subarray(2).toString('hex')).toBe('0000' + '0007' + '01030400050006');
});

test('read-only mode refuses by function and sub-function, on the bytes, before anything is sent', async () => {
  const peer = await serve(plain);
  const devices = room(peer.port, {}, { isReadOnly: () => true });
  for (const request of [
    write(),
    write({ functionCode: 5, bits: [true] }),
    write({ functionCode: 16 }),
    write({ functionCode: 22, andMask: 1, orMask: 1 }),
    write({ functionCode: 23, quantity: 1, writeAddress: 1 }),
    read({ functionCode: 8, subFunction: 10 }),
    { ...read(), functionCode: 21, records: [{ file: 1, record: 0, words: [1] }] },
  ]) {
    expect(await codeOf(devices.request(request))).toEqual(['POLICY_READ_ONLY', 'READ_ONLY']);
  }
  await devices.request(read());
  expect(peer.seen).toHaveLength(1);
});

test('every PDU has one effect; what restarts or silences a device is never sent', () => {
  expect([1, 2, 3, 4, 7, 11, 12, 17, 20, 24].map((fc) => effectOf(Uint8Array.of(fc)))).toEqual(new Array(10).fill('read'));
  expect([5, 6, 15, 16, 21, 22, 23].map((fc) => effectOf(Uint8Array.of(fc)))).toEqual(new Array(7).fill('write'));
  expect([[8, 0, 1], [8, 0, 4], [43, 13], [99], []].map((pdu) => effectOf(Uint8Array.from(pdu)))).toEqual(new Array(5).fill('forbidden'));
  expect(
    [
      [8, 0, 0],
      [8, 0, 11],
      [8, 0, 18],
      [43, 14],
    ].map((pdu) => effectOf(Uint8Array.from(pdu))),
  ).toEqual(new Array(4).fill('read'));
  expect(
    [
      [8, 0, 3],
      [8, 0, 10],
      [8, 0, 20],
    ].map((pdu) => effectOf(Uint8Array.from(pdu))),
  ).toEqual(new Array(3).fill('write'));
});

test('busy (06) is asked again for a read and never for a write', async () => {
  let busy = 2;
  const peer = await serve((request) => (busy-- > 0 ? request.reply(exceptionPdu(request.pdu[0]!, 6)) : plain(request)));
  const devices = room(peer.port);
  expect(await devices.request(read())).toMatchObject({ words: [5, 6], attempts: 3 });
  busy = 1;
  const error = await devices.request(write()).catch((thrown: HandrailError) => thrown);
  expect(error).toMatchObject({ code: 'DEVICE_EXCEPTION', retry: 'after-check', detail: { exception: 6 } });
  expect(peer.seen).toHaveLength(4);
});

test('acknowledge (05) says that the device took it', async () => {
  const devices = room((await serve(({ pdu, reply }) => reply(exceptionPdu(pdu[0]!, 5)))).port);
  const error = await devices.request(write()).catch((thrown: HandrailError) => thrown);
  expect(error).toMatchObject({ code: 'DEVICE_EXCEPTION', retry: 'after-check', detail: { exception: 5, accepted: true } });
});

test('a write that got no answer is unconfirmed and was sent once', async () => {
  const peer = await serve(() => undefined);
  const devices = room(peer.port, { timeoutMs: 60 });
  const error = await devices.request(write()).catch((thrown: HandrailError) => thrown);
  expect(error).toMatchObject({
    code: 'WRITE_UNCONFIRMED',
    retry: 'after-check',
    detail: { failure: 'TIMEOUT', cause_code: 'DEVICE_NO_ANSWER' },
  });
  expect(peer.seen).toHaveLength(1);
});

test('no queued write crosses a lost connection, queued reads do', async () => {
  let first = true;
  const peer = await serve((request) => {
    if (!first) return plain(request);
    first = false;
    setTimeout(() => request.socket.resetAndDestroy(), 20);
  });
  const devices = room(peer.port);
  const results = await Promise.all([codeOf(devices.request(read())), codeOf(devices.request(write())), codeOf(devices.request(read()))]);
  expect(results).toEqual([
    ['PORT_CLOSED', 'CONNECTION_CLOSED'],
    ['PORT_CLOSED', 'CONNECTION_CLOSED'],
    ['ok', null],
  ]);
  expect(peer.seen.map((pdu) => pdu[0])).toEqual([3, 3]);
  expect(devices.health()[0]).toMatchObject({ state: 'open', epoch: 2 });
});

test('stop takes waiting requests out of the queue and lets go of a read on the wire', async () => {
  const peer = await serve(({ pdu, reply }) => void setTimeout(() => reply(wordsPdu(3, [pdu[2]!, 0])), 60));
  const devices = room(peer.port);
  const controller = new AbortController();
  const first = codeOf(devices.request(read({ signal: controller.signal })));
  const second = codeOf(devices.request(write({ signal: controller.signal })));
  const third = devices.request(read({ address: 9 }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  controller.abort();
  expect(await Promise.all([first, second])).toEqual([
    ['CANCELLED', 'CANCELLED'],
    ['CANCELLED', 'CANCELLED'],
  ]);
  expect((await third).words).toEqual([9, 0]); // and not the answer of the one that was let go
  expect(peer.seen.map((pdu) => pdu[0])).toEqual([3, 3]);
});

test('a stopped write that has left shows its true end', async () => {
  const devices = room((await serve((request) => void setTimeout(() => plain(request), 50))).port);
  const controller = new AbortController();
  const result = codeOf(devices.request(write({ signal: controller.signal })));
  setTimeout(() => controller.abort(), 20);
  expect(await result).toEqual(['ok', null]);
});

test('an idle connection is released, and the next request opens it again', async () => {
  const peer = await serve(plain);
  const devices = room(peer.port, { idleReleaseMs: 60 });
  await devices.request(write());
  const released = new Promise<void>((resolve) =>
    devices.onHealth((health) => {
      if (health.state === 'released') resolve();
    }),
  );
  await released;
  expect(await codeOf(devices.request(write()))).toEqual(['ok', null]);
  expect(peer.connections()).toBe(2);
});

test('frames reach the tap in batches, in the order of the wire', async () => {
  const devices = room((await serve(plain)).port);
  const frames: FrameRecord[] = [];
  const batches = new Promise<void>((resolve) =>
    devices.onFrames((batch) => {
      frames.push(...batch);
      if (frames.length >= 6) resolve();
    }),
  );
  for (let i = 0; i < 3; i++) await devices.request(read({ address: i }));
  await batches;
  expect(frames.map((frame) => frame.direction)).toEqual(['tx', 'rx', 'tx', 'rx', 'tx', 'rx']);
  expect(frames.map((frame) => frame.t)).toEqual([...frames.map((frame) => frame.t)].sort((a, b) => a - b));
  expect(devices.recentFrames('a')).toHaveLength(6);
  expect(devices.recentFrames('b')).toHaveLength(0);
});

test('a person goes before an agent before polling, and nobody starves', () => {
  const queue = new RequestQueue();
  const add = (priority: Transaction['priority'], n: number): void => {
    for (let i = 0; i < n; i++) queue.add({ priority, enqueuedAt: i } as Transaction);
  };
  add('poll', 5);
  add('agent', 12);
  add('person', 1);
  const order = Array.from({ length: 18 }, () => queue.take()!.priority);
  expect(order[0]).toBe('person');
  expect(order.slice(1, 5)).toEqual(['agent', 'agent', 'agent', 'poll']);
  expect(order.filter((priority) => priority === 'poll')).toHaveLength(5);
  expect(order.indexOf('poll')).toBeLessThan(6);
  expect(queue.take()).toBeUndefined();
});

test('the time-out has a physical floor (F23: 3 ms at 9600 baud once read the previous value for ever)', () => {
  const line = (baud: number): ConnectionConfig => ({
    id: 'x',
    kind: 'rtu',
    serial: { path: 'x', baud, dataBits: 8, parity: 'even', stopBits: 1 },
  });
  expect(responseFloorMs(line(9600), 8, 255)).toBeGreaterThan(301 + 8);
  expect(responseFloorMs(line(2400), 8, 255)).toBeGreaterThan(1205);
  expect(responseFloorMs(line(115_200), 8, 7)).toBeLessThan(30);
});

test('T09: unit 0 over TCP is asked as unit 0, and T17: the unit travels with its request', async () => {
  const devices = room((await serve(({ unitId, reply }) => reply(wordsPdu(3, [unitId, 0])))).port, { inFlight: 8 });
  const replies = await Promise.all([0, 1, 2, 255].map((unitId) => devices.request(read({ unitId }))));
  expect(replies.map((reply) => reply.words![0])).toEqual([0, 1, 2, 255]);
});

test('identification goes on while more follows and ends when the object number does not advance', async () => {
  const objects = [
    { id: 0, text: Buffer.from('Acme') },
    { id: 1, text: Buffer.from('P-1') },
    { id: 2, text: Buffer.from('1.0') },
  ];
  let stuck = false;
  const peer = await serve(({ pdu, reply }) => {
    if (pdu[0] !== 43) return reply(pdu[0] === 17 ? Uint8Array.of(17, 2, 0x41, 0xff) : exceptionPdu(pdu[0]!, 1));
    reply(stuck ? Uint8Array.of(43, 14, 1, 1, 0xff, 0, 0) : identificationPdu(1, 1, objects.slice(pdu[3]), 12));
  });
  const devices = room(peer.port);
  expect(await identifyDevice(devices, { connection: 'a', unitId: 1, priority: 'person' })).toMatchObject({
    vendor: 'Acme',
    product: 'P-1',
    revision: '1.0',
    serverId: { text: 'A\u00ff' },
  });
  stuck = true;
  const before = peer.seen.length;
  expect((await identifyDevice(devices, { connection: 'a', unitId: 1, priority: 'person' })).vendor).toBeNull();
  expect(peer.seen.length - before).toBe(2); // one identification, one FC17
});

test('the doctor finds a silent unit beside a sound one, explains an exception, and names HTTP', async () => {
  const peer = await serve((request) =>
    request.unitId === 2 ? undefined : request.unitId === 3 ? request.reply(exceptionPdu(3, 2)) : plain(request),
  );
  const devices = room(peer.port, { timeoutMs: 50 });
  const diagnosis = await runDoctor(devices, { connection: 'a', units: [{ unitId: 1 }, { unitId: 2 }, { unitId: 3 }] });
  expect(diagnosis.healthy).toBe(false);
  expect(diagnosis.findings.map((one) => one.condition)).toEqual(['silent-unit', 'exception']);
  const web = await serve(({ socket }) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const other = room(web.port);
  expect((await runDoctor(other, { connection: 'a', units: [{ unitId: 1 }] })).findings[0]).toMatchObject({ condition: 'http' });
});

test('the doctor says that nothing is wrong when nothing is', async () => {
  const devices = room((await serve(plain)).port);
  expect(await runDoctor(devices, { connection: 'a', units: [{ unitId: 1 }] })).toMatchObject({
    healthy: true,
    findings: [{ condition: 'healthy' }],
  });
});

test('two encoders agree about every write', () => {
  const base = { connection: 'a', unitId: 9, priority: 'person' } as const;
  const requests: WireRequest[] = [
    { ...base, functionCode: 5, address: 1, bits: [false] },
    { ...base, functionCode: 6, address: 65535, words: [65535] },
    { ...base, functionCode: 15, address: 3, bits: Array.from({ length: 1968 }, (_, i) => i % 3 === 0) },
    { ...base, functionCode: 16, address: 0, words: Array.from({ length: 123 }, (_, i) => i * 500) },
    { ...base, functionCode: 22, address: 1, andMask: 0xf2, orMask: 0x25 },
    { ...base, functionCode: 23, address: 1, quantity: 125, writeAddress: 7, words: new Array<number>(121).fill(9) },
  ];
  for (const request of requests)
    expect(Buffer.from(theirFrame(request)!).toString('hex')).toBe(Buffer.from(encodeRtu(9, encodeRequestPdu(request))).toString('hex'));
});

test("modbus-serial's client works on our engine and hears only verified answers", async () => {
  const devices = room((await serve(plain)).port);
  const facade = createFacade(devices, 'a');
  const { client } = facade;
  client.setID(1);
  expect((await client.readHoldingRegisters(10, 3)).data).toEqual([10, 11, 12]);
  expect(await client.writeRegister(5, 1234)).toMatchObject({ address: 5, value: 1234 });
  await expect(client.readHoldingRegisters(65530, 100)).rejects.toThrow(/exception 3/);
  expect(facade.lastFailure()).toMatchObject({ code: 'FRAME_LIMIT' });
});

test('a connection without a host or a port is refused, not guessed', async () => {
  const devices = createDevices();
  ends.push(() => devices.close());
  devices.configure([
    { id: 'a', kind: 'tcp' },
    { id: 'b', kind: 'rtu' },
  ]);
  expect(await codeOf(devices.request(read()))).toEqual(['PORT_SETTINGS', 'PORT_SETTINGS']);
  expect(await codeOf(devices.request(read({ connection: 'b' })))).toEqual(['PORT_SETTINGS', 'PORT_SETTINGS']);
  expect(await codeOf(devices.request(read({ connection: 'nobody' })))).toEqual(['ARGS_INVALID', 'INVALID_REQUEST']);
});

test('a device that answers every second question never runs us out of transaction ids', async () => {
  let turn = 0;
  const devices = room((await serve((request) => (turn++ % 2 ? plain(request) : undefined))).port, { timeoutMs: 5 });
  for (let i = 0; i < 20; i++) {
    const reply = await devices.request(read({ address: i })).catch((error: HandrailError) => error);
    if (!(reply instanceof HandrailError)) expect(reply.words).toEqual([i, i + 1]);
  }
});
