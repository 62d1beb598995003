import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createCore } from '../../src/main/core.ts';
import { createSandbox } from '../../src/main/sandbox/index.ts';
import type { RunLang, RunLevel } from '../../src/shared/contracts/sandbox.ts';
import { estimateTokens } from '../../src/shared/ledger.ts';
import { startFakeOllama } from '../harness/fakeOllama.mjs';

const sandbox = createSandbox();
afterAll(() => sandbox.close());
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** One turn of the real program against a model that says these answers, one a request. */
async function turn(text: string, says: string[]) {
  const server = await startFakeOllama({
    scenario: { models: [{ name: 'm:4b', capabilities: ['completion', 'tools'] }], turns: says.map((said) => ({ chunks: [said] })) },
  });
  ends.push(() => server.close());
  const dataFolder = mkdtempSync(join(tmpdir(), 'handrail-program-'));
  ends.push(() => rmSync(dataFolder, { recursive: true, force: true }));
  const core = await createCore({ door: 'cli', dataFolder, lang: 'en', model: 'ollama:m:4b', baseUrl: server.url });
  ends.push(() => core.close());
  const sessionId = core.agent.startSession({ door: 'cli', operator: 'test' });
  const report = await core.agent.ask({ sessionId, text });
  const asked = server.requests.filter((r: { path: string }) => r.path === '/api/chat') as { body: { messages: { content: string }[] } }[];
  return { report, recorded: core.record.calls(sessionId), told: asked.map((r) => r.body.messages.map((m) => m.content).join('\n')) };
}

const block = (code: string, attributes = 'lang="javascript"'): string => `<execute ${attributes}>\n${code}\n</execute>`;

test('what a block says that it returns is checked, told to the model and on record', { timeout: 120_000 }, async () => {
  const { report, recorded, told } = await turn('use a program: 6 times 7', [
    block('result = "forty-two"', 'lang="javascript" returns="number"'),
    block('result = 6 * 7', 'lang="javascript" returns="number"'),
    'It is 42.',
  ]);
  expect(report.answer).toBe('It is 42.');
  expect(recorded.map((row) => [row.result!.ok, row.result!.error?.code ?? null])).toEqual([
    [false, 'TOOL_RESULT_INVALID'],
    [true, null],
  ]);
  expect(recorded[1]!.call.expected_output_schema).toMatchObject({
    then: { properties: { output: { properties: { data: { type: 'number' } } } } },
  });
  const reason = recorded[0]!.result!.error!.message;
  expect(reason).toContain('output.data must be number');
  expect(estimateTokens(reason)).toBeLessThanOrEqual(120);
  expect(told[1]).toContain('output.data must be number');
});

test(
  'a schema as JSON holds too, and a program that fails is told its own fault, not that of its missing output',
  { timeout: 120_000 },
  async () => {
    const returns = `lang="javascript" returns='{"type":"object","required":["max"],"properties":{"max":{"type":"number"}}}'`;
    const { recorded } = await turn('use a program for the largest of 3, 9, 4', [
      block('result = { max: undefinedName }', returns),
      block('result = { min: 3 }', returns),
      block('result = { max: Math.max(3, 9, 4) }', returns),
      'The largest is 9.',
    ]);
    expect(recorded.map((row) => (row.result!.ok ? (row.result!.result as { status: string }).status : row.result!.error!.code))).toEqual([
      'rejected',
      'TOOL_RESULT_INVALID',
      'ok',
    ]);
  },
);

test('a promise that cannot be checked does not run; the model is told what can be said', { timeout: 120_000 }, async () => {
  const { recorded, told, report } = await turn('use a program: 1 + 1', [
    block('result = 2', 'lang="javascript" returns="a nice number"'),
    'Sorry.',
  ]);
  expect(recorded).toEqual([]);
  expect(told[1]).toContain('returns is one of number');
  expect(report.calls[0]!.result.ok).toBe(false);
});

test('a program without the function a person asked for does not run, and the model mends it', { timeout: 120_000 }, async () => {
  const { report, recorded, told } = await turn('write a javascript function avg(values) and apply it to 2, 4, 6', [
    block('function mean(values) { return 4; }\nresult = mean([2, 4, 6]);'),
    block('function avg(values) { return values.reduce((a, b) => a + b) / values.length; }\nresult = avg([2, 4, 6]);'),
    'The average is 4.',
  ]);
  expect(report.answer).toBe('The average is 4.');
  const first = recorded[0]!.result!.result as { status: string; error: { message: string }; violations: unknown[] };
  expect(first.status).toBe('rejected');
  expect(first.error.message).toContain('the program must define the function avg; it defines mean');
  expect(estimateTokens(first.error.message)).toBeLessThanOrEqual(120);
  expect(recorded[0]!.call.args).toMatchObject({ defines: ['avg(values)'] });
  expect(told[1]).toContain('must define the function avg');
  expect((recorded[1]!.result!.result as { status: string }).status).toBe('ok');
});

const programs: [RunLang, RunLevel | undefined, string, number | null, string][] = [
  ['python', undefined, 'def f(a, b=1):\n    return a\nresult = f(1)', 1, 'ok'],
  ['python', undefined, 'def f(a, b=1):\n    return a\nresult = f(1)', 2, 'ok'],
  ['python', undefined, 'def f(a, b=1):\n    return a\nresult = f(1)', 3, 'rejected'],
  ['python', undefined, 'def f(*values):\n    return len(values)\nresult = f(1)', 3, 'ok'],
  ['python', undefined, 'f = lambda a: a\nresult = f(1)', 1, 'ok'],
  ['python', undefined, 'class C:\n    def f(self, a):\n        return a\nresult = 1', 1, 'rejected'],
  ['python', undefined, 'result = "def f(a): pass"', null, 'rejected'],
  ['python', undefined, 'if True:\n    def f(): return 1\nresult = f()', 0, 'ok'],
  ['python', 'wasm', 'def g(a):\n    return a\nresult = g(1)', 1, 'rejected'],
  ['python', 'wasm', 'def f(a):\n    return a\nresult = f(1)', 1, 'ok'],
  ['javascript', undefined, 'const f = (a, b = 2) => a + b; result = f(1)', 1, 'ok'],
  ['javascript', undefined, 'function f(a) { return a } result = f(1)', 2, 'rejected'],
  ['javascript', undefined, 'function f(...all) { return all.length } result = f(1)', 2, 'ok'],
  ['javascript', undefined, 'result = "function f(a) {}"', null, 'rejected'],
];
test.each(programs)('%s %s: %j with %s parameters is %s', { timeout: 60_000 }, async (lang, level, code, parameters, status) => {
  const run = await sandbox.run({ lang, code, defines: [{ name: 'f', parameters }], ...(level === undefined ? {} : { level }) });
  expect(run.status, JSON.stringify(run.error)).toBe(status);
});

test('nothing of a rejected program has run', { timeout: 60_000 }, async () => {
  const run = await sandbox.run({ lang: 'python', code: 'print("it ran")', defines: [{ name: 'f', parameters: null }] });
  expect(run).toMatchObject({ status: 'rejected', stdout: { text: '' } });
});
