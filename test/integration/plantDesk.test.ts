import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createCore, type Core } from '../../src/main/core.ts';
import { HandrailError } from '../../src/shared/errors.ts';

const person = { signal: new AbortController().signal, door: 'web', client: 'test' } as const;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(plantFile?: string): Promise<{ core: Core; data: string }> {
  const data = mkdtempSync(join(tmpdir(), 'handrail-plants-'));
  ends.push(() => rmSync(data, { recursive: true, force: true }));
  const core = await createCore({ door: 'web', dataFolder: data, lang: 'en', polling: true, ...(plantFile ? { plantFile } : {}) });
  ends.push(() => core.close());
  return { core, data };
}

/** A device that answers every read of unit 1 with one number, whatever is asked, and leaves other units unanswered. */
async function deviceWith(value: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (frame) => {
      if (frame[6] !== 1) return;
      const quantity = frame.readUInt16BE(10);
      const head = Buffer.from(frame.subarray(0, 9));
      head.writeUInt16BE(3 + 2 * quantity, 4);
      head[8] = 2 * quantity;
      const body = Buffer.alloc(2 * quantity);
      for (let i = 0; i < quantity; i++) body.writeUInt16BE(value, 2 * i);
      socket.write(Buffer.concat([head, body]));
    });
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  ends.push(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        sockets.forEach((socket) => socket.destroy());
      }),
  );
  return (server.address() as AddressInfo).port;
}

const plantAt = (port: number): unknown => ({
  name: { en: 'pump house', zh: '泵房' },
  connections: [{ id: 'net', kind: 'tcp', host: '127.0.0.1', port, timing: { timeoutMs: 400 } }],
  devices: [{ id: 'drive', name: { en: 'drive', zh: '变频器' }, connection: 'net', unitId: 1 }],
  tags: [{ id: 'speed', name: { en: 'speed', zh: '转速' }, device: 'drive', table: 'holding', address: 3, type: 'uint16', pollMs: 100 }],
});

const refused = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: unknown) =>
      error instanceof HandrailError ? `${error.code} ${error.text.message.en} / ${error.text.message.zh}` : String(error),
  );
const value = (core: Core, tag: string): Promise<unknown> =>
  core.plant.readTags([tag], { priority: 'person' }).then(({ readings }) => readings[0]?.value);

test('a plant file is opened, changed and left while the program runs, and every room follows', async () => {
  const { core, data } = await start();
  const { calls } = core.api;
  expect(await calls['plant.source']({}, person)).toMatchObject({ kind: 'simulated', path: null, known: [] });
  const news: string[] = [];
  core.plants.onChange(() => news.push('plant'));
  await calls['arming.arm']({ devices: ['plc1'], minutes: 5, reason: 'test', operator: 'li' }, person);

  const opened = await calls['plant.open']({ name: '泵房.json', text: JSON.stringify(plantAt(await deviceWith(7))) }, person);
  expect(opened).toMatchObject({ kind: 'file', path: join(data, 'plants', '泵房.json'), known: ['泵房.json'] });
  expect(core.arming.list()).toEqual([]); // what was opened for writing was meant for the other plant
  expect(core.simulator).toBeNull();
  expect(await value(core, 'speed')).toBe(7);
  expect(core.world().tags.map((tag) => tag.name)).toEqual(['speed']);
  expect(core.settings.get().plantFile).toBe(opened.path);
  const read = await core.gateway.call({ tool: 'tag_read', args: { tags: ['speed'] }, caller: 'person:li', sessionId: 's', lang: 'en' });
  expect(read.ok).toBe(true);
  await expect.poll(() => core.plant.lastKnown('speed')?.value).toBe(7); // the new plant is polled, too
  expect(() => core.plant.lastKnown('boiler_temp')).toThrow();

  const file = structuredClone(await calls['plant.get']({}, person));
  file.connections[0]!.port = await deviceWith(9);
  const saved = await calls['plant.save']({ file, base: opened.digest }, person);
  expect(await value(core, 'speed')).toBe(9);
  expect(JSON.parse(readFileSync(saved.path!, 'utf8'))).toMatchObject({ connections: [{ port: file.connections[0]!.port }] });
  expect(existsSync(`${saved.path!}.before`)).toBe(true);

  expect(await calls['plant.use']({ name: null }, person)).toMatchObject({ kind: 'simulated', known: ['泵房.json'] });
  expect(core.simulator).not.toBeNull();
  expect(typeof (await value(core, 'boiler_temp'))).toBe('number');
  await calls['plant.use']({ name: '泵房.json' }, person);
  expect(await value(core, 'speed')).toBe(9);
  expect(news).toHaveLength(4);
});

test('what is wrong is said by its place in both languages, and nothing is changed by it', async () => {
  const { core } = await start();
  const { calls } = core.api;
  const file = plantAt(1502) as { connections: Record<string, unknown>[]; devices: Record<string, unknown>[] };
  file.connections[0]!['port'] = 70_000;
  delete file.connections[0]!['host'];
  file.devices[0]!['id'] = 'two words';
  const problems = await calls['plant.check']({ file }, person);
  expect(Object.fromEntries(problems.map((problem) => [problem.pointer, problem.why]))).toEqual({
    '/connections/0/port': { en: 'at most 65535', zh: '不大于 65535' },
    '/connections/0/host': { en: 'this is needed', zh: '此项必填' },
    '/devices/0/id': {
      en: 'letters, digits, dot, dash and underline only, 1 to 64 of them',
      zh: '只能用字母、数字、点、短横和下划线，1 到 64 个',
    },
  });
  expect(await refused(calls['plant.save']({ file, base: null }, person))).toMatch(/^ARGS_PLANT_FILE .*\/connections\/0.* \/ .*不可用/);
  expect(await refused(calls['plant.open']({ name: 'x.json', text: '{' }, person))).toContain('line 1');
  expect(await refused(calls['plant.use']({ name: '../../etc/passwd' }, person))).toMatch(/^ARGS_UNREADABLE_FILE/);
  expect(await calls['plant.source']({}, person)).toMatchObject({ kind: 'simulated', known: [] });
  const two = plantAt(1502) as { connections: unknown[] };
  two.connections.push(two.connections[0]);
  expect(await calls['plant.check']({ file: two }, person)).toMatchObject([{ pointer: '/connections/1/id' }]);
});

test('an edit of a file that somebody else has changed meanwhile is refused', async () => {
  const { core } = await start();
  const { calls } = core.api;
  const opened = await calls['plant.open']({ name: 'a.json', text: JSON.stringify(plantAt(1502)) }, person);
  const file = structuredClone(await calls['plant.get']({}, person));
  writeFileSync(opened.path!, JSON.stringify(plantAt(1503)));
  expect(await refused(calls['plant.save']({ file, base: opened.digest }, person))).toContain('changed since');
  expect(readFileSync(opened.path!, 'utf8')).toContain('1503');
});

test('the settings of a connection are tried before they are saved, and the line goes on as it was', async () => {
  const { core } = await start();
  const { calls } = core.api;
  await calls['plant.open']({ name: 'a.json', text: JSON.stringify(plantAt(await deviceWith(7))) }, person);
  const before = JSON.stringify(core.devices.connections());
  const other = await deviceWith(5);
  const draft = { id: 'draft', kind: 'tcp', host: '127.0.0.1', port: other, timing: { timeoutMs: 400 } };
  const good = await calls['plant.test']({ connection: draft, units: [1] }, person);
  expect(good.probes).toMatchObject([{ unit: 1, ok: true }]);
  const silent = await calls['plant.test']({ connection: draft, units: [9] }, person);
  expect(silent.probes).toMatchObject([{ unit: 9, ok: false }]);
  expect(silent.findings.some((finding) => finding.severity !== 'ok' && finding.remedy.zh !== '')).toBe(true);
  // The port of the line that runs, with other settings: the running one makes way and comes back.
  const running = core.plant.file.connections[0]!;
  expect((await calls['plant.test']({ connection: { ...running, timing: { timeoutMs: 500 } }, units: [1] }, person)).probes[0]?.ok).toBe(
    true,
  );
  expect(JSON.stringify(core.devices.connections())).toBe(before);
  expect(await value(core, 'speed')).toBe(7);
  expect(await refused(calls['plant.test']({ connection: { id: 'x', kind: 'rtu' }, units: [1] }, person))).toMatch(/^ARGS_PLANT_FILE/);
});
