import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect as plainExpect, test as plain } from '@playwright/test';
import { expect, outFolder, test } from './harness.ts';

/** Stands in for Electron's side of a preload: `electron` is all it can require, as in the sandbox. */
const bridge = (preload: string): string => `(() => {
  const socket = new WebSocket('ws://' + location.host); const open = new Promise((done) => { socket.onopen = done; });
  const waiting = new Map(); const ports = []; const listeners = {}; const exposed = {}; let next = 0;
  const views = { Float64Array, Uint8Array, Uint16Array, Uint32Array };
  const revived = (data) => JSON.parse(data, (_key, v) => v && v.$view ? views[v.$view].from(v.values, Number) : v);
  socket.onmessage = (event) => {
    const message = revived(event.data);
    if (message.kind === 'reply') { const [resolve, reject] = waiting.get(message.id); if (message.error) reject(new Error(message.error)); else resolve(message.result); }
    else if (message.kind === 'port') ports[message.id].postMessage(message.data);
    else {
      const given = message.ids.map((id) => { const channel = new MessageChannel(); ports[id] = channel.port1; channel.port1.onmessage = (e) => socket.send(JSON.stringify({ kind: 'port', id, data: e.data })); return channel.port2; });
      listeners[message.channel]({ ports: given }, message.message);
    }
  };
  const electron = {
    contextBridge: { exposeInMainWorld: (name, value) => { exposed[name] = { keys: Object.keys(value), frozen: Object.isFrozen(value) }; Object.defineProperty(window, name, { value, configurable: false, writable: false }); } },
    ipcRenderer: { on: (channel, listener) => { listeners[channel] = listener; }, invoke: async (channel, ...args) => { await open; const id = ++next; return new Promise((resolve, reject) => { waiting.set(id, [resolve, reject]); socket.send(JSON.stringify({ kind: 'invoke', id, channel, args })); }); } },
  };
  window.exposedByPreload = exposed;
  const require = (name) => { if (name !== 'electron') throw new Error('a sandboxed preload cannot require ' + name); return electron; };
  (function (require, module, exports, process) { ${preload} })(require, { exports: {} }, {}, { versions: {}, env: {}, platform: 'linux' });
})()`;

test('the built entry, the built preload and the built page work together over the double', async ({ page }) => {
  const data = mkdtempSync(join(tmpdir(), 'handrail-double-'));
  const host = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'test/browser/electronDoubleHost.mjs', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HANDRAIL_MAIN: join(outFolder, 'main', 'index.js') },
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      host.stdout.on('data', (chunk: Buffer) => {
        const found = /DOUBLE (\S+)/.exec(String(chunk));
        if (found?.[1]) resolve(found[1]);
      });
      host.once('exit', (code) => reject(new Error(`the double ended with code ${code}`)));
    });
    await page.addInitScript(bridge(readFileSync(join(outFolder, 'preload', 'index.cjs'), 'utf8')));
    const answer = await page.goto(`${url}/index.html`);
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(await page.evaluate(() => (window as unknown as { exposedByPreload: unknown }).exposedByPreload)).toEqual({
      handrail: { keys: ['host', 'connect'], frozen: true },
    });
    await expect(page.locator('#row-boiler_temp .c-value')).toHaveText(/^\d+\.\d$/);
    await page.locator('#message').fill('What is the boiler temperature?');
    await page.keyboard.press('Enter');
    await expect(page.locator('.turn .answer')).toContainText('°C');
  } finally {
    const ended = new Promise((done) => host.once('exit', done));
    host.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
});

const folder = join('node_modules', 'electron');
const relative = existsSync(join(folder, 'path.txt')) ? readFileSync(join(folder, 'path.txt'), 'utf8').trim() : null;
const binary = relative === null ? null : join(folder, 'dist', relative);

plain.describe('real Electron', () => {
  plain.skip(
    binary === null || !existsSync(binary),
    "Electron's binary is not here (its download needs the network): real-Electron checks were not run",
  );
  plain('the window opens, shows live values and keeps Node away from the page', async () => {
    const data = mkdtempSync(join(tmpdir(), 'handrail-electron-'));
    const app = await _electron.launch({ args: ['.', '--data', data], executablePath: binary! });
    try {
      const window = await app.firstWindow();
      await plainExpect(window.locator('#row-boiler_temp .c-value')).toHaveText(/^\d+\.\d$/);
      plainExpect(
        await window.evaluate(() => [
          typeof (globalThis as { require?: unknown }).require,
          typeof (globalThis as { process?: unknown }).process,
        ]),
      ).toEqual(['undefined', 'undefined']);
    } finally {
      await app.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
