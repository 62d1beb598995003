import { describe, expect, test } from 'vitest';
import type { PlannerEvent } from '../../shared/contracts/agent.ts';
import { HandrailError } from '../../shared/errors.ts';
import { failedResult } from './envelopes.ts';
import { contract, okResult, scriptedPlanner, someContracts, testAgent } from './testDoubles.ts';

const call = (tool: string, args: Record<string, unknown> = {}): PlannerEvent => ({
  type: 'calls',
  calls: [{ callId: 'x', tool, args }],
  last: false,
});
const answer = (text: string): PlannerEvent => ({ type: 'answer', text });
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
const start = (t: ReturnType<typeof testAgent>) => t.agent.startSession({ door: 'test', operator: 'me' });

describe('every state has its fuse', () => {
  test('PLANNING: a planner that gives no sign is asked again, and after three replans the turn ends and says so', async () => {
    const { planner, inputs } = scriptedPlanner([
      async function* (_, signal) {
        await untilAborted(signal);
        yield answer('never');
      },
    ]);
    const t = testAgent({ planner });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(7_999);
    expect(inputs).toHaveLength(1);
    await t.time.advance(1);
    expect(inputs).toHaveLength(2);
    expect(inputs[1]!.replanReason).toContain('no progress for 8000 ms');
    await t.time.advance(3 * 8_000);
    expect(await asked).toMatchObject({ error: { code: 'MODEL_TIMEOUT' }, answer: '' });
    expect(inputs).toHaveLength(4);
    expect(t.time.pending()).toBe(0);
  });

  test('PLANNING: half an answer that stalls is kept and marked, not asked again', async () => {
    const { planner, inputs } = scriptedPlanner([
      async function* (_, signal) {
        yield { type: 'text', delta: 'Working' };
        await untilAborted(signal);
      },
    ]);
    const t = testAgent({ planner });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(8_000);
    const report = await asked;
    expect(report).toMatchObject({ error: { code: 'MODEL_TIMEOUT' }, answer: 'Working', grounded: false });
    expect(report.notice).toContain('not a finished answer');
    expect(inputs).toHaveLength(1);
  });

  test('PLANNING: each token is progress, so a slow answer may take as long as it comes', async () => {
    let next: () => void = () => undefined;
    const { planner } = scriptedPlanner([
      async function* () {
        for (let i = 0; i < 5; i++) {
          await new Promise<void>((done) => (next = done));
          yield { type: 'text', delta: `${i}` };
        }
        yield answer('01234');
      },
    ]);
    const t = testAgent({ planner });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    for (let i = 0; i < 5; i++) {
      await t.time.advance(7_000);
      next();
    }
    await t.time.advance(1);
    expect(await asked).toMatchObject({ answer: '01234', error: null });
  });

  test.each([
    ['loading-model', 300_000],
    ['first-token', 120_000],
  ] as const)('PLANNING: %s has its own, longer budget, which news do not stretch', async (phase, budget) => {
    const { planner } = scriptedPlanner([
      async function* (_, signal) {
        for (;;) {
          yield { type: 'progress', phase, seconds: 0, ofSeconds: budget / 1000 };
          await Promise.race([untilAborted(signal), new Promise((done) => t.time.clock.after(1_000, () => done(null)))]);
        }
      },
    ]);
    const t = testAgent({ planner });
    let ended = false;
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' }).finally(() => (ended = true));
    await t.time.advance(budget - 1);
    expect(ended).toBe(false);
    await t.time.advance(2);
    expect(await asked).toMatchObject({ error: { code: 'MODEL_TIMEOUT' } });
  });

  test('TOOL_CALLING: calls that outlive their contract are cancelled, answered as timed out, and planned anew', async () => {
    const { planner, inputs } = scriptedPlanner([() => [call('tag_read')], () => [answer('It did not answer.')]]);
    const t = testAgent({ planner, answer: () => new Promise(() => undefined), fuses: { readRetries: 0 } });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(3_499);
    expect(t.gateway.cancelled).toEqual([]);
    await t.time.advance(1 + 1_800);
    expect(t.gateway.cancelled[0]).toMatch(/^turn: calls took longer/);
    expect(inputs[1]!.transcript.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('TIMEOUT') as string });
    expect(await asked).toMatchObject({ answer: 'It did not answer.', error: null });
  });

  test('TOOL_CALLING: a tool with a longer contract has that long', async () => {
    const { planner } = scriptedPlanner([() => [call('slow')], () => [answer('ok')]]);
    const t = testAgent({ planner, answer: () => new Promise(() => undefined), contracts: [contract('slow', 'read', {}, 20_000)] });
    void t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(20_499);
    expect(t.gateway.cancelled).toEqual([]);
    await t.time.advance(1);
    expect(t.gateway.cancelled).toHaveLength(1);
    await t.time.advance(5_000);
  });

  test('SANDBOX_EXECUTION: a program that outlives its limit is killed and the planner hears why', async () => {
    const { planner, inputs } = scriptedPlanner([
      () => [{ type: 'code', lang: 'javascript', code: 'for(;;);', last: false }],
      () => [answer('too slow')],
    ]);
    const t = testAgent({ planner, answer: () => new Promise(() => undefined), contracts: [contract('execute', 'execute', {}, 1_000)] });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(14_999);
    expect(t.gateway.cancelled).toEqual([]);
    await t.time.advance(1 + 1_800);
    expect(t.gateway.cancelled).toHaveLength(1);
    expect(inputs[1]!.replanReason).toContain('longer than its limit');
    await asked;
  });

  test('VERIFICATION: a check that hangs shows the answer as not verified', async () => {
    const { planner } = scriptedPlanner([() => [answer('It is fine.')]]);
    const t = testAgent({ planner, deps: { verify: () => new Promise(() => undefined) } });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(5_000);
    const report = await asked;
    expect(report).toMatchObject({ answer: 'It is fine.', grounded: false, error: null });
    expect(report.notice).toContain('Not verified');
  });

  test('the whole turn has a budget', async () => {
    const { planner } = scriptedPlanner([() => [call('tag_read', { n: Math.random() })]]);
    const t = testAgent({
      planner,
      answer: (r) => new Promise((done) => t.time.clock.after(2_900, () => done(okResult(r.callId!, Math.random())))),
      fuses: { turnMs: 20_000, maxRounds: 100 },
    });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(21_900);
    const report = await asked;
    expect(report.error).toMatchObject({ code: 'TIMEOUT' });
    expect(report.notice).toContain('Done: tag_read');
    expect(t.time.pending()).toBe(0);
  });

  test('rounds are counted, so that a planner cannot go on for ever within the budget', async () => {
    const { planner, inputs } = scriptedPlanner([() => [call('tag_read', { n: Math.random() })]]);
    const t = testAgent({ planner, fuses: { maxRounds: 5 } });
    expect(await t.agent.ask({ sessionId: start(t), text: 'hi' })).toMatchObject({ error: { code: 'TOOL_LOOP' } });
    expect(inputs).toHaveLength(5);
  });

  test('waiting for a person stops every clock but its own, and after that the call is refused', async () => {
    const { planner, inputs } = scriptedPlanner([() => [call('tag_write')], () => [answer('Nobody approved.')]]);
    const t = testAgent({
      planner,
      answer: (_, news) => (news('waiting-approval'), new Promise(() => undefined)),
      fuses: { turnMs: 10_000 },
    });
    const asked = t.agent.ask({ sessionId: start(t), text: 'set it' });
    await t.time.advance(59_999);
    expect(t.gateway.cancelled).toEqual([]);
    await t.time.advance(1 + 1_800);
    expect(inputs[1]!.results[0]!.result.error).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    expect(await asked).toMatchObject({ answer: 'Nobody approved.' });
  });
});

describe('retries depend on what failed', () => {
  const failing = (code: 'DEVICE_NO_ANSWER' | 'ARGS_INVALID' | 'POLICY_REFUSED') => (r: { callId?: string }) =>
    failedResult(r.callId ?? '', new HandrailError(code), 'en', '');
  test('a read that timed out on the wire is tried once more after a pause', async () => {
    const { planner, inputs } = scriptedPlanner([() => [call('tag_read')], () => [answer('no answer')]]);
    const t = testAgent({ planner, answer: failing('DEVICE_NO_ANSWER') });
    const asked = t.agent.ask({ sessionId: start(t), text: 'hi' });
    await t.time.advance(249);
    expect(t.gateway.calls).toHaveLength(1);
    await t.time.advance(1);
    expect(t.gateway.calls).toHaveLength(2);
    expect(t.gateway.calls[0]!.callId).not.toBe(t.gateway.calls[1]!.callId);
    await asked;
    expect(inputs[1]!.results).toHaveLength(1);
    expect(inputs[1]!.transcript.filter((m) => m.role === 'tool')).toHaveLength(1);
  });
  test.each(['ARGS_INVALID', 'POLICY_REFUSED'] as const)('%s is never repeated blindly', async (code) => {
    const { planner } = scriptedPlanner([() => [call('tag_read')], () => [answer('no')]]);
    const t = testAgent({ planner, answer: failing(code) });
    await t.agent.ask({ sessionId: start(t), text: 'hi' });
    expect(t.gateway.calls).toHaveLength(1);
  });
  test('a write is never tried again by itself, whatever happened to it', async () => {
    const { planner } = scriptedPlanner([() => [call('tag_write')], () => [answer('unknown')]]);
    const t = testAgent({ planner, answer: failing('DEVICE_NO_ANSWER') });
    await t.agent.ask({ sessionId: start(t), text: 'hi' });
    expect(t.gateway.calls).toHaveLength(1);
  });
});

describe('the loop guard', () => {
  test('the same call with the same result a third time ends the turn', async () => {
    const { planner } = scriptedPlanner([() => [call('tag_read', { tags: ['a'] })]]);
    const t = testAgent({ planner, answer: (r) => okResult(r.callId!, { values: [7], readAt: `${Math.random()}` }) });
    const report = await t.agent.ask({ sessionId: start(t), text: 'hi' });
    expect(report).toMatchObject({ error: { code: 'TOOL_LOOP' }, diagnosis: 'loop' });
    expect(t.gateway.calls).toHaveLength(3);
  });
  test('polling that sees new values is fine', async () => {
    let n = 0;
    const { planner } = scriptedPlanner([
      ...Array.from({ length: 8 }, () => () => [call('tag_read', { tags: ['a'] })]),
      () => [answer('done')],
    ]);
    const t = testAgent({ planner, answer: (r) => okResult(r.callId!, { values: [n++] }) });
    expect(await t.agent.ask({ sessionId: start(t), text: 'hi' })).toMatchObject({ answer: 'done', error: null });
  });
});

describe('Stop', () => {
  test('ends planning at once, closes the planner and says cancelled', async () => {
    let aborted = false;
    const { planner } = scriptedPlanner([
      async function* (_, signal) {
        yield { type: 'text', delta: 'Half' };
        await untilAborted(signal).finally(() => (aborted = true));
      },
    ]);
    const t = testAgent({ planner });
    const session = start(t);
    const asked = t.agent.ask({ sessionId: session, text: 'hi' });
    await t.time.advance(10);
    await t.agent.stop(session);
    expect(aborted).toBe(true);
    expect(await asked).toMatchObject({ error: { code: 'CANCELLED' }, answer: 'Half' });
    expect(t.time.pending()).toBe(0);
  });

  test('waits up to its limit for the true state of open calls, and answers the rest as cancelled', async () => {
    const { planner } = scriptedPlanner([
      () => [
        {
          type: 'calls',
          last: false,
          calls: [
            { callId: 'a', tool: 'tag_write', args: { n: 1 } },
            { callId: 'b', tool: 'tag_read', args: { n: 2 } },
          ],
        },
      ],
    ]);
    const unknown = new HandrailError('WRITE_UNCONFIRMED', { detail: { target: 'pump' } });
    const t = testAgent({
      planner,
      answer: (r) =>
        r.tool === 'tag_write'
          ? new Promise((done) => t.time.clock.after(500, () => done(failedResult(r.callId!, unknown, 'en', ''))))
          : new Promise(() => undefined),
    });
    const session = start(t);
    const asked = t.agent.ask({ sessionId: session, text: 'hi' });
    await t.time.advance(10);
    const stopped = t.agent.stop(session);
    await t.time.advance(1_900);
    await stopped;
    expect(t.gateway.cancelled[0]).toMatch(/^session/);
    const report = await asked;
    expect(report.error).toMatchObject({ code: 'CANCELLED' });
    expect(report.calls.map((c) => c.result.error?.code).sort()).toEqual(['CANCELLED', 'WRITE_UNCONFIRMED']);
  });

  test('a turn can be asked again right after, on a whole transcript', async () => {
    const { planner, inputs } = scriptedPlanner([() => [call('tag_read')], () => [answer('second')]]);
    const t = testAgent({ planner, answer: () => new Promise(() => undefined) });
    const session = start(t);
    const first = t.agent.ask({ sessionId: session, text: 'one' });
    await t.time.advance(10);
    const stopping = t.agent.stop(session);
    await t.time.advance(1_900);
    await stopping;
    await first;
    expect(await t.agent.ask({ sessionId: session, text: 'two' })).toMatchObject({ answer: 'second', error: null });
    expect(inputs[1]!.transcript.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  test('a second question while one runs is refused by name, and the first goes on', async () => {
    const { planner } = scriptedPlanner([
      async function* () {
        await new Promise((done) => t.time.clock.after(100, () => done(null)));
        yield answer('first');
      },
    ]);
    const t = testAgent({ planner, contracts: someContracts });
    const session = start(t);
    const first = t.agent.ask({ sessionId: session, text: 'one' });
    expect(await t.agent.ask({ sessionId: session, text: 'two' })).toMatchObject({ error: { code: 'TOOL_BUSY' } });
    await t.time.advance(200);
    expect(await first).toMatchObject({ answer: 'first' });
  });
});
