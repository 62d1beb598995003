import { expect, test } from 'vitest';
import type { TurnEvent, TurnReport } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import { afterEvent, emptyTranscript, runningTurn, type Transcript } from './turns.ts';

const call = { call_id: 'c1', tool: 'tag_read', args: {}, timeout_ms: 3000 } as unknown as CallEnvelope;
const result = { call_id: 'c1', ok: true } as unknown as ResultEnvelope;
const report = (patch: Partial<TurnReport> = {}): TurnReport =>
  ({ turn_id: 't1', session_id: 's', answer: 'It is 42.', calls: [], marks: [], error: null, ...patch }) as TurnReport;
const start: Transcript = { ...emptyTranscript, sessionId: 's' };
const play = (events: TurnEvent[], from = start): Transcript =>
  events.reduce((transcript, event, i) => afterEvent(transcript, event, 1000 + i * 100), from);
const started: TurnEvent = { type: 'turn-started', sessionId: 's', turnId: 't1', text: 'hi', planner: 'builtin', at: '' };

test('text streams into its own turn and the report has the last word', () => {
  const streaming = play([started, { type: 'text', turnId: 't1', delta: 'It ' }, { type: 'text', turnId: 't1', delta: 'is' }]);
  expect(runningTurn(streaming)?.streamed).toBe('It is');
  const ended = play([{ type: 'turn-ended', turnId: 't1', report: report() }], streaming);
  expect(runningTurn(ended)).toBeNull();
  expect(ended.turns[0]?.report?.answer).toBe('It is 42.');
});

test('events of another session or an unknown turn change nothing', () => {
  expect(play([{ ...started, sessionId: 'other' }])).toEqual(start);
  expect(play([{ type: 'text', turnId: 'nobody', delta: 'x' }])).toEqual(start);
});

test('a replan takes back what was said and keeps the reason', () => {
  const after = play([
    started,
    { type: 'state', turnId: 't1', state: 'PLANNING', why: '', fuseMs: 8000, at: '' },
    { type: 'text', turnId: 't1', delta: 'wrong' },
    { type: 'replan', turnId: 't1', attempt: 1, reason: 'timeout' },
  ]);
  expect(after.turns[0]).toMatchObject({ streamed: '', steps: [{ again: { attempt: 1, reason: 'timeout' } }] });
});

test('steps close one another, and the end closes the last', () => {
  const after = play([
    started,
    { type: 'state', turnId: 't1', state: 'PLANNING', why: '', fuseMs: 8000, at: '' },
    { type: 'state', turnId: 't1', state: 'TOOL_CALLING', why: '', fuseMs: 3000, at: '' },
    { type: 'turn-ended', turnId: 't1', report: report() },
  ]);
  expect(after.turns[0]?.steps.map((step) => [step.state, step.endedAt])).toEqual([
    ['PLANNING', 1200],
    ['TOOL_CALLING', 1300],
  ]);
});

test('a call keeps its card through its phases, and the report settles one whose end was not heard', () => {
  const after = play([
    started,
    { type: 'call', turnId: 't1', call, phase: 'waiting-approval', result: null },
    { type: 'call', turnId: 't1', call, phase: 'running', result: null },
    { type: 'turn-ended', turnId: 't1', report: report({ calls: [{ call, result }] }) },
  ]);
  expect(after.turns[0]?.calls).toEqual([{ call, phase: 'ended', result, startedAt: 1200 }]);
});
