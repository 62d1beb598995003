import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainTcp } from '../../../../test/harness/plainTcp.ts';
import { createSimulator, type Simulator } from './createSimulator.ts';
import { listFaults, parseFault } from './faults.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
});

async function plant(
  options: Parameters<typeof createSimulator>[0] = {},
): Promise<{ sim: Simulator; client: Awaited<ReturnType<typeof plainTcp>> }> {
  const sim = await createSimulator(options);
  const client = await plainTcp(sim.port);
  ends.push(
    () => sim.close(),
    () => client.close(),
  );
  return { sim, client };
}
const fixed = { now: () => Date.parse('2026-03-18T10:30:00Z') };
const exception = (fc: number, code: number) => [fc | 0x80, code];

describe('the guard before modbus-serial', () => {
  test('all holding registers 0 to 99 of unit 1 are readable in one request', async () => {
    const { client } = await plant();
    const answer = await client.ask(1, [3, 0, 0, 0, 100]);
    expect(answer?.slice(0, 2)).toEqual([3, 200]);
    expect((answer![2]! << 8) | answer![3]!).toBe(1650); // the setpoint, 165.0
  });

  test.each<[string, number[], number[]]>([
    ['quantity 0', [3, 0, 0, 0, 0], exception(3, 3)],
    ['quantity 126', [3, 0, 0, 0, 126], exception(3, 3)],
    ['2001 coils', [1, 0, 0, 7, 0xd1], exception(1, 3)],
    ['two registers from 65535', [3, 255, 255, 0, 2], exception(3, 2)],
    ['a register that is not there', [3, 0x27, 0x10, 0, 1], exception(3, 2)],
    ['a coil value of 1234h', [5, 0, 0, 0x12, 0x34], exception(5, 3)],
    ['a write with a wrong byte count', [16, 0, 60, 0, 2, 2, 0, 1], exception(16, 3)],
    ['an unknown function', [99], exception(99, 1)],
    ['a setpoint outside its range', [6, 0, 0, 0x13, 0x88], exception(6, 3)],
  ])('%s is refused as the standard says', async (_, request, answer) => {
    const { client } = await plant();
    expect(await client.ask(1, request)).toEqual(answer);
  });

  test('nothing of a refused write is taken', async () => {
    const { client } = await plant({ clock: fixed });
    const before = await client.ask(1, [3, 0, 0, 0, 100]);
    await client.ask(1, [6, 0, 0, 0x13, 0x88]);
    await client.ask(1, [16, 0, 0, 0, 2, 4, 0x04, 0xb0, 0xff, 0xff]);
    expect(await client.ask(1, [3, 0, 0, 0, 100])).toEqual(before);
  });

  test('a wrong protocol id or length ends the connection', async () => {
    for (const frame of ['000148540006010300000001', '0001000001000103', '000100000001']) {
      const { client } = await plant();
      const closed = new Promise((resolve) => client.socket.on('close', resolve));
      client.socket.write(Buffer.from(frame, 'hex'));
      await closed;
    }
  });

  test('a request cut at every byte is answered once it is whole', async () => {
    const { client } = await plant();
    const answers: Buffer[] = [];
    client.socket.on('data', (d) => answers.push(d));
    for (const byte of Buffer.from('000900000006010300000001', 'hex')) {
      client.socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => Buffer.concat(answers).toString('hex')).toBe('0009000000050103020672');
  });

  test('two clients that use the same transaction ids get their own answers', async () => {
    const { sim, client } = await plant();
    const other = await plainTcp(sim.port);
    ends.push(() => other.close());
    const [a, b] = await Promise.all([client.ask(1, [3, 0, 0, 0, 1]), other.ask(1, [3, 0, 1, 0, 1])]);
    expect([a, b]).toEqual([
      [3, 2, 0x06, 0x72],
      [3, 2, 0x0a, 0xf0],
    ]);
  });

  test('forty requests in one piece are all answered', async () => {
    const { client } = await plant();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => client.ask(1, [3, 0, i, 0, 1])));
    expect(answers.every((a) => a?.length === 4)).toBe(true);
  });

  test('units 1 and 2 answer, others are a gateway target that does not respond', async () => {
    const { client } = await plant();
    expect(await client.ask(2, [3, 0, 0, 0, 1])).toEqual([3, 2, 0x0b, 0xb8]); // 30.00 Hz
    expect(await client.ask(3, [3, 0, 0, 0, 1])).toEqual(exception(3, 11));
  });

  test('identification, server id, mask write and read-write work', async () => {
    const { client } = await plant();
    expect(Buffer.from((await client.ask(1, [43, 14, 1, 0]))!).toString('latin1')).toContain('Handrail');
    expect(Buffer.from((await client.ask(1, [17]))!).toString('latin1')).toContain('BH-2000');
    expect(await client.ask(1, [22, 0, 6, 0xff, 0xf7, 0, 8])).toEqual([22, 0, 6, 0xff, 0xf7, 0, 8]);
    expect(await client.ask(1, [23, 0, 6, 0, 1, 0, 60, 0, 1, 2, 0x12, 0x34])).toEqual([23, 2, 0, 8]);
    expect(await client.ask(1, [3, 0, 60, 0, 1])).toEqual([3, 2, 0x12, 0x34]);
  });

  test('a port that is taken is an error that says so', async () => {
    const { sim } = await plant();
    await expect(createSimulator({ port: sim.port })).rejects.toMatchObject({ code: 'PORT_LISTEN' });
  });
});

describe('what is kept between two runs', () => {
  test('written values, coils and plain registers are found again, and the clock goes on', async () => {
    const stateFile = join(folder, 'deep', 'plant-state.json');
    let now = Date.parse('2026-03-18T10:30:00Z');
    const clock = { now: () => now };
    const first = await createSimulator({ stateFile, clock });
    const client = await plainTcp(first.port);
    await client.ask(1, [6, 0, 0, 0x04, 0xb0]); // setpoint 120.0
    await client.ask(1, [6, 0, 77, 0, 42]);
    await client.ask(2, [5, 0, 0, 0, 0]);
    expect(existsSync(stateFile)).toBe(true); // before the end of the process: it might be killed
    client.close();
    await first.close();
    now += 60_000;
    const { sim, client: again } = await plant({ stateFile, clock });
    expect(await again.ask(1, [3, 0, 0, 0, 1])).toEqual([3, 2, 0x04, 0xb0]);
    expect(await again.ask(1, [3, 0, 77, 0, 1])).toEqual([3, 2, 0, 42]);
    expect(await again.ask(2, [1, 0, 0, 0, 1])).toEqual([1, 1, 0]);
    expect(sim.plantTime()).toBe(now);
  });

  test('a damaged state file is put aside and the plant starts fresh, saying so', async () => {
    const stateFile = join(folder, 'plant-state.json');
    writeFileSync(stateFile, '{"version":1,"house":{"at":0}');
    const { sim, client } = await plant({ stateFile });
    expect(sim.stateNote).toContain('put aside');
    expect(readFileSync(`${stateFile}.unreadable`, 'utf8')).toContain('"version":1');
    expect(await client.ask(1, [3, 0, 0, 0, 1])).toEqual([3, 2, 0x06, 0x72]);
  });
});

describe('faults of the devices', () => {
  const setpoint = [3, 0, 0, 0, 1];
  const value = (raw: number) => [3, 2, raw >> 8, raw & 255];
  const write1200 = [6, 0, 0, 0x04, 0xb0];

  test('ignored: confirmed, not taken', async () => {
    const { client } = await plant({ faults: ['ignore-writes'] });
    expect(await client.ask(1, write1200)).toEqual(write1200);
    expect(await client.ask(1, setpoint)).toEqual(value(1650));
  });

  test('clamped: another value than written', async () => {
    const { client } = await plant({ faults: ['clamp-writes'] });
    await client.ask(1, [6, 0, 0, 0x07, 0xd0]); // 200.0, the end of the range
    expect(await client.ask(1, setpoint)).toEqual(value(1925));
  });

  test('overwritten: right at first, the old value a little later', async () => {
    let now = fixed.now();
    const { client } = await plant({ faults: ['overwritten'], clock: { now: () => now } });
    await client.ask(1, write1200);
    expect(await client.ask(1, setpoint)).toEqual(value(1200));
    now += 1000;
    expect(await client.ask(1, setpoint)).toEqual(value(1650));
  });

  test('acknowledged: exception 05 at once, taken later', async () => {
    let now = fixed.now();
    const { client } = await plant({ faults: ['acknowledge:2000'], clock: { now: () => now } });
    expect(await client.ask(1, write1200)).toEqual(exception(6, 5));
    expect(await client.ask(1, setpoint)).toEqual(value(1650));
    now += 2500;
    expect(await client.ask(1, setpoint)).toEqual(value(1200));
  });

  test('locked: refused with exception 04', async () => {
    const { client } = await plant({ faults: ['locked-writes'] });
    expect(await client.ask(1, write1200)).toEqual(exception(6, 4));
  });

  test('lost confirmation: taken, and silent', async () => {
    const { sim, client } = await plant();
    const take = await sim.inject('lost-confirmation');
    expect(await client.ask(1, write1200, 100)).toBeNull();
    await take();
    expect(await client.ask(1, setpoint)).toEqual(value(1200));
  });

  test('a fault that is not known is refused by name, with those that are', () => {
    expect(() => parseFault('earthquake')).toThrow(expect.objectContaining({ code: 'ARGS_USAGE' }));
    expect(parseFault('exception:2@2x3')).toEqual({ name: 'exception', param: 2, unitId: 2, times: 3, seen: 0 });
    expect(parseFault('length-ffff')).toMatchObject({ name: 'length-ffff', times: null });
    expect(listFaults().every((f) => parseFault(f.name).name === f.name && f.about.zh !== '' && f.about.en !== '')).toBe(true);
  });
});
