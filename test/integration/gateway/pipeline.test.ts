import { afterEach, describe, expect, test } from 'vitest';
import type { CallRequest, ResultEnvelope, ToolContract } from '../../../src/shared/contracts/calls.ts';
import type { ToolContext, ToolDefinition } from '../../../src/shared/contracts/tools.ts';
import { HandrailError } from '../../../src/shared/errors.ts';
import { createRig, type Rig, type RigOptions } from '../../harness/gatewayRig.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});
const codeOf = (envelope: ResultEnvelope): string | null => envelope.error?.code ?? null;
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

const contract = (parts: Partial<ToolContract>): ToolContract => ({
  name: 'probe',
  title: { en: 'Probe', zh: '探针' },
  description: { en: 'A tool of the test.', zh: '测试工具。' },
  parameters: {
    type: 'object',
    properties: { n: { type: 'integer', minimum: 0, maximum: 9 }, note: { type: 'string' } },
    required: ['n'],
    additionalProperties: false,
  },
  returnSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  executionTimeoutMs: 3000,
  isDeterministic: false,
  effect: 'read',
  fallback: 'none',
  undo: 'none',
  ...parts,
});
type Run = (args: Record<string, unknown>, context: ToolContext) => Promise<unknown>;
const tool = (run: Run, parts: Partial<ToolContract> = {}, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  contract: contract(parts),
  run,
  ...more,
});
const echo: Run = async (args) => ({ n: args.n });
const open = async (tools: ToolDefinition[], options: RigOptions = {}): Promise<Rig> =>
  (rig = await createRig({ ...options, tools: () => tools }));
const never = (context: ToolContext): Promise<never> =>
  new Promise((_, failed) => context.signal.addEventListener('abort', () => failed(context.signal.reason as Error)));

describe('contracts are checked when registered', () => {
  test.each<[string, ToolDefinition]>([
    ['a name that is not snake_case', tool(echo, { name: 'Probe-It' })],
    ['an empty Chinese description', tool(echo, { description: { en: 'x', zh: ' ' } })],
    ['a timeout under 1000 ms', tool(echo, { executionTimeoutMs: 999 })],
    ['a timeout over 30000 ms', tool(echo, { executionTimeoutMs: 30_001 })],
    [
      'a schema with an unknown keyword',
      tool(echo, { parameters: { type: 'object', properties: { n: { type: 'integer', minimun: 0 } }, additionalProperties: false } }),
    ],
    ['a schema that lets unknown keys pass', tool(echo, { parameters: { type: 'object', properties: {} } })],
    ['a broken return schema', tool(echo, { returnSchema: { type: 'nothing' } })],
    ['a deterministic write', tool(echo, { effect: 'execute', isDeterministic: true })],
    ['a plant write that runs by itself', tool(echo, { effect: 'write-plant', undo: 'before-value' })],
    ['a plant write without undo', { contract: contract({ effect: 'write-plant' }), plan: async () => [] }],
    ['last-known without a source', tool(echo, { fallback: 'last-known' })],
    ['nothing to run', { contract: contract({}) }],
  ])('%s stops the start', async (_, broken) => {
    await expect(open([broken])).rejects.toMatchObject({ code: 'TOOL_CONTRACT' });
  });
  test('a name twice stops the start', async () => {
    await expect(open([tool(echo), tool(echo)])).rejects.toMatchObject({ code: 'TOOL_CONTRACT' });
  });
});

describe('names', () => {
  test.each([
    'probe',
    'Probe',
    ' probe ',
    'functions.probe',
    'tool:probe',
    'probe_tool',
    'default_api/probe',
    'mcp__probe',
    'probe<|end|>',
    '"probe"',
  ])('%j is the read it means', async (name) => {
    const r = await open([tool(echo)]);
    expect((await r.call(name, { n: 1 })).ok).toBe(true);
  });
  test.each(['prob', 'probes', 'my_probe', '', '__proto__', 'constructor', 'probe probe'])(
    '%j is unknown, and the answer names what there is',
    async (name) => {
      const r = await open([tool(echo)]);
      expect((await r.call(name, { n: 1 })).error).toMatchObject({ code: 'TOOL_UNKNOWN', detail: { known: 'probe' } });
    },
  );
  test.each(['Probe', ' probe', 'functions.probe'])('%j is not exact enough for a write', async (name) => {
    const r = await open([tool(echo, { effect: 'execute' })]);
    expect(codeOf(await r.call(name, { n: 1 }))).toBe('TOOL_UNKNOWN');
  });
});

describe('arguments', () => {
  test('are recorded with every parameter, absent ones null, and the tool sees the key absent', async () => {
    let seen: unknown = null;
    const r = await open([
      tool(async (args) => {
        seen = args;
        return { n: 1 };
      }),
    ]);
    await r.call('probe', { n: 1, note: null });
    expect(seen).toEqual({ n: 1 });
    expect(r.events()[0]!.payload).toMatchObject({ args: { n: 1, note: null } });
  });
  test.each<[string, unknown, string]>([
    ['text', 'n=1', 'they must be an object'],
    ['a list', [1], 'they must be an object'],
    ['nothing', undefined, 'n is missing'],
    ['a number as text', { n: '1' }, 'n must be integer'],
    ['a value too large', { n: 10 }, 'n must be <= 9'],
    ['an unknown key', { n: 1, m: 2 }, 'm is not an argument'],
    ['__proto__ from JSON', JSON.parse('{"n":1,"__proto__":{"x":1}}'), '__proto__ is not an argument'],
    ['two faults, both named', { n: 10, note: 5 }, 'n must be <= 9; note must be string'],
  ])('%s is refused with its reason', async (_, args, reason) => {
    const r = await open([tool(echo)]);
    const answer = await r.call('probe', args);
    expect(answer.error).toMatchObject({ code: 'ARGS_INVALID', detail: { reason } });
    expect(r.events().map((e) => e.kind)).toEqual(['call', 'call-stopped', 'result']);
  });
  test('a call id is used once', async () => {
    let runs = 0;
    const r = await open([tool(async () => ({ n: ++runs }))]);
    await r.call('probe', { n: 1 }, { callId: 'X' });
    expect(codeOf(await r.call('probe', { n: 1 }, { callId: 'X' }))).toBe('ARGS_INVALID');
    expect(runs).toBe(1);
  });
});

describe('chunks', () => {
  const text = JSON.stringify({ n: 3, note: '温度' });
  const piece = (index: number, total: number, from: number, to: number, more: Partial<CallRequest> = {}): Partial<CallRequest> => ({
    callId: 'C',
    turnId: 't',
    chunk: { index, total },
    args: text.slice(from, to),
    ...more,
  });
  const send = (r: Rig, p: ReturnType<typeof piece>) => r.call('probe', p.args ?? '', p);
  test('in any order are one call, run when the last is here', async () => {
    const r = await open([tool(echo)]);
    expect((await send(r, piece(2, 3, 14, 99))).result).toEqual({ received: 1, total: 3 });
    expect((await send(r, piece(0, 3, 0, 7))).result).toEqual({ received: 2, total: 3 });
    expect((await send(r, piece(0, 3, 0, 7))).result).toEqual({ received: 2, total: 3 });
    expect((await send(r, piece(1, 3, 7, 14))).result).toEqual({ n: 3 });
    expect(r.gateway.state().pieces).toBe(0);
  });
  test('expire after 60 s, and the record says so', async () => {
    const r = await open([tool(echo)], { auto: false });
    await send(r, piece(0, 2, 0, 7));
    await r.clock.pass(60_000);
    expect(r.events().find((e) => e.kind === 'call-stopped')?.payload).toMatchObject({
      call_id: 'C',
      step: 'chunks',
      error: { code: 'TOOL_CHUNKS' },
    });
    expect(r.gateway.state().pieces).toBe(0);
    expect(codeOf(await send(r, piece(1, 2, 7, 99)))).toBe('ARGS_INVALID');
  });
  test.each<[string, ReturnType<typeof piece>]>([
    ['an index out of range', piece(2, 2, 7, 99)],
    ['another total', piece(1, 3, 7, 99)],
    ['other content for the same index', piece(0, 2, 1, 8)],
    ['another caller', piece(1, 2, 7, 99, { caller: 'agent:other' })],
    ['another session', piece(1, 2, 7, 99, { sessionId: 'other' })],
    ['a text that is no JSON', piece(1, 2, 8, 99)],
  ])('%s is refused and nothing runs', async (_, second) => {
    let runs = 0;
    const r = await open([tool(async () => ({ n: ++runs }))]);
    await send(r, piece(0, 2, 0, 7));
    expect(codeOf(await send(r, second))).toBe('TOOL_CHUNKS');
    expect(runs).toBe(0);
  });
});

describe('dependencies', () => {
  test('a call waits for what it names, and a failed parent fails its children by name', async () => {
    const order: unknown[] = [];
    const r = await open([
      tool(async (args) => {
        await settle();
        order.push(args.n);
        if (args.n === 2) throw new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: 2, timeout_ms: 1 } });
        return { n: args.n };
      }),
    ]);
    const request = (callId: string, n: number, dependsOn: string[]) => r.request('probe', { n }, { callId, dependsOn });
    const answers = await r.gateway.callAll([request('d', 4, ['b']), request('c', 3, ['a']), request('b', 2, ['a']), request('a', 1, [])]);
    expect(order).toEqual([1, 3, 2]);
    expect(answers.map(codeOf)).toEqual(['TOOL_DEPENDENCY', null, 'DEVICE_NO_ANSWER', null]);
    expect(answers[0]!.error).toMatchObject({ detail: { failed: 'b' } });
  });
  test('a cycle refuses all of them with its path', async () => {
    const r = await open([tool(echo)]);
    const request = (callId: string, dependsOn: string[]) => r.request('probe', { n: 1 }, { callId, dependsOn });
    const answers = await r.gateway.callAll([request('a', ['c']), request('b', ['a']), request('c', ['b']), request('x', [])]);
    expect(answers.map(codeOf)).toEqual(['TOOL_CYCLE', 'TOOL_CYCLE', 'TOOL_CYCLE', 'TOOL_CYCLE']);
    expect(answers[0]!.error!.detail.path).toBe('a → c → b → a');
    expect(codeOf(await r.call('probe', { n: 1 }, { callId: 'self', dependsOn: ['self'] }))).toBe('TOOL_CYCLE');
  });
  test('a child that waits for its own parent is a cycle', async () => {
    let inner: ResultEnvelope | null = null;
    const r: Rig = await open([
      tool(async (args, context) => {
        if (args.n === 1)
          inner = await r.call('probe', { n: 2 }, { parentCallId: context.call.call_id, dependsOn: [context.call.call_id] });
        return { n: 1 };
      }),
    ]);
    await r.call('probe', { n: 1 });
    expect(codeOf(inner!)).toBe('TOOL_CYCLE');
  });
  test('a call that nobody knows is not waited for', async () => {
    const r = await open([tool(echo)]);
    expect((await r.call('probe', { n: 1 }, { dependsOn: ['ghost'] })).error).toMatchObject({
      code: 'TOOL_DEPENDENCY',
      detail: { failed: 'ghost' },
    });
  });
  test('a chain of 3,000 does not overflow anything', async () => {
    const r = await open([tool(echo)], { gateway: { record: { append: () => ({}) as never } } });
    const requests = Array.from({ length: 3000 }, (_, i) =>
      r.request('probe', { n: 1 }, { callId: `c${i}`, dependsOn: i === 0 ? [] : [`c${i - 1}`] }),
    );
    expect((await r.gateway.callAll(requests.reverse())).every((a) => a.ok)).toBe(true);
  });
});

describe('deadlines', () => {
  test.each<[string, Partial<CallRequest>, number]>([
    ["the tool's own", {}, 3000],
    ["the caller's", { timeoutMs: 500 }, 500],
    ["the turn's rest", { turnRestMs: 200 }, 200],
    ['never more than the contract', { timeoutMs: 60_000 }, 3000],
  ])('%s counts when it is the smallest', async (_, more, ms) => {
    const r = await open([tool((_args, context) => never(context))], { auto: false });
    const answer = r.call('probe', { n: 1 }, more);
    await r.clock.pass(ms - 1);
    expect(r.gateway.state().open).toBe(1);
    await r.clock.pass(1);
    expect((await answer).error).toMatchObject({ code: 'TIMEOUT', detail: { timeout_ms: ms } });
  });
  test.each([0, -5, Number.NaN])('a budget of %s runs nothing', async (timeoutMs) => {
    let runs = 0;
    const r = await open([tool(async () => ({ n: ++runs }))]);
    expect((await r.call('probe', { n: 1 }, { timeoutMs })).ok).toBe(false);
    expect(runs).toBe(0);
  });
  test('a child never outlives its parent, and the parent hears of it', async () => {
    let child: ResultEnvelope | null = null;
    const r = await open(
      [
        tool(async (_args, context) => {
          child = await context.child('slow', { n: 1 });
          return { n: 1 };
        }),
        tool((_args, context) => never(context), { name: 'slow', executionTimeoutMs: 30_000 }),
      ],
      { auto: false },
    );
    const answer = r.call('probe', { n: 1 }, { timeoutMs: 1000 });
    await r.clock.pass(1000);
    expect(codeOf(await answer)).toBe('TIMEOUT');
    await settle();
    expect(codeOf(child!)).toBe('TIMEOUT');
    expect(r.events().filter((e) => e.kind === 'call-stopped')).toHaveLength(2);
    expect(r.gateway.state()).toMatchObject({ open: 0, running: 0 });
  });
  test('a tool that ignores its signal is answered in time and gives its place back', async () => {
    const r = await open([tool(() => new Promise(() => undefined))], {
      auto: false,
      gateway: { limits: { scheduler: { running: 1, perWire: 1, waiting: 10 } } },
    });
    const first = r.call('probe', { n: 1 });
    await r.clock.pass(3000);
    expect(codeOf(await first)).toBe('TIMEOUT');
    const second = r.call('probe', { n: 1 });
    await r.clock.pass(2000);
    expect(r.gateway.state()).toMatchObject({ running: 1, waiting: 0 });
    await r.clock.pass(3000);
    expect(codeOf(await second)).toBe('TIMEOUT');
  });
  test('the clock stands while a person reads', async () => {
    const r = await open(
      [
        {
          contract: contract({ effect: 'write-file', undo: 'file-content', executionTimeoutMs: 1000 }),
          run: echo,
          files: async () => [{ path: 'x', bytes: 1, sha256: 'a'.repeat(64), replaces: null }],
        },
      ],
      {
        auto: false,
        approver: {
          ask: (card) =>
            new Promise(
              (done) => void rig!.clock.after(30_000, () => done({ approved: true, by: 'person:li', digest: card.digest, how: 'hold' })),
            ),
        },
      },
    );
    const answer = r.call('probe', { n: 1 });
    await r.clock.pass(30_000);
    expect((await answer).ok).toBe(true);
  });
  test('calls inside calls end at a depth', async () => {
    const r = await open([
      tool(async (_args, context) => {
        const inner = await context.child('probe', { n: 1 });
        if (!inner.ok) throw new HandrailError(inner.error!.code);
        return { n: 1 };
      }),
    ]);
    expect(codeOf(await r.call('probe', { n: 1 }))).toBe('POLICY_REFUSED');
    expect(r.gateway.state().open).toBe(0);
  });
});

describe('results', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a wrong type', { n: 'x' }],
    ['NaN', { n: Number.NaN }],
  ])('%s does not pass the return schema', async (_, result) => {
    const r = await open([tool(async () => result)]);
    expect(codeOf(await r.call('probe', { n: 1 }))).toBe('TOOL_RESULT_INVALID');
  });
  test("the caller's expected schema is held as well", async () => {
    const r = await open([tool(echo)]);
    const expected = { type: 'object', properties: { n: { type: 'number', minimum: 5 } } };
    expect((await r.call('probe', { n: 6 }, { expectedOutputSchema: expected })).ok).toBe(true);
    expect(codeOf(await r.call('probe', { n: 4 }, { expectedOutputSchema: expected }))).toBe('TOOL_RESULT_INVALID');
  });
  test.each<[string, Record<string, unknown>]>([
    ['that is none', { type: 'nothing' }],
    ['with a pattern nobody bounds', { type: 'string', pattern: '(a+)+$' }],
    ['that points elsewhere', { $ref: 'http://x/y' }],
    ['of 20 KB', { enum: ['x'.repeat(20_000)] }],
  ])('an expected schema %s is refused before anything runs', async (_, schema) => {
    let runs = 0;
    const r = await open([tool(async () => ({ n: ++runs }))]);
    expect(codeOf(await r.call('probe', { n: 1 }, { expectedOutputSchema: schema }))).toBe('ARGS_INVALID');
    expect(runs).toBe(0);
  });
});

describe('cache and degradation', () => {
  test('only what is deterministic is cached, and it says so', async () => {
    let runs = 0;
    const r = await open([
      tool(async () => ({ n: ++runs }), { isDeterministic: true }),
      tool(async () => ({ n: ++runs }), { name: 'live' }),
    ]);
    expect([
      (await r.call('probe', { n: 1 })).meta.cached,
      (await r.call('probe', { n: 1 })).meta.cached,
      (await r.call('probe', { n: 2 })).meta.cached,
    ]).toEqual([false, true, false]);
    expect((await r.call('probe', { n: 1 })).result).toEqual({ n: 1 });
    expect([(await r.call('live', { n: 1 })).result, (await r.call('live', { n: 1 })).result]).toEqual([{ n: 3 }, { n: 4 }]);
  });
  test('a failed read gives the last known values as stale with their age, and says why', async () => {
    rig = await createRig({});
    await rig.call('tag_read', { tags: ['boiler_temp', 'pump1_freq'] });
    rig.wires.dead.add(1);
    const answer = await rig.call('tag_read', { tags: ['boiler_temp', 'pump1_freq'] });
    expect(answer).toMatchObject({
      ok: true,
      result: {
        readings: [
          { tag: 'boiler_temp', value: 85.3, quality: 'stale' },
          { tag: 'pump1_freq', value: 30, quality: 'stale' },
        ],
      },
      meta: { fallback: { kind: 'last-known' } },
    });
    expect(answer.meta.fallback!.reason).toContain('did not answer');
    expect(answer.meta.fallback!.age_ms).not.toBeNull();
  });
  test('with nothing known the error stands', async () => {
    rig = await createRig({});
    rig.wires.dead.add(1);
    expect(codeOf(await rig.call('tag_read', { tags: ['boiler_temp'] }))).toBe('DEVICE_NO_ANSWER');
  });
  test('one dead device does not blank the other, and its last value is shown as such', async () => {
    rig = await createRig({});
    await rig.call('tag_read', { tags: ['pump1_freq', 'pump2_freq'] });
    rig.wires.dead.add(2);
    const answer = await rig.call('tag_read', { tags: ['pump1_freq', 'pump2_freq'] });
    expect(answer.result).toMatchObject({
      readings: [
        { value: 30, quality: 'good' },
        { value: null, quality: 'bad', error: { code: 'DEVICE_NO_ANSWER' }, last_known: { value: 40 } },
      ],
    });
  });
  test('a cached stand-in shows its age; a refusal is never softened', async () => {
    let mode = 'ok';
    const r = await open(
      [
        tool(
          async () => {
            if (mode === 'ok') return { n: 1 };
            throw new HandrailError(mode === 'dead' ? 'DEVICE_NO_ANSWER' : 'POLICY_REFUSED', {
              detail: { unit: 1, timeout_ms: 1, reason: 'x' },
            });
          },
          { fallback: 'cached' },
        ),
      ],
      { auto: false },
    );
    await r.call('probe', { n: 1 });
    await r.clock.pass(5000);
    mode = 'dead';
    expect(await r.call('probe', { n: 1 })).toMatchObject({
      ok: true,
      result: { n: 1 },
      meta: { cached: false, fallback: { kind: 'cached', age_ms: 5000 } },
    });
    expect((await r.call('probe', { n: 2 })).ok).toBe(false);
    mode = 'refused';
    expect(codeOf(await r.call('probe', { n: 1 }))).toBe('POLICY_REFUSED');
  });
  test('ask-person keeps the error and says who is asked', async () => {
    const r = await open([
      tool(
        async () => {
          throw new HandrailError('PORT_BUSY', { detail: { port: 'COM3' } });
        },
        { fallback: 'ask-person' },
      ),
    ]);
    expect(await r.call('probe', { n: 1 })).toMatchObject({
      ok: false,
      error: { code: 'PORT_BUSY' },
      meta: { fallback: { kind: 'ask-person' } },
    });
  });
});

describe('many calls', () => {
  test('10,000 queued calls all end, within bounds, and leave nothing behind', async () => {
    let now = 0;
    let most = 0;
    const r = await open(
      [
        tool(
          async (args) => {
            most = Math.max(most, ++now);
            await settle();
            now--;
            return { n: args.n };
          },
          {},
          { wires: (args) => [`w${String(args.n)}`] },
        ),
      ],
      { auto: false, gateway: { record: { append: () => ({}) as never } } },
    );
    const answers = await Promise.all(Array.from({ length: 10_000 }, (_, i) => r.call('probe', { n: i % 10 })));
    expect(answers.every((a) => a.ok)).toBe(true);
    expect(most).toBeLessThanOrEqual(32);
    expect(r.gateway.state()).toMatchObject({ open: 0, running: 0, waiting: 0, wires: 0, queues: 0 });
    expect(r.clock.timers()).toBe(0);
  });
  test('5,000 calls for a dead wire do not starve another wire, and cancel ends them all', async () => {
    const r = await open(
      [tool((args, context) => (args.n === 0 ? never(context) : echo(args, context)), {}, { wires: (args) => [`w${String(args.n)}`] })],
      { auto: false, gateway: { record: { append: () => ({}) as never } } },
    );
    const dead = Array.from({ length: 5000 }, () => r.call('probe', { n: 0 }, { turnId: 'dead' }));
    await settle();
    expect((await r.call('probe', { n: 1 })).ok).toBe(true);
    await r.gateway.cancel({ turnId: 'dead' }, 'enough');
    expect((await Promise.all(dead)).every((a) => a.error?.code === 'CANCELLED')).toBe(true);
    expect(r.gateway.state()).toMatchObject({ open: 0, running: 0, waiting: 0, queues: 0 });
    expect(r.clock.timers()).toBe(0);
  });
  test('a full queue says so', async () => {
    const r = await open([tool((_args, context) => never(context))], {
      auto: false,
      gateway: { limits: { scheduler: { running: 1, perWire: 1, waiting: 2 } } },
    });
    const calls = [1, 2, 3, 4].map(() => r.call('probe', { n: 1 }, { turnId: 't' }));
    await r.clock.pass(0);
    await r.gateway.cancel({ turnId: 't' }, 'end');
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'TOOL_BUSY']);
  });
});

test('what a call is doing is told, step by step', async () => {
  const r = await open([tool(echo)]);
  const phases: string[] = [];
  const forget = r.gateway.onNews((news) => phases.push(news.phase));
  await r.call('probe', { n: 1 });
  forget();
  await r.call('probe', { n: 1 });
  expect(phases).toEqual(['ready', 'running', 'ended']);
});

test('capabilities name the protocols that are spoken and those that are not', async () => {
  const r = await open([tool(echo)]);
  expect(r.gateway.capabilities()).toMatchObject({
    tools: ['probe'],
    protocols: expect.arrayContaining(['Modbus RTU', 'Modbus TCP']) as string[],
    unsupported: expect.arrayContaining(['OPC UA', 'Siemens S7']) as string[],
  });
});
