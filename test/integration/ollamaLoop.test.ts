import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createOllamaPlanner } from '../../src/main/model/index.ts';
import { contract, memorySnapshots, okResult, scriptedGateway, emptyWorld } from '../../src/main/agent/testDoubles.ts';
import { createAgent } from '../../src/main/agent/index.ts';
import { startFakeOllama } from '../harness/fakeOllama.mjs';

const system = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const t = setTimeout(run, ms);
    return () => clearTimeout(t);
  },
};
const tags = {
  type: 'object',
  properties: { tags: { type: 'array', items: { type: 'string' } } },
  required: ['tags'],
  additionalProperties: false,
};
const any = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((n) => [n, {}])),
  additionalProperties: false,
});

for (const name of ['01-read-registers', '02-tool-call-in-last-chunk', '03-thinking-then-tool']) {
  test(`scenario ${name} goes through the loop as it says`, async () => {
    const scenario = JSON.parse(readFileSync(fileURLToPath(new URL(`../fixtures/ollama/${name}.json`, import.meta.url)), 'utf8')) as {
      models: { name: string }[];
      ask: string[];
      toolResults: Record<string, unknown>;
      expect: { final: string; requests: number };
    };
    const server = await startFakeOllama({ scenario });
    const planner = createOllamaPlanner({ baseUrl: server.url, model: scenario.models[0]!.name, clock: system, random: () => 'k7q2' });
    const gateway = scriptedGateway(
      (r) => okResult(r.callId ?? '', scenario.toolResults[r.tool]),
      [
        contract('tag_read', 'read', tags),
        contract('modbus_read', 'read', any('unit', 'table', 'address', 'count')),
        contract('aggregate', 'read', any('tags', 'fn', 'from', 'to')),
      ],
    );
    let n = 0;
    const agent = createAgent({
      gateway: gateway.gateway,
      plannerFor: () => planner,
      record: { append: () => ({}) as never, events: () => [], calls: () => [] },
      snapshots: memorySnapshots(),
      clock: system,
      ids: () => `id${++n}`,
      world: () => emptyWorld,
      armedDevices: () => [],
    });
    const session = agent.startSession({ door: 'test', operator: 'me' });
    const report = await agent.ask({ sessionId: session, text: scenario.ask[0]! });
    expect(report.error).toBeNull();
    expect(report.answer).toBe(scenario.expect.final);
    expect(server.requests.filter((r: { path: string }) => r.path === '/api/chat')).toHaveLength(scenario.expect.requests);
    expect(server.problems).toEqual([]);
    await server.close();
  });
}
