import { connect } from 'node:net';
import jsmodbus from 'jsmodbus';
import ModbusRTU from 'modbus-serial';
import { SerialPort } from 'serialport';
import { createDevices } from '../../src/main/devices/index.ts';
import type { ConnectionConfig, WireReply } from '../../src/shared/contracts/devices.ts';

/** One client of the bench in a process of its own: `CLIENT tcp PORT COUNT IN_FLIGHT` or `CLIENT rtu PATH COUNT 1 BAUD`. Prints one JSON line. */
const [peer = '', kind = '', target = '', countText = '', inFlightText = '1', baudText = '115200'] = process.argv.slice(2);
const count = Number(countText);
const inFlight = Number(inFlightText);
type Words = ArrayLike<number>;
/** The client's own call, and where its words lie in the reply: nothing between us and it. */
type Client = { read(address: number): Promise<unknown>; words(reply: never): Words; close(): Promise<void> | void };

async function connectClient(): Promise<Client> {
  if (peer === 'handrail') {
    const config: ConnectionConfig =
      kind === 'tcp'
        ? { id: 'a', kind: 'tcp', host: '127.0.0.1', port: Number(target), timing: { inFlight } }
        : { id: 'a', kind: 'rtu', serial: { path: target, baud: Number(baudText), dataBits: 8, parity: 'even', stopBits: 1, echo: false } };
    const devices = createDevices();
    devices.configure([config]);
    return {
      read: (address) => devices.request({ connection: 'a', unitId: 1, functionCode: 3, address, quantity: 125, priority: 'poll' }),
      words: (reply: WireReply) => reply.words!,
      close: () => devices.close(),
    };
  }
  if (peer === 'modbus-serial') {
    const port = new ModbusRTU();
    port.setTimeout(2000);
    if (kind === 'tcp') await port.connectTCP('127.0.0.1', { port: Number(target) });
    else await port.connectRTUBuffered(target, { baudRate: 115_200 });
    port.setID(1);
    return {
      read: (address) => port.readHoldingRegisters(address, 125),
      words: (reply: { data: number[] }) => reply.data,
      close: () => new Promise((resolve) => port.close(() => resolve())),
    };
  }
  if (peer === 'jsmodbus') {
    if (kind === 'tcp') {
      const socket = connect({ host: '127.0.0.1', port: Number(target), noDelay: true });
      const modbus = new jsmodbus.client.TCP(socket, 1, 2000); // before the connection: it waits for the event itself
      await new Promise((resolve) => socket.once('connect', resolve));
      return {
        read: (address) => modbus.readHoldingRegisters(address, 125),
        words: (reply: { response: { body: { valuesAsArray: Words } } }) => reply.response.body.valuesAsArray,
        close: () => void socket.destroy(),
      };
    }
    const port = new SerialPort({ path: target, baudRate: 115_200 });
    const modbus = new jsmodbus.client.RTU(port as never, 1, 2000);
    await new Promise((resolve) => port.once('open', resolve));
    return {
      read: (address) => modbus.readHoldingRegisters(address, 125),
      words: (reply: { response: { body: { valuesAsArray: Words } } }) => reply.response.body.valuesAsArray,
      close: () => new Promise((resolve) => port.close(() => resolve())),
    };
  }
  throw new Error(`no client ${peer}`);
}

const client = await connectClient();
async function measure(total: number, took: Float64Array): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let i = next++; i < total; i = next++) {
        const start = performance.now();
        const words = client.words((await client.read(i % 1000)) as never);
        took[i] = performance.now() - start;
        for (let k = 0; k < 125; k++) if (words[k] !== (i % 1000) + k) throw new Error(`wrong value ${words[k]} at ${(i % 1000) + k}`);
      }
    }),
  );
}
const warm = kind === 'tcp' ? Math.min(3000, count) : 2;
await measure(warm, new Float64Array(warm));
const took = new Float64Array(count);
const cpu = process.cpuUsage();
const start = performance.now();
await measure(count, took);
const ms = performance.now() - start;
const used = process.cpuUsage(cpu);
took.sort();
console.log(
  JSON.stringify({
    rate: (count / ms) * 1000,
    p50_us: took[Math.floor(count / 2)]! * 1000,
    p99_us: took[Math.floor(count * 0.99)]! * 1000,
    cpu_us: (used.user + used.system) / count,
    cycle_ms: ms / count,
  }),
);
await client.close();
process.exit(0);
