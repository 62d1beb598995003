import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOpenAiPlanner } from '../../src/main/model/index.ts';
import { systemClock } from '../../src/main/gateway/index.ts';
import { makeTinyGguf } from '../harness/makeTinyGguf.mjs';
import { openLab } from '../harness/labPlant.ts';

// One turn against a real inference engine: llama.cpp decodes a tiny model file whose weights say one call and one answer.
// The engine lives in a folder and lock of its own (test/engine) and is installed here when it is not there yet.

const engine = fileURLToPath(new URL('../engine', import.meta.url));
const call = { unit: 1, table: 'holding', address: 0, count: 10 };
const script = {
  reply: ['<tool_call>', `\n{"name": "modbus_read", "arguments": ${JSON.stringify(call)}}\n`, '</tool_call>'],
  afterTool: ['已读取1号从站的10个保持寄存器', '，', '结果如上。'],
};
const folder = mkdtempSync(join(tmpdir(), 'handrail-engine-'));
let server: ChildProcess | null = null;
let url = '';
let missing: string | null = null;

beforeAll(async () => {
  missing = ensureEngine();
  if (missing !== null) return;
  const file = join(folder, 'tiny.gguf');
  writeFileSync(file, makeTinyGguf({ script, ctx: 8192 }));
  server = spawn(process.execPath, [join(engine, 'server.mjs'), file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: server!.stdout! }).once('line', resolve);
    server!.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
  });
  url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
}, 240_000);

afterAll(() => {
  server?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** Null when the engine is there; else why this test cannot run. */
function ensureEngine(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return `no engine package is pinned for ${process.platform}-${process.arch}`;
  if (existsSync(join(engine, 'node_modules', 'node-llama-cpp', 'package.json'))) return null;
  const result = spawnSync('npm', ['ci', '--no-progress'], { cwd: engine, encoding: 'utf8', timeout: 200_000 });
  return result.status === 0 ? null : `the engine could not be installed: ${(result.stderr ?? '').split('\n').slice(-4).join(' ')}`;
}

test('a call and an answer decoded by llama.cpp go through adapter, loop, gateway and plant', async (context) => {
  if (missing !== null) context.skip(missing);
  const planner = createOpenAiPlanner({
    baseUrl: url,
    model: 'tiny',
    profile: 'llama.cpp',
    clock: systemClock,
    random: () => 'q3x9',
    numPredict: 256,
  });
  const lab = await openLab({ plannerFor: () => planner });
  try {
    const deltas: string[] = [];
    lab.agent.onEvent((event) => void (event.type === 'text' && deltas.push(event.delta)));
    const report = await lab.agent.ask({
      sessionId: lab.agent.startSession({ door: 'test', operator: 'me' }),
      text: '读取1号从站从0开始的10个保持寄存器',
    });
    expect(report.error).toBeNull();
    expect(report.answer).toBe('已读取1号从站的10个保持寄存器，结果如上。');
    expect(deltas.length).toBeGreaterThanOrEqual(2);
    expect(report.calls).toHaveLength(1);
    expect(report.calls[0]).toMatchObject({ call: { tool: 'modbus_read', args: call }, result: { ok: true } });
    expect(report.states.map((s) => s.state)).toEqual(['PLANNING', 'TOOL_CALLING', 'PLANNING', 'VERIFICATION', 'IDLE']);
    expect(report.tokens.sent).toBeGreaterThan(500);
  } finally {
    await lab.close();
  }
}, 60_000);
