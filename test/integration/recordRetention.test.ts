import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createCore, type Core } from '../../src/main/core.ts';
import { systemClock } from '../../src/main/gateway/index.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const person = { signal: new AbortController().signal, door: 'web', client: 'test' } as const;
const dayMs = 86_400_000;

async function start(dataFolder: string, agoDays: number): Promise<Core> {
  const clock = { ...systemClock, now: () => systemClock.now() - agoDays * dayMs };
  const core = await createCore({ door: 'web', dataFolder, lang: 'en', clock });
  ends.push(() => core.close());
  return core;
}
async function askOnce(core: Core): Promise<string> {
  const sessionId = core.agent.startSession({ door: 'web', operator: 'test' });
  await core.agent.ask({ sessionId, text: 'what is the boiler temperature?' });
  return sessionId;
}

test('what is older than a person wants to keep goes, and the record still proves itself', { timeout: 120_000 }, async () => {
  const data = mkdtempSync(join(tmpdir(), 'handrail-retention-'));
  ends.push(() => rmSync(data, { recursive: true, force: true }));
  const past = await start(data, 40);
  const old = await askOnce(past);
  await past.close();

  const now = await start(data, 0);
  const young = await askOnce(now);
  const sessions = async (): Promise<string[]> => (await now.api.calls['session.list']({}, person)).map((row) => row.id);
  expect((await sessions()).sort()).toEqual([old, young].sort()); // for ever, unless somebody wishes otherwise
  await expect(now.api.calls['settings.set']({ recordDays: 7 }, person)).rejects.toMatchObject({ code: 'ARGS_SETTINGS' });
  await now.api.calls['settings.set']({ recordDays: 30 }, person);
  await expect.poll(sessions, { timeout: 60_000 }).toEqual([young]);
  const verdict = await now.api.calls['record.verify']({}, person);
  expect(verdict).toMatchObject({ ok: true, firstBroken: null });
  expect(verdict.cut).toBeGreaterThan(0);
  await now.close();

  const again = await start(data, 0);
  expect(await again.record.verify()).toMatchObject({ ok: true, cut: verdict.cut });
  expect(again.record.calls(young)).toHaveLength(1);
});
