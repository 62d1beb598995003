import { expect, test } from 'vitest';
import type { PlannerEvent } from '../../shared/contracts/agent.ts';
import { scriptedPlanner, testAgent } from './testDoubles.ts';

const call = (tool: string, args: Record<string, unknown> = {}): PlannerEvent => ({
  type: 'calls',
  calls: [{ callId: 'x', tool, args }],
  last: false,
});
const answer = (text: string): PlannerEvent => ({ type: 'answer', text });

test('a question goes through planning, calling, planning and verification to its answer', async () => {
  const { planner, inputs } = scriptedPlanner([() => [call('tag_read', { tags: ['a'] })], () => [answer('It is 1.')]]);
  const { agent, gateway, snapshots } = testAgent({ planner });
  const session = agent.startSession({ door: 'test', operator: 'me' });
  const report = await agent.ask({ sessionId: session, text: 'what is a?' });
  expect(report.states.map((s) => s.state)).toEqual(['PLANNING', 'TOOL_CALLING', 'PLANNING', 'VERIFICATION', 'IDLE']);
  expect(report).toMatchObject({ answer: 'It is 1.', error: null, needs_clarification: false });
  expect(gateway.calls.map((c) => c.tool)).toEqual(['tag_read']);
  expect(inputs[1]!.results).toHaveLength(1);
  expect(inputs[1]!.transcript.map((m) => m.role)).toEqual(['user', 'assistant', 'tool']);
  expect(snapshots.all.map((s) => s.state)).toEqual(['PLANNING', 'TOOL_CALLING', 'PLANNING', 'VERIFICATION']);
});

test('a program goes through the fourth state', async () => {
  const { planner } = scriptedPlanner([() => [{ type: 'code', lang: 'javascript', code: 'result = 1', last: false }], () => [answer('1')]]);
  const { agent, gateway } = testAgent({ planner });
  const report = await agent.ask({ sessionId: agent.startSession({ door: 'test', operator: 'me' }), text: 'compute' });
  expect(report.states.map((s) => s.state)).toEqual(['PLANNING', 'SANDBOX_EXECUTION', 'PLANNING', 'VERIFICATION', 'IDLE']);
  expect(gateway.calls[0]).toMatchObject({ tool: 'execute', args: { lang: 'javascript', code: 'result = 1' } });
});
