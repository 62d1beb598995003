import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createAgent } from '../../src/main/agent/index.ts';
import { emptyWorld, okResult, scriptedGateway, scriptedPlanner, type Answer } from '../../src/main/agent/testDoubles.ts';
import { systemClock } from '../../src/main/gateway/index.ts';
import { openStore } from '../../src/main/store/index.ts';
import type { CallEnvelope } from '../../src/shared/contracts/calls.ts';
import type { Planner } from '../../src/shared/contracts/agent.ts';
import { createUlids } from '../../src/shared/ulid.ts';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((f) => rmSync(f, { recursive: true, force: true })));

/** An agent over a real record in a folder; its gateway records calls and results as the real one does. */
function agentOn(folder: string, planner: Planner, answer: Answer) {
  const ids = createUlids({ now: () => Date.now(), random: () => randomBytes(16) });
  const store = openStore({ folder, clock: systemClock, ids, lang: 'en', readOnly: false, version: 'test' });
  const gateway = scriptedGateway(async (request, news) => {
    const call: CallEnvelope = {
      call_id: request.callId!,
      parent_call_id: null,
      session_id: request.sessionId,
      turn_id: request.turnId ?? null,
      tool: request.tool,
      args: request.args as Record<string, unknown>,
      depends_on: [],
      expected_output_schema: null,
      timeout_ms: 3000,
      meta: { timestamp: new Date().toISOString(), caller: request.caller },
    };
    const about = { session: request.sessionId, turn: request.turnId ?? null, call: call.call_id };
    store.record.append({ ...about, kind: 'call', payload: call });
    const result = await answer(request, news);
    store.record.append({ ...about, kind: 'result', payload: result });
    return result;
  });
  const agent = createAgent({
    gateway: gateway.gateway,
    plannerFor: () => planner,
    record: store.record,
    snapshots: store.snapshots,
    clock: systemClock,
    ids,
    world: () => emptyWorld,
    armedDevices: () => [],
  });
  return { agent, store, calls: gateway.calls };
}

const never = new Promise<never>(() => undefined);
const read = (tag: string) => ({ type: 'calls' as const, calls: [{ callId: 'x', tool: 'tag_read', args: { tags: [tag] } }], last: false });

test('after a crash a turn goes on with the calls that were finished, and runs none of them again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-resume-'));
  folders.push(folder);
  const first = scriptedPlanner([() => [read('a')], () => [read('b')]]);
  const before = agentOn(folder, first.planner, (r) =>
    (r.args as { tags: string[] }).tags[0] === 'a' ? okResult(r.callId!, { values: [41] }) : never,
  );
  const session = before.agent.startSession({ door: 'test', operator: 'me' });
  void before.agent.ask({ sessionId: session, text: 'compare a and b' });
  await expect.poll(() => before.calls.length, { timeout: 5_000 }).toBe(2);
  before.store.record.flush();
  before.store.close(); // the process is gone: nothing of the turn was closed

  const second = scriptedPlanner([() => [{ type: 'answer', text: 'a is 41, b is not known.' }]]);
  const after = agentOn(folder, second.planner, (r) => okResult(r.callId!, { values: [0] }));
  const report = await after.agent.resume(session);
  expect(report?.answer).toBe('a is 41, b is not known.');
  expect(after.calls).toEqual([]);
  expect(second.inputs[0]!.results.map((r) => [r.call.args, r.result.ok])).toEqual([
    [{ tags: ['a'] }, true],
    [{ tags: ['b'] }, false],
  ]);
  expect(second.inputs[0]!.transcript.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
  expect(await after.agent.resume(session)).toBeNull();
  await after.agent.close();
  after.store.close();
});

test('a session of an earlier run is known again by what was said in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-resume-'));
  folders.push(folder);
  const first = scriptedPlanner([() => [{ type: 'answer', text: 'Hello.' }]]);
  const before = agentOn(folder, first.planner, (r) => okResult(r.callId!, {}));
  const session = before.agent.startSession({ door: 'test', operator: 'me' });
  await before.agent.ask({ sessionId: session, text: 'hi' });
  await before.agent.close();
  before.store.close();
  const second = scriptedPlanner([() => [{ type: 'answer', text: 'Again.' }]]);
  const after = agentOn(folder, second.planner, (r) => okResult(r.callId!, {}));
  await after.agent.ask({ sessionId: session, text: 'and now?' });
  expect(second.inputs[0]!.transcript.map((m) => m.content)).toEqual(['hi', 'Hello.', 'and now?']);
  await after.agent.close();
  after.store.close();
});
