import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuseBounds, seedFuses, settleFuses } from './fuses.ts';
import type { Effect, Event, State } from './states.ts';
import { shortReason, toolFuse, transition } from './transition.ts';

const fuses = seedFuses;
const idle: State = { at: 'IDLE' };
const step = (state: State, event: Event) => transition(state, event, fuses);
const planned = () => step(idle, { type: 'user-message', turnId: 't1', at: 0 }).state as Extract<State, { at: 'PLANNING' }>;
const calling = (timeoutMs = 3_000) => {
  const state = planned();
  return step(state, {
    type: 'plan-calls',
    planId: state.planId,
    calls: [{ callId: 'c1', tool: 'tag_read', args: {} }],
    timeouts: [{ callId: 'c1', timeoutMs }],
    last: false,
    at: 1,
  }).state as Extract<State, { at: 'TOOL_CALLING' }>;
};
const kinds = (effects: Effect[]) => effects.map((e) => e.do);
const done = { failures: [], wrote: false, loop: null };
const failed = (mayRetry: boolean) => ({
  ...done,
  failures: [{ callId: 'c1', tool: 'tag_read', code: 'DEVICE_NO_ANSWER' as const, message: 'no answer', mayRetry }],
});

describe('the table of states', () => {
  test('every state refuses what it does not expect, by name, and stays as it is', () => {
    const state = planned();
    for (const event of [
      { type: 'calls-settled', batchId: 'x', outcome: done, at: 1 },
      { type: 'verified', checkId: 'x', at: 1 },
      { type: 'user-message', turnId: 't2', at: 1 },
    ] as Event[]) {
      const next = step(state, event);
      expect(next).toMatchObject({ state, effects: [] });
      expect(next.ignored).toContain(event.type);
    }
    expect(step(idle, { type: 'stop', at: 0 }).ignored).toContain('stop');
  });

  test('an answer to an older question never acts on a newer one', () => {
    const state = calling();
    expect(step(state, { type: 'calls-settled', batchId: 't1/calls-1', outcome: done, at: 2 }).ignored).toContain('older batch');
    const planning = planned();
    expect(step(planning, { type: 'plan-answer', planId: 't0/plan-1', at: 2 }).ignored).toContain('older plan');
  });

  test('a write that is done is verified by its read-back before anything else', () => {
    const state = calling();
    const next = step(state, { type: 'calls-settled', batchId: state.batchId, outcome: { ...done, wrote: true }, at: 2 });
    expect(next.state).toMatchObject({ at: 'VERIFICATION', subject: 'write' });
    expect(next.effects).toContainEqual({ do: 'set-timer', timer: 'fuse', id: expect.any(String) as string, ms: fuses.readBackMs });
  });

  test('a read that failed on the wire is tried again after a pause, anything else goes back to planning at once', () => {
    const state = calling();
    const again = step(state, { type: 'calls-settled', batchId: state.batchId, outcome: failed(true), at: 2 });
    expect(again.state).toMatchObject({ at: 'TOOL_CALLING', attempt: 1, backingOff: true });
    const rerun = step(again.state, { type: 'timer', timer: 'backoff', id: state.batchId, at: 300 });
    expect(kinds(rerun.effects)).toEqual(['set-timer', 'rerun-calls']);
    const second = step(rerun.state, { type: 'calls-settled', batchId: state.batchId, outcome: failed(true), at: 400 });
    expect(second.state).toMatchObject({ at: 'PLANNING', work: { replans: 1 } });
    expect(step(state, { type: 'calls-settled', batchId: state.batchId, outcome: failed(false), at: 2 }).state).toMatchObject({
      at: 'PLANNING',
      work: { replans: 1 },
    });
  });

  test('the fourth replan ends the turn with an honest report', () => {
    let state: State = calling();
    for (let n = 1; n <= 3; n++) {
      const batchId = (state as Extract<State, { at: 'TOOL_CALLING' }>).batchId;
      const next = step(state, { type: 'calls-settled', batchId, outcome: failed(false), at: n });
      expect(next.effects).toContainEqual({ do: 'note-replan', attempt: n, reason: 'tag_read: no answer' });
      const { planId } = next.state as Extract<State, { at: 'PLANNING' }>;
      state = step(next.state, {
        type: 'plan-calls',
        planId,
        calls: [{ callId: 'c1', tool: 'tag_read', args: {} }],
        timeouts: [{ callId: 'c1', timeoutMs: 1 }],
        last: false,
        at: n,
      }).state;
    }
    const last = step(state, {
      type: 'calls-settled',
      batchId: (state as Extract<State, { at: 'TOOL_CALLING' }>).batchId,
      outcome: failed(false),
      at: 9,
    });
    expect(last.state).toEqual(idle);
    expect(last.effects.at(-1)).toMatchObject({ do: 'end-turn', ending: { kind: 'exhausted', code: 'DEVICE_NO_ANSWER' } });
  });

  test('a refuted answer is asked for once more from the last good snapshot, then shown with its marks', () => {
    const state = planned();
    const check = step(state, { type: 'plan-answer', planId: state.planId, at: 1 }).state as Extract<State, { at: 'VERIFICATION' }>;
    const first = step(check, { type: 'refuted', checkId: check.checkId, reason: 'no result says 42', at: 2 });
    expect(first.effects).toContainEqual({ do: 'rollback', to: 1 });
    const again = first.state as Extract<State, { at: 'PLANNING' }>;
    const recheck = step(again, { type: 'plan-answer', planId: again.planId, at: 3 }).state as Extract<State, { at: 'VERIFICATION' }>;
    expect(step(recheck, { type: 'refuted', checkId: recheck.checkId, reason: 'no result says 42', at: 4 }).effects.at(-1)).toMatchObject({
      ending: { kind: 'marked' },
    });
  });

  test('while a person decides, fuse and turn budget stand still; afterwards the rest of the budget runs on', () => {
    const state = calling();
    const waiting = step(state, { type: 'call-waiting', batchId: state.batchId, callId: 'c1', at: 1_000 });
    expect(waiting.effects).toEqual([
      { do: 'clear-timer', timer: 'fuse' },
      { do: 'clear-timer', timer: 'turn' },
      { do: 'set-timer', timer: 'person', id: state.batchId, ms: 60_000 },
    ]);
    expect(step(waiting.state, { type: 'timer', timer: 'turn', id: 't1', at: 2_000 }).ignored).toBeDefined();
    expect(step(waiting.state, { type: 'timer', timer: 'fuse', id: state.batchId, at: 2_000 }).ignored).toBeDefined();
    const on = step(waiting.state, { type: 'call-running', batchId: state.batchId, callId: 'c1', extraMs: 0, at: 50_000 });
    expect(on.effects).toContainEqual({ do: 'set-timer', timer: 'turn', id: 't1', ms: fuses.turnMs - 1_000 });
  });

  test('the reason given to the planner is short in either language', () => {
    expect([...shortReason('数'.repeat(500))].length).toBeLessThanOrEqual(60);
    expect(shortReason('word '.repeat(500)).length).toBeLessThanOrEqual(220);
    expect(shortReason('1234567890'.repeat(50)).length).toBeLessThanOrEqual(60);
  });

  test('limits of a site are taken within their bounds and refused outside them', () => {
    expect(settleFuses({ planningMs: 20_000 }).planningMs).toBe(20_000);
    for (const [name, { min, max }] of Object.entries(fuseBounds)) {
      expect(() => settleFuses({ [name]: max + 1 })).toThrow(name);
      expect(() => settleFuses({ [name]: min - 1 })).toThrow(name);
    }
    expect(() => settleFuses({ planningMs: 1500.5 })).toThrow('planningMs');
  });

  test('the fuse of a batch leaves the gateway the first word about a deadline', () => {
    expect(toolFuse([{ callId: 'a', timeoutMs: 10_000 }], fuses)).toBe(10_500);
    expect(toolFuse([], fuses)).toBe(3_000);
  });
});

// Random sequences of events, right and wrong, late and stale: the invariants hold at every step.

const ids = ['t1', 't2', 't9'];
const questionIds = fc.constantFrom('current', 'current', 'current', 'current', 'old', 'alien');
const eventTypes = fc.constantFrom(
  'user-message',
  'plan-progress',
  'plan-calls',
  'plan-calls',
  'plan-code',
  'plan-answer',
  'ask-back',
  'plan-refused',
  'plan-failed',
  'call-waiting',
  'call-running',
  'call-ended',
  'calls-settled',
  'calls-settled',
  'code-finished',
  'verified',
  'refuted',
  'fuse',
  'turn-timer',
  'person',
  'backoff',
  'stop',
);
const anyEvent = fc.record({
  type: eventTypes,
  question: questionIds,
  turn: fc.constantFrom(...ids),
  n: fc.nat(3),
  flag: fc.boolean(),
  other: fc.boolean(),
  dt: fc.nat(5_000),
});
type Draw = { type: string; question: string; turn: string; n: number; flag: boolean; other: boolean; dt: number };

function toEvent(state: State, draw: Draw, at: number): Event {
  const current =
    state.at === 'PLANNING'
      ? state.planId
      : state.at === 'TOOL_CALLING'
        ? state.batchId
        : state.at === 'SANDBOX_EXECUTION'
          ? state.runId
          : state.at === 'VERIFICATION'
            ? state.checkId
            : 'none';
  const id = draw.question === 'current' ? current : draw.question === 'old' ? `${draw.turn}/plan-1` : 'alien';
  const callId = state.at === 'TOOL_CALLING' && !draw.other ? (state.open[0]?.callId ?? 'c0') : `c${draw.n}`;
  const calls = Array.from({ length: draw.n }, (_, i) => ({ callId: `c${i}`, tool: 'tag_read', args: {} }));
  const failures = draw.flag ? [{ callId, tool: 'tag_read', code: 'TIMEOUT' as const, message: 'x', mayRetry: draw.other }] : [];
  const loop = draw.n === 3 && draw.other ? { tool: 'tag_read', times: 3 } : null;
  switch (draw.type) {
    case 'user-message':
      return { type: 'user-message', turnId: draw.turn, at };
    case 'plan-progress':
      return { type: 'plan-progress', planId: id, phase: (['thinking', 'loading-model', 'first-token'] as const)[draw.n % 3]!, at };
    case 'plan-calls':
      return {
        type: 'plan-calls',
        planId: id,
        calls,
        timeouts: calls.map((c) => ({ callId: c.callId, timeoutMs: 1_000 * draw.n })),
        last: draw.flag,
        at,
      };
    case 'plan-code':
      return { type: 'plan-code', planId: id, lang: 'javascript', code: '1', callId: 'c0', limitMs: 1_000 * draw.n, last: draw.flag, at };
    case 'plan-answer':
      return { type: 'plan-answer', planId: id, at };
    case 'ask-back':
      return { type: 'ask-back', planId: id, at };
    case 'plan-refused':
      return { type: 'plan-refused', planId: id, code: 'POLICY_REFUSED', at };
    case 'plan-failed':
      return { type: 'plan-failed', planId: id, code: 'MODEL_CRASHED', at };
    case 'call-waiting':
      return { type: 'call-waiting', batchId: id, callId, at };
    case 'call-running':
      return { type: 'call-running', batchId: id, callId, extraMs: draw.n * 100, at };
    case 'call-ended':
      return { type: 'call-ended', batchId: id, callId, at };
    case 'calls-settled':
      return { type: 'calls-settled', batchId: id, outcome: { failures, wrote: draw.other && !draw.flag, loop }, at };
    case 'code-finished':
      return { type: 'code-finished', runId: id, failure: draw.flag ? { code: 'SANDBOX_FAILED', message: 'x' } : null, loop, at };
    case 'verified':
      return { type: 'verified', checkId: id, at };
    case 'refuted':
      return { type: 'refuted', checkId: id, reason: 'x', at };
    case 'fuse':
      return { type: 'timer', timer: 'fuse', id, at };
    case 'turn-timer':
      return { type: 'timer', timer: 'turn', id: draw.flag && state.at !== 'IDLE' ? state.work.turnId : draw.turn, at };
    case 'person':
      return { type: 'timer', timer: 'person', id, at };
    case 'backoff':
      return { type: 'timer', timer: 'backoff', id, at };
    default:
      return { type: 'stop', at };
  }
}

/** What must hold whatever happens. Throws with the event that broke it. */
function follow(draws: Draw[]): { steps: number; ends: number } {
  let state: State = idle;
  let at = 0;
  let ends = 0;
  const timers = new Set<string>();
  const asked = new Set<string>();
  let open: string | null = null; // the question that was last asked and not yet answered or called off
  draws.forEach((draw) => {
    at += draw.dt;
    const event = toEvent(state, draw, at);
    const before = structuredClone(state);
    const next = transition(state, event, fuses);
    expect(state).toEqual(before); // pure: the old state is untouched
    if (next.ignored !== undefined) {
      expect(next.state).toEqual(before);
      expect(next.effects).toEqual([]);
      return;
    }
    for (const effect of next.effects) {
      if (effect.do === 'set-timer') {
        expect(effect.ms).toBeGreaterThan(0 - 1);
        timers.add(effect.timer);
      }
      if (effect.do === 'clear-timer') timers.delete(effect.timer);
      const id =
        effect.do === 'plan'
          ? effect.planId
          : effect.do === 'run-calls'
            ? effect.batchId
            : effect.do === 'run-code'
              ? effect.runId
              : effect.do === 'check'
                ? effect.checkId
                : null;
      if (id !== null) {
        expect(asked.has(id), `question ${id} asked twice`).toBe(false);
        asked.add(id);
        open = id;
      }
      if (effect.do === 'end-turn') {
        ends += 1;
        open = null;
      }
    }
    if (before.at !== next.state.at && next.state.at !== 'IDLE') expect(next.effects.filter((e) => e.do === 'snapshot')).toHaveLength(1);
    state = next.state;
    if (state.at === 'IDLE') {
      expect(timers.size, 'timers left after the end').toBe(0);
      expect(next.effects.filter((e) => e.do === 'end-turn')).toHaveLength(1);
      asked.clear();
      return;
    }
    const id =
      state.at === 'PLANNING'
        ? state.planId
        : state.at === 'TOOL_CALLING'
          ? state.batchId
          : state.at === 'SANDBOX_EXECUTION'
            ? state.runId
            : state.checkId;
    expect(id).toBe(open);
    expect(state.work.replans).toBeLessThanOrEqual(fuses.maxReplans);
    expect(state.work.rounds).toBeLessThanOrEqual(fuses.maxRounds);
    expect(state.work.goodSnapshot).toBeLessThanOrEqual(state.work.snapshots);
    expect(state.work.budgetLeftMs).toBeLessThanOrEqual(fuses.turnMs);
    const waiting = state.at === 'TOOL_CALLING' && state.waiting.length > 0;
    // Something always runs that can end this state: its fuse, the pause before another try, or the limit of a person.
    expect(timers.has(waiting ? 'person' : state.at === 'TOOL_CALLING' && state.backingOff ? 'backoff' : 'fuse')).toBe(true);
    expect(timers.has('turn')).toBe(!waiting);
    if (waiting) expect(state.work.budgetSince).toBeNull();
    else expect(state.work.budgetSince).not.toBeNull();
  });
  return { steps: draws.length, ends };
}

test('random events over 100,000 steps keep the invariants of the loop', () => {
  let steps = 0;
  let ends = 0;
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 400, maxLength: 600, size: 'max' }), (draws) => {
      const seen = follow(draws);
      steps += seen.steps;
      ends += seen.ends;
    }),
    { numRuns: 220, endOnFailure: true },
  );
  expect(steps).toBeGreaterThanOrEqual(100_000);
  expect(ends).toBeGreaterThan(1_000);
}, 120_000);
