/**
 * The hidden pages of the sandbox in Debian's headless Chromium, with the browser's own sandbox on: the same engine, page, policy and
 * headers as in the desktop window, opened over the debugging port instead of by Electron. Counts what knocks at its server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from '@playwright/test';
import {
  hiddenPageHeaders,
  hiddenPageHtml,
  type FromPage,
  type HiddenPage,
  type HiddenRenderer,
  type ToPage,
} from '../../src/shared/contracts/hiddenPage.ts';

const built = fileURLToPath(new URL('../../out/renderer/', import.meta.url));
const nobody = 65534;

export const chromiumPath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? null;

export type ChromiumRenderer = HiddenRenderer & {
  /** Paths asked for besides the page's own files. */
  readonly foreign: string[];
  /** Runs code (the body of an async function) in a page like those of the runs, outside any program. */
  tryInPage(body: string): Promise<unknown>;
  close(): Promise<void>;
};

type Bridge = { __take(): Promise<void>; __toPage(message: unknown): void };

/** In the page: what stands in for the window's preload. Small bytes cross the debugging protocol as base64, the interpreter as a file. */
const bridge = `(() => {
  const { port1, port2 } = new MessageChannel();
  const files = [];
  const toBytes = (s) => { const b = new Uint8Array(s.length); for (let i = 0; i < s.length; i++) b[i] = s.charCodeAt(i); return b; };
  const toText = (bytes) => { let s = ''; for (let i = 0; i < bytes.length; i += 32768) s += String.fromCharCode(...bytes.subarray(i, i + 32768)); return btoa(s); };
  const revive = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (typeof value.$bytes === 'string') return toBytes(atob(value.$bytes));
    if (typeof value.$file === 'number') return files[value.$file];
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v)]));
  };
  port1.onmessage = ({ data }) => window.__fromPage(data.bytes === undefined ? data : { ...data, bytes: toText(data.bytes) });
  window.__take = async () => { const [file] = window.__input.files; files.push(new Uint8Array(await file.arrayBuffer())); };
  window.__toPage = (message) => port1.postMessage(revive(message));
  addEventListener('load', () => {
    window.__input = Object.assign(document.createElement('input'), { type: 'file' });
    window.postMessage('handrail:run', location.origin, [port2]);
  });
})()`;

const BIG = 1 << 20;

function forWire(value: unknown, big: (bytes: Uint8Array) => number): unknown {
  if (value instanceof Uint8Array) return value.length > BIG ? { $file: big(value) } : { $bytes: Buffer.from(value).toString('base64') };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, forWire(inner, big)]));
}

export async function startChromiumRenderer(): Promise<ChromiumRenderer> {
  if (chromiumPath === null) throw new Error('no Chromium is installed');
  const foreign: string[] = [];
  const server = await serveHiddenPage(foreign);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { browser, profile, end } = await startBrowser(chromiumPath);
  const written = new Map<Uint8Array, string>();
  const fileOf = (bytes: Uint8Array): string => {
    const path = written.get(bytes) ?? join(profile, `given-${written.size}`);
    if (!written.has(bytes)) writeFileSync(path, bytes, { mode: 0o644 });
    written.set(bytes, path);
    return path;
  };

  return {
    foreign,
    async open(): Promise<HiddenPage> {
      const context = await browser.newContext(); // its own session, in memory
      const page = await context.newPage();
      const listeners: ((message: FromPage) => void)[] = [];
      const early: FromPage[] = [];
      await page.exposeFunction('__fromPage', (message: FromPage & { bytes?: unknown }) => {
        const plain =
          typeof message.bytes === 'string' ? { ...message, bytes: new Uint8Array(Buffer.from(message.bytes, 'base64')) } : message;
        if (listeners.length === 0) early.push(plain);
        for (const listener of listeners) listener(plain);
      });
      await page.addInitScript(bridge);
      await page.goto(`${origin}/`, { waitUntil: 'load' });
      const debug = await context.newCDPSession(page);
      let sending = Promise.resolve();
      let killed = false;
      let onGone: () => void = () => undefined;
      return {
        send(message: ToPage) {
          const files: string[] = [];
          const plain = forWire(message, (bytes) => files.push(fileOf(bytes)) - 1);
          sending = sending
            .then(async () => {
              for (const path of files) {
                const { result } = await debug.send('Runtime.evaluate', { expression: 'window.__input' });
                await debug.send('DOM.setFileInputFiles', { files: [path], objectId: result.objectId! });
                await page.evaluate(() => (window as unknown as Bridge).__take());
              }
              await page.evaluate((given) => (window as unknown as Bridge).__toPage(given), plain);
            })
            .catch(() => undefined); // the page is gone
        },
        onMessage(listener) {
          listeners.push(listener);
          for (const message of early.splice(0)) listener(message);
        },
        onGone(listener) {
          onGone = listener;
        },
        kill() {
          if (killed) return;
          killed = true;
          void context.close().then(
            () => onGone(),
            () => onGone(),
          );
        },
      };
    },
    async tryInPage(body) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${origin}/`, { waitUntil: 'load' });
      try {
        return await page.evaluate(`(async () => { ${body} })()`);
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser.close().catch(() => undefined);
      await end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serveHiddenPage(foreign: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const file = /^\/(run-page\.js|run-worker\.js|assets\/[\w.-]+\.js)$/.exec(path)?.[1];
    if (path === '/') response.writeHead(200, { ...hiddenPageHeaders, 'content-type': 'text/html; charset=utf-8' }).end(hiddenPageHtml);
    else if (file !== undefined)
      readFile(join(built, file)).then(
        (body) => response.writeHead(200, { ...hiddenPageHeaders, 'content-type': 'text/javascript; charset=utf-8' }).end(body),
        () => response.writeHead(404).end(),
      );
    else {
      foreign.push(path);
      response.writeHead(404, { 'access-control-allow-origin': '*' }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function startBrowser(path: string): Promise<{ browser: Browser; profile: string; end: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'handrail-chromium-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(profile, nobody, nobody); // its sandbox refuses root
  const child: ChildProcess = spawn(
    path,
    [
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--headless',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      'about:blank',
    ],
    {
      ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', HOME: profile, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`Chromium ended at once: ${said.slice(-300)}`)));
    child.once('error', reject);
  });
  return {
    browser: await chromium.connectOverCDP(address),
    profile,
    async end() {
      process.kill(-child.pid!, 'SIGKILL'); // the browser with its own helpers
      await gone;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
