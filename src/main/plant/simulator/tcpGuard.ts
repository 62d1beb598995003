import { createServer, type Server, type Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import modbusSerial, { type ServerTCP as LibraryServer } from 'modbus-serial';
import { HandrailError } from '../../../shared/errors.ts';
import { decodeRequestPdu, decodeTcp, encodeTcp, exceptionPdu } from '../../devices/framing/index.ts';
import { answer, type SimulatedDevices } from './device.ts';
import type { Fault } from './faults.ts';
import { answerInstead, spoil, type Exchange, type LineAction } from './lineFaults.ts';

/** modbus-serial is CommonJS: its classes hang on the default export. */
const { ServerTCP } = modbusSerial as unknown as { ServerTCP: typeof LibraryServer };
/** What modbus-serial serves rightly once a request is known to be clean. The rest we answer ourselves. */
const servedByLibrary: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 15, 16]);

export type TcpGuard = { port: number; setFaults(faults: Fault[]): Promise<void>; connections(): number; close(): Promise<void> };

/**
 * The plant's Modbus TCP server: modbus-serial's ServerTCP behind a parser of ours. The library takes protocol id 4854h,
 * serves 127 registers, executes FC5 with 1234h and writes with a wrong byte count; so only requests that our own codec
 * found clean go on to it, over a pipe in memory. Exceptions of form, and FC 8, 17, 22, 23, 43, are answered here.
 */
export async function startTcpGuard(devices: SimulatedDevices, options: { port: number; host: string }): Promise<TcpGuard> {
  const library = await startLibraryServer(devices);
  const sockets = new Set<Socket>();
  let faults: Fault[] = [];
  const server = createServer((socket) => {
    if (faults.some((f) => f.name === 'one-client') && sockets.size > 0) {
      socket.resetAndDestroy();
      return;
    }
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // a client that vanishes is no fault of the plant; 'close' follows
    socket.on('close', () => sockets.delete(socket));
    serve(socket, devices, library.connect(), () => faults);
  });
  const port = await listen(server, options.port, options.host);
  let listening = true;
  const isDown = () => faults.some((f) => f.name === 'down');
  return {
    port,
    connections: () => sockets.size,
    async setFaults(next) {
      faults = next;
      if (isDown() && listening) {
        listening = false;
        await closeServer(server, sockets);
      } else if (!isDown() && !listening) {
        await listen(server, port, options.host);
        listening = true;
      }
    },
    async close() {
      if (listening) await closeServer(server, sockets);
      library.close();
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message;
      reject(new HandrailError('PORT_LISTEN', { detail: { port, reason }, cause }));
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

/** One client: parse, judge, let the right side answer, play the fault if there is one. */
function serve(socket: Socket, devices: SimulatedDevices, inner: Duplex, faults: () => readonly Fault[]): void {
  let received: Buffer = Buffer.alloc(0);
  let isDeaf = false;
  /** Requests with the library: its ids are ours, so a client that uses one id twice cannot mix its answers up. */
  const waiting = new Map<number, { exchange: Exchange; fault: Fault | null }>();
  let nextId = 0;
  let fromLibrary: Buffer = Buffer.alloc(0);
  const play = player(socket, () => {
    isDeaf = true;
  });

  inner.on('data', (chunk: Buffer) => {
    fromLibrary = Buffer.concat([fromLibrary, chunk]);
    for (;;) {
      const decoded = decodeTcp(fromLibrary);
      if (decoded.kind !== 'frame') return;
      const entry = waiting.get(decoded.transactionId!);
      waiting.delete(decoded.transactionId!);
      if (entry) play(spoil(entry.fault, entry.exchange, decoded.pdu.slice()));
      fromLibrary = fromLibrary.subarray(decoded.end);
    }
  });

  socket.on('close', () => inner.destroy());
  socket.on('data', (chunk) => {
    if (isDeaf) return;
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const decoded = decodeTcp(received, 2);
      if (decoded.kind === 'incomplete') return;
      if (decoded.kind === 'garbage') {
        socket.destroy(); // not Modbus TCP: there is no place to take up again
        return;
      }
      const request = Uint8Array.from(received.subarray(decoded.start, decoded.end));
      received = received.subarray(decoded.end);
      const { unitId, transactionId } = decoded;
      const exchange: Exchange = {
        transport: 'tcp',
        unitId,
        request,
        requestPdu: request.subarray(7),
        frame: (unit, pdu, offset = 0) => encodeTcp((transactionId! + offset) & 0xffff, unit, pdu),
      };
      const fault = meet(faults(), unitId);
      const instead = fault && answerInstead(fault, exchange);
      if (instead) {
        play(instead);
        continue;
      }
      const verdict = decodeRequestPdu(exchange.requestPdu);
      if (verdict.kind === 'exception') play(spoil(fault, exchange, exceptionPdu(verdict.functionCode, verdict.exceptionCode)));
      else if (servedByLibrary.has(verdict.request.functionCode) && devices.unit(unitId)) {
        nextId = (nextId + 1) & 0xffff;
        waiting.set(nextId, { exchange, fault });
        inner.write(encodeTcp(nextId, unitId, exchange.requestPdu));
      } else play(spoil(fault, exchange, answer(devices, unitId, exchange.requestPdu, verdict.request)));
    }
  });
}

/** The fault a request meets, and that it has met one more. */
export function meet(faults: readonly Fault[], unitId: number): Fault | null {
  const fault = faults.find((f) => (f.unitId === null || f.unitId === unitId) && (f.times === null || f.seen < f.times));
  if (!fault) return null;
  fault.seen++;
  return { ...fault };
}

/** Performs actions one after the other; answers of later requests wait for those before them, as on a wire. */
function player(socket: Socket, becomeDeaf: () => void): (actions: readonly LineAction[]) => void {
  let tail: Promise<void> = Promise.resolve();
  const perform = async (action: LineAction): Promise<void> => {
    if (action.afterMs > 0) await new Promise((resolve) => setTimeout(resolve, action.afterMs));
    if (socket.destroyed) return;
    if ('bytes' in action) socket.write(action.bytes);
    else if (action.do === 'reset') socket.resetAndDestroy();
    else if (action.do === 'finish') socket.end();
    else becomeDeaf();
  };
  return (actions) => {
    for (const action of actions) tail = tail.then(() => perform(action));
  };
}

/**
 * The library's server without a door: it insists on listening, so it gets a free loopback port and is closed for
 * strangers as soon as it stands; our connections are handed to it in memory.
 */
async function startLibraryServer(devices: SimulatedDevices): Promise<{ connect(): Duplex; close(): void }> {
  const vector = {
    getMultipleHoldingRegisters: (address: number, length: number, unitId: number) => devices.words(unitId, 'holding', address, length),
    getMultipleInputRegisters: (address: number, length: number, unitId: number) => devices.words(unitId, 'input', address, length),
    getHoldingRegister: (address: number, unitId: number) => devices.words(unitId, 'holding', address, 1)[0]!,
    getInputRegister: (address: number, unitId: number) => devices.words(unitId, 'input', address, 1)[0]!,
    getCoil: (address: number, unitId: number) => devices.bits(unitId, 'coil', address, 1)[0]!,
    getDiscreteInput: (address: number, unitId: number) => devices.bits(unitId, 'discrete', address, 1)[0]!,
    setCoil: (address: number, value: boolean, unitId: number) => devices.write(unitId, 'coil', address, [value ? 1 : 0]),
    setRegister: (address: number, value: number, unitId: number) => devices.write(unitId, 'holding', address, [value & 0xffff]),
    setRegisterArray: (address: number, values: number[], unitId: number) => devices.write(unitId, 'holding', address, values),
  };
  // '0' and not 0: the library replaces a false port by 502.
  const server = new ServerTCP(vector, { host: '127.0.0.1', port: '0' as unknown as number, unitID: 255 });
  await new Promise<void>((resolve, reject) => {
    server.once('initialized', () => resolve());
    server.once('serverError', (cause: Error | null) =>
      reject(new HandrailError('PORT_LISTEN', { detail: { port: 0, reason: cause?.message ?? 'unknown' }, cause })),
    );
  });
  const inside = (server as unknown as { _server: Server })._server;
  await new Promise<void>((resolve) => inside.close(() => resolve()));
  server.on('socketError', () => undefined);
  server.on('error', () => undefined);
  const ends = new Set<Duplex>();
  return {
    connect() {
      const [ours, theirs] = duplexPair();
      Object.assign(theirs, { address: () => ({}), remoteAddress: '127.0.0.1' });
      ours.on('error', () => undefined);
      ours.on('close', () => {
        theirs.destroy();
        ends.delete(ours);
      });
      ends.add(ours);
      inside.emit('connection', theirs);
      return ours;
    },
    close() {
      for (const end of ends) end.destroy();
    },
  };
}
