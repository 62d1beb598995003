import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createCore, type Core } from '../../src/main/core.ts';
import type { Health } from '../../src/shared/contracts/api.ts';
import { handrail } from '../harness/cli.ts';
import { startFakeOllama } from '../harness/fakeOllama.mjs';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'handrail-health-'));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function start(dataFolder: string, model: { model?: string; baseUrl?: string } = {}): Promise<Core> {
  const core = await createCore({ door: 'web', dataFolder, lang: 'en', polling: false, ...model });
  ends.push(() => core.close());
  return core;
}

async function shown(core: Core, until: (health: Health) => boolean): Promise<Health> {
  const stop = new AbortController();
  try {
    for await (const health of core.api.streams.health({}, { signal: stop.signal, door: 'web', client: 'test' }))
      if (until(health)) return health;
  } finally {
    stop.abort();
  }
  throw new Error('the stream of health ended');
}

const block = (code: string): string => `<execute lang="javascript">\n${code}\n</execute>`;

test('a turn that ran programs is on the ledger live, on the record and on the command line alike', { timeout: 120_000 }, async () => {
  const server = await startFakeOllama({
    scenario: {
      models: [{ name: 'm:4b', capabilities: ['completion', 'tools'] }],
      turns: [
        { chunks: [block('result = plant.raed(["boiler_temp"])')], promptEvalCount: 900, evalCount: 40 },
        { chunks: [block('result = plant.tags().length + plant.tags().length')], promptEvalCount: 1000, evalCount: 30 },
        { chunks: ['Done.'], promptEvalCount: 1100, evalCount: 5 },
      ],
    },
  });
  ends.push(() => server.close());
  const data = folder();
  const core = await start(data, { model: 'ollama:m:4b', baseUrl: server.url });
  const sessionId = core.agent.startSession({ door: 'web', operator: 'test' });
  const turn = await core.agent.ask({ sessionId, text: 'compare the tags by a program' });
  expect(turn.answer).toBe('Done.');
  await core.agent.ask({ sessionId: core.agent.startSession({ door: 'web', operator: 'test' }), text: 'hi' });

  const live = await shown(core, ({ sandbox, pools }) => sandbox.length > 0 && pools.length > 0);
  const mine = live.ledger.sessions.find((entry) => entry.session === sessionId);
  expect(mine).toMatchObject({
    turns: 1,
    sent: turn.tokens.sent,
    received: turn.tokens.received,
    classic: turn.tokens.classic,
    programCalls: 2,
    runs: { ok: 1, failed: 1, byStatus: { ok: 1, rejected: 1 } },
    successRate: 0.5,
  });
  expect(live.ledger.overall.turns).toBe(2);
  // What is enforced stands beside the level it is enforced on.
  const javascript = live.sandbox.find((entry) => entry.lang === 'javascript');
  expect(javascript?.by?.network.en).toBe('none exist');
  expect(live.pools.some((pool) => pool.key.startsWith('javascript') && pool.started > 0)).toBe(true);

  const report = await core.api.calls['health.report'](
    { sessionId },
    { signal: new AbortController().signal, door: 'web', client: 'test' },
  );
  expect(report.ledger.sessions).toEqual([expect.objectContaining({ ...mine })]);
  expect(report.ledger.turns).toEqual([
    expect.objectContaining({ turn: turn.turn_id, sent: turn.tokens.sent, runs: { ok: 1, rejected: 1 } }),
  ]);
  await core.close();

  const printed = await handrail(['health', sessionId, '--json', '--data', data]);
  const { ledger, health } = printed.json as typeof report;
  expect({ ...ledger, overall: null }).toEqual({ ...report.ledger, overall: null });
  expect(ledger.overall).toMatchObject({ turns: 2, programCalls: 2 });
  expect(health.record.blocked).toBeNull();
});

test('a model that does not answer is not shown as ready, with the words of why', { timeout: 60_000 }, async () => {
  const core = await start(folder(), { model: 'ollama:none:1b', baseUrl: 'http://127.0.0.1:9' });
  const sessionId = core.agent.startSession({ door: 'web', operator: 'test' });
  await core.agent.ask({ sessionId, text: 'hello' });
  const { model } = await shown(core, () => true);
  expect(model).toMatchObject({ state: 'offline', error: { code: 'MODEL_OFFLINE' } });
  expect(model.error!.advice.en).not.toBe('');
});

test('a verified record is shown as verified', { timeout: 60_000 }, async () => {
  const core = await start(folder());
  expect((await shown(core, () => true)).record.lastVerify).toBeNull();
  await core.api.calls['record.verify']({}, { signal: new AbortController().signal, door: 'web', client: 'test' });
  expect((await shown(core, () => true)).record.lastVerify).toMatchObject({ ok: true });
});
