import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createDevices } from '../../../src/main/devices/index.ts';
import { createSimulator, type Simulator } from '../../../src/main/plant/index.ts';
import { openStore } from '../../../src/main/store/index.ts';
import { createUlids } from '../../../src/shared/ulid.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
// The sources are run as they are, which Node can do from version 24 on.
const own = join(root, 'node_modules/.bin/node');
const node = Number(process.versions.node.split('.')[0]) >= 24 || !existsSync(own) ? process.execPath : own;

/** Stands between the program and the plant and counts the write frames that come by. */
async function countWrites(target: number): Promise<{ port: number; count(): number; server: Server }> {
  let writes = 0;
  const server = createServer((client) => {
    const plant = connect(target, '127.0.0.1');
    let rest = Buffer.alloc(0);
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 8 && rest.length >= 6 + rest.readUInt16BE(4)) {
        if ([5, 6, 15, 16, 22, 23].includes(rest[7]!)) writes++;
        rest = rest.subarray(6 + rest.readUInt16BE(4));
      }
      plant.write(bytes);
    });
    plant.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, plant],
      [plant, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { port: (server.address() as { port: number }).port, count: () => writes, server };
}

/** Compiled sources, shared by the many short lives of this test. */
const cache = mkdtempSync(join(tmpdir(), 'handrail-compiled-'));

const run = (args: string[]): Promise<string> =>
  new Promise((done) => {
    execFile(
      node,
      [join(root, 'test/harness/crashWriter.child.ts'), ...args],
      { timeout: 60_000, env: { ...process.env, NODE_COMPILE_CACHE: join(cache, 'compiled') } },
      (_error, stdout) => done(stdout),
    );
  });

/** One plant, on which writes are tried one after the other; each run gets a data folder of its own. */
async function bench() {
  const simulator: Simulator = await createSimulator();
  const devices = createDevices();
  devices.configure(simulator.file.connections);
  const at = { connection: 'sim', unitId: 1, address: 0, priority: 'person' as const };
  let value = 1650;
  return {
    async tryPoint(point: number) {
      const folder = mkdtempSync(join(tmpdir(), 'handrail-crash-'));
      const counter = await countWrites(simulator.port);
      const before = value;
      const after = before === 1650 ? 1600 : 1650;
      const said = await run([folder, String(counter.port), String(point), String(after / 10), 'W1']);
      const now = (await devices.request({ ...at, functionCode: 3, quantity: 1 })).words![0]!;
      value = now;
      counter.server.close();
      const written = counter.count();
      // The next start: what does the record know, and does anything move by itself?
      const ids = createUlids({ now: () => Date.now(), random: () => new Uint8Array(16) });
      const store = openStore({ folder, clock: { now: () => Date.now() }, ids, lang: 'en' });
      const row = store.record.call('W1');
      const known = row?.writes[0];
      const verified = await store.record.verify();
      const result = {
        point,
        said: said.trim(),
        changed: now === after,
        untouched: now === before,
        written,
        chain: verified.ok,
        state: known?.state ?? 'no intent',
        verdict: known?.verdict ?? null,
        call: row?.state ?? 'no call',
        unknown: store.record.unknownWrites().map((w) => w.call.call_id),
        openCards: store.record.openApprovals().length,
      };
      store.close();
      rmSync(folder, { recursive: true, force: true });
      return result;
    },
    async close() {
      await devices.close();
      await simulator.close();
    },
  };
}
type Result = Awaited<ReturnType<Awaited<ReturnType<typeof bench>>['tryPoint']>>;

test('killed at any effect of a write, the next start knows what is known, and nothing is repeated', { timeout: 240_000 }, async () => {
  const benches = await Promise.all([bench(), bench(), bench()]);
  const whole = await benches[0].tryPoint(0);
  expect(whole).toMatchObject({ changed: true, written: 1, chain: true, state: 'done', verdict: 'confirmed', call: 'ended' });
  const { effects } = JSON.parse(whole.said) as { effects: number };
  expect(effects).toBeGreaterThanOrEqual(30);

  const points = Array.from({ length: effects }, (_, i) => i + 1);
  const results: Result[] = [];
  await Promise.all(
    benches.map(async (mine) => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) results.push(await mine.tryPoint(point));
    }),
  );
  results.sort((a, b) => a.point - b.point);
  expect(results.map((r) => r.said.startsWith(`died at ${r.point} `))).toEqual(results.map(() => true));

  const wrong = results.filter((r) => {
    if (!r.chain || r.written > 1 || r.openCards > 0) return true;
    if (!r.changed && !r.untouched) return true;
    // The plant moved: the record must at least know that it may have.
    if (r.changed && r.state !== 'unknown' && r.state !== 'done') return true;
    // "Not sent" is a promise about the plant.
    if ((r.state === 'not-sent' || r.state === 'no intent') && (r.changed || r.written > 0)) return true;
    if (r.verdict === 'confirmed' && !r.changed) return true;
    // A write in flight is offered to be read back; one that is known is not.
    return (r.state === 'unknown') !== r.unknown.includes('W1');
  });
  expect(wrong).toEqual([]);
  const states = new Set(results.map((r) => r.state));
  expect([...states].sort()).toEqual(['done', 'no intent', 'not-sent', 'unknown']);
  expect(results.some((r) => r.state === 'unknown' && r.changed) && results.some((r) => r.state === 'unknown' && r.untouched)).toBe(true);
  await Promise.all(benches.map((b) => b.close()));
  rmSync(cache, { recursive: true, force: true });
});
