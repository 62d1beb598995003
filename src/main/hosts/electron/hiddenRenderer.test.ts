import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test, vi } from 'vitest';
import * as double from '../../../../test/harness/electronDouble.ts';
import { createHiddenRenderer } from './hiddenRenderer.ts';

vi.mock('electron', () => import('../../../../test/harness/electronDouble.ts'));

const files = fileURLToPath(new URL('../../../renderer/', import.meta.url)); // any folder of page files
const renderer = createHiddenRenderer('run.cjs', files);
beforeEach(() => {
  double.windows.length = 0;
  double.recorded.length = 0;
});

async function open() {
  const page = await renderer.open();
  const window = double.windows[0]!;
  const { channel, ports } = window.webContents.posted[0]!;
  return { window, page, channel, port: ports[0]!, own: window.options.webPreferences['session'] as double.OwnSession };
}

test('a page of a run is hidden, sandboxed and isolated, with a session of its own that is never written', async () => {
  const first = await open();
  expect(first.window.options).toMatchObject({
    show: false,
    webPreferences: {
      preload: 'run.cjs',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
    },
  });
  expect(first.own.partition).not.toMatch(/^persist:/);
  double.windows.length = 0;
  expect((await open()).own.partition).not.toBe(first.own.partition);
});

test('nothing but our own scheme is loaded, and nothing is permitted', async () => {
  const { own, window } = await open();
  const cancelled = (url: string): boolean => {
    let answer = false;
    own.filter!({ url }, ({ cancel }) => (answer = cancel));
    return answer;
  };
  expect(cancelled('handrail-run://run/run-worker.js')).toBe(false);
  for (const url of [
    'https://example.com/',
    'handrail://app/index.html',
    'handrail-run://other/',
    'file:///etc/passwd',
    'ws://127.0.0.1:1/',
  ])
    expect(cancelled(url), url).toBe(true);
  own.request!(null, 'media', (allowed) => expect(allowed).toBe(false));
  expect(own.check!()).toBe(false);
  expect(window.webContents.openHandler?.({ url: 'https://example.com' })).toEqual({ action: 'deny' });
  const preventDefault = vi.fn();
  window.webContents.emit('will-navigate', { url: 'handrail-run://run/', preventDefault });
  expect(preventDefault).toHaveBeenCalledOnce();
});

test('the scheme gives the page and scripts under the strict policy, and nothing else', async () => {
  const { own } = await open();
  const get = (path: string): Promise<Response> => own.schemes.get('handrail-run')!(new Request(`handrail-run://run${path}`));
  const page = await get('/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'none'");
  expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  expect(await page.text()).toContain('/run-page.js');
  for (const path of ['/index.html', '/../package.json', '/nothing.js', '/%00.js']) expect((await get(path)).status, path).toBe(404);
});

test('messages pass over one port; to kill ends the renderer process, the window and the port', async () => {
  const { page, port, channel, window } = await open();
  expect(channel).toBe('handrail:run');
  const heard: unknown[] = [];
  page.onMessage((message) => heard.push(message));
  port.on('message', ({ data }: { data: unknown }) => port.postMessage({ t: 'exit', code: 0, echo: data }));
  port.start();
  page.send({ t: 'input', bytes: new Uint8Array([1]) });
  await vi.waitFor(() => expect(heard).toMatchObject([{ t: 'exit', code: 0 }]));
  const gone = vi.fn();
  page.onGone(gone);
  page.kill();
  page.kill();
  expect(double.calledWith('forcefullyCrashRenderer')).toHaveLength(1);
  expect(window.destroyed).toBe(true);
  expect(gone).toHaveBeenCalledOnce();
  page.send({ t: 'input', bytes: new Uint8Array([2]) }); // into nothing
});
