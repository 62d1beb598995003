import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSandbox, type HostedSandbox } from '../../src/main/sandbox/index.ts';
import type { RunLang } from '../../src/shared/contracts/sandbox.ts';
import { chromiumPath, startChromiumRenderer, type ChromiumRenderer } from '../harness/chromiumRenderer.ts';
import { programsOf, readCase } from '../eval/sandbox/caseFile.ts';
import { judge } from '../eval/sandbox/judge.ts';
import { runOnce } from '../eval/sandbox.ts';

const folder = fileURLToPath(new URL('../fixtures/sandbox/', import.meta.url));
const limit = 240_000; // a page with its interpreter starts in half a second, or in several on a loaded machine
let renderer: ChromiumRenderer;
let sandbox: HostedSandbox;
const here = chromiumPath !== null;

beforeAll(async () => {
  process.env['HANDRAIL_CANARY'] = 'canary-7f3a';
  if (!here) return;
  renderer = await startChromiumRenderer();
  sandbox = createSandbox({ warm: 1, renderer });
}, limit);
afterAll(async () => {
  await sandbox?.close();
  await renderer?.close();
}, limit);

const run = (lang: RunLang, code: string, more: object = {}) =>
  sandbox.run({ lang, code, level: 'wasm-renderer', useCache: false, ...more });

test('without a browser engine the level is unavailable and says so', async () => {
  const plain = createSandbox({ warm: 0 });
  const [result] = await Promise.all([plain.run({ lang: 'javascript', code: '1', level: 'wasm-renderer' })]);
  expect(result).toMatchObject({ status: 'unavailable', level: 'wasm-renderer' });
  expect(result.error?.message).toContain('renderer');
  await plain.close();
}, 60_000);

test.runIf(here)(
  'the level is found by attempts in both languages, and is preferred to WebAssembly in a bare process',
  async () => {
    const states = await sandbox.levelStates('javascript');
    expect(states.map(({ level, works }) => [level, works])).toEqual([
      ['wasm-renderer', true],
      ['wasm', true],
    ]);
    expect((await run('python', '1 + 1')).status).toBe('ok');
    expect(await sandbox.run({ lang: 'javascript', code: 'result = 2', useCache: false })).toMatchObject({
      level: 'wasm-renderer',
      status: 'ok',
    });
  },
  limit,
);

test.runIf(here)(
  'a program asks the plant from the middle of its run and gets files',
  async () => {
    const asked: string[] = [];
    const code = 'rows = plant.read(["a"])\nresult = {"rows": rows, "file": open("given.txt").read()}';
    const result = await run('python', code, {
      inputs: [{ name: 'given.txt', bytes: Buffer.from('温度 1') }],
      onToolCall: async (name: string) => {
        asked.push(name);
        return { value: 7 };
      },
    });
    expect(result.status, result.error?.message ?? '').toBe('ok');
    expect(asked).toEqual(['read']);
    expect(JSON.stringify(result.output?.data)).toContain('温度 1');
    expect(result.metadata.memory_source).toBe('wasm-heap');
  },
  limit,
);

test.runIf(here)(
  'a program that spins, floods or swells is ended, and the next run is clean',
  async () => {
    expect((await run('python', 'while True: pass', { limits: { timeoutMs: 1_000 } })).status).toBe('timeout');
    expect((await run('javascript', "for (;;) print('x'.repeat(10000))")).status).toBe('output_limit');
    expect((await run('python', "a = []\nwhile True: a.append('x' * 10_000_000)")).status).not.toBe('ok');
    expect(await run('python', '1 + 1')).toMatchObject({ status: 'ok', output: { data: 2 } });
  },
  limit,
);

/** Of the attempts those that no deadline is needed for: the whole set is run by hand, this is the part a build can afford. */
const attempts = readdirSync(folder)
  .filter((name) => /^(py|js)-.*\.(py|js)$/.test(name))
  .filter((name) => /net|socket|file|host|escape|proto|constructor|forge|env|import|evas/.test(name))
  .map((name) => folder + name)
  .filter((_, i) => i % 8 === 0);

test.runIf(here)(
  'attempts against files, network, host objects and the result come out as they say, with the check off and on',
  async () => {
    expect(attempts.length).toBeGreaterThan(5);
    const wrong: string[] = [];
    for (const one of attempts.map(readCase)) {
      if (one.expect.heavy === true || one.afterFile !== null) continue;
      for (const check of ['off', 'on'] as const) {
        for (const code of programsOf(one)) {
          const expectation = { ...one.expect, max_ms: undefined, max_rss_mb: undefined };
          const why = judge(expectation, 'wasm-renderer', check, await runOnce(sandbox, one, code, 'wasm-renderer', check));
          if (why !== null) wrong.push(`${basename(one.expect.id)} (${check}): ${why}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(renderer.foreign).toEqual([]);
  },
  limit,
);

test.runIf(here)(
  'even code of the page itself reaches no server: the policy is a wall of its own',
  async () => {
    const heard: string[] = [];
    const listener = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const got = await renderer.tryInPage(
      `const got = [];
       const attempt = async (name, what) => { try { await what(); got.push(name); } catch { /* refused */ } };
       await attempt('fetch', () => fetch('${url}/fetch', { mode: 'no-cors' }));
       await attempt('own origin', () => fetch('/own'));
       await attempt('xhr', () => new Promise((ok, no) => { const x = new XMLHttpRequest(); x.onload = ok; x.onerror = no; x.open('GET', '${url}/xhr'); x.send(); }));
       await attempt('socket', () => new Promise((ok, no) => { const s = new WebSocket('${url.replace('http', 'ws')}/ws'); s.onopen = ok; s.onerror = no; }));
       await attempt('events', () => new Promise((ok, no) => { const s = new EventSource('${url}/events'); s.onopen = ok; s.onerror = no; }));
       await attempt('import', () => import('${url}/module.js'));
       await attempt('image', () => new Promise((ok, no) => { const i = new Image(); i.onload = ok; i.onerror = no; i.src = '${url}/image'; }));
       await attempt('eval', () => (0, eval)('1'));
       await attempt('node', () => { if (typeof process === 'undefined' && typeof require === 'undefined') throw new Error('no'); });
       return got;`,
    );
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
    expect(got).toEqual([]);
    expect(heard).toEqual([]);
    expect(renderer.foreign).toEqual([]);
  },
  limit,
);
