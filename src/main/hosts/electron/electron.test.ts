import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as double from '../../../../test/harness/electronDouble.ts';
import { connectRpc } from '../../../shared/rpcClient.ts';
import type { Wire } from '../../../shared/rpcMessages.ts';

vi.mock('electron', () => import('../../../../test/harness/electronDouble.ts'));

const data = mkdtempSync(join(tmpdir(), 'handrail-window-'));
let window: double.BrowserWindow;

beforeAll(async () => {
  process.argv.push('--data', data);
  await import('./index.ts'); // the real entry, as Electron would load it
  const main = (): double.BrowserWindow | undefined => double.windows.find(({ url }) => url === 'handrail://app/index.html');
  await vi.waitFor(() => expect(main()).toBeDefined(), { timeout: 15_000 });
  window = main()!;
}, 20_000);
afterAll(async () => {
  const before = double.calledWith('app.quit').length;
  double.app.emit('window-all-closed');
  // First the core is taken down, then it quits for good: two calls, the first one put off.
  await vi.waitFor(() => expect(double.calledWith('app.quit').length).toBe(before + 2), { timeout: 15_000 });
  expect(double.calledWith('before-quit.preventDefault')).toHaveLength(1);
  rmSync(data, { recursive: true, force: true });
}, 20_000);

const ours = { url: 'handrail://app/index.html', parent: null };
const connect = (senderFrame: unknown, sender: unknown = window.webContents): unknown =>
  double.handlers.get('handrail:connect')!({ senderFrame, sender });
function portWire(port: double.DoublePort): Wire {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', (event: { data: unknown }) => listener(event.data)),
    onClose: (listener) => void port.on('close', () => listener('closed')),
    close: () => port.close(),
  };
}

test('the page runs sandboxed and isolated, without Node, webviews or dropped navigation', () => {
  expect(window.options.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
    navigateOnDragDrop: false,
    allowRunningInsecureContent: false,
    spellcheck: false,
  });
  expect(window.options.webPreferences['preload']).toMatch(/out[\\/]preload[\\/]index\.cjs$/);
});

test('the scheme is made a real origin before the app is ready', () => {
  const [[list, wasReady]] = double.calledWith('registerSchemesAsPrivileged') as [[{ scheme: string; privileges: object }[], boolean]];
  expect(wasReady).toBe(false);
  expect(list).toEqual([
    { scheme: 'handrail', privileges: { standard: true, secure: true, supportFetchAPI: true } },
    { scheme: 'handrail-run', privileges: { standard: true, secure: true } },
  ]);
});

test('no window is opened, no page is left, no webview attached', () => {
  expect(window.webContents.openHandler?.({ url: 'https://example.com' })).toEqual({ action: 'deny' });
  for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
    for (const [url, stays] of [
      ['https://example.com/', true],
      ['file:///etc/passwd', true],
      ['handrail://application/x', true],
      ['handrail://app/index.html', false],
    ] as const) {
      const preventDefault = vi.fn();
      window.webContents.emit(name, { url, preventDefault });
      expect(preventDefault, `${name} ${url}`).toHaveBeenCalledTimes(stays ? 1 : 0);
    }
  }
  const preventDefault = vi.fn();
  window.webContents.emit('will-attach-webview', { preventDefault });
  expect(preventDefault).toHaveBeenCalledOnce();
});

test('every permission is refused', () => {
  const answer = vi.fn();
  for (const permission of ['media', 'serial', 'clipboard-read', 'notifications', 'geolocation'])
    double.permissions.request!(window.webContents, permission, answer);
  expect(answer.mock.calls.flat()).toEqual([false, false, false, false, false]);
  expect(double.permissions.check!()).toBe(false);
  expect(double.permissions.device!()).toBe(false);
});

test.each([
  'handrail://app/../../package.json',
  'handrail://app/%2e%2e/%2e%2e/package.json',
  'handrail://app/..%2f..%2fpackage.json',
  'handrail://other/index.html',
  'handrail://app/missing.js',
])('%s is not served', async (url) => {
  const answer = await double.schemes.get('handrail')!(new Request(url));
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test.each<[string, unknown]>([
  ['another page', { url: 'https://example.com/', parent: null }],
  ['a name that only begins like ours', { url: 'handrail://app.evil/index.html', parent: null }],
  ['a frame inside the page', { url: 'handrail://app/index.html', parent: {} }],
  ['a frame that is gone', null],
])('a port is refused to %s', (_who, frame) => {
  expect(() => connect(frame)).toThrow(expect.objectContaining({ code: 'POLICY_TOKEN' }) as Error);
});

test('a port is refused to another window', () => {
  expect(() => connect(ours, new double.WebContents())).toThrow(expect.objectContaining({ code: 'POLICY_TOKEN' }) as Error);
});

test('our page gets one port, and the whole table answers over it', async () => {
  const posted = new Promise<{ channel: string; ports: double.DoublePort[] }>((resolve) =>
    window.webContents.once('double:posted', resolve),
  );
  connect(ours);
  const { channel, ports } = await posted;
  expect([channel, ports.length]).toEqual(['handrail:port', 1]);
  const client = connectRpc(portWire(ports[0]!));
  ports[0]!.start();
  expect(await client.call('app.info', {})).toMatchObject({ door: 'electron', dataFolder: data });
  expect((await client.call('plant.get', {})).tags.length).toBeGreaterThan(30);
  for await (const batch of client.stream('readings', { tags: ['boiler_temp'], hz: 10 })) {
    expect(batch.values).toBeInstanceOf(Float64Array);
    if (Number.isFinite(batch.values[0])) break;
  }
  await expect(client.call('session.events', { sessionId: '' })).rejects.toMatchObject({ code: 'ARGS_INVALID' });

  await client.call('arming.arm', { devices: ['plc1'], minutes: 5, reason: 'test', operator: 'wang.lei' });
  const armed = client.stream('arming', {})[Symbol.asyncIterator]();
  expect((await armed.next()).value).toHaveLength(1);
  double.powerMonitor.emit('lock-screen');
  expect((await armed.next()).value).toEqual([]);
  client.close();
});

test('a second start brings the first window to the front', () => {
  const before = double.calledWith('window.focus').length;
  double.app.emit('second-instance');
  expect(double.calledWith('window.focus').length).toBe(before + 1);
});

test('a waiting approval gives a note when the window is behind, and the note only shows the window', async () => {
  const { noteApprovals } = await import('./approvalNotes.ts');
  const { createFakeCore } = await import('../../../../test/harness/fakeCore.ts');
  const core = createFakeCore();
  const person = { signal: new AbortController().signal, door: 'electron', client: 'test' } as const;
  const front = vi.fn();
  window.focused = false;
  const notes = noteApprovals(core.api, { lang: () => 'zh', window: () => window as never, front });
  await core.api.calls['arming.arm']({ devices: ['pump2'], minutes: 5, reason: 'x', operator: 'y' }, person);
  const turn = core.api.calls['turn.ask']({ sessionId: 's', text: 'set to 42' }, person);
  await vi.waitFor(() => expect(double.notes).toHaveLength(1));
  expect(double.notes[0]!.options['title']).toBe('有一项写入等待你决定');
  double.notes[0]!.emit('click');
  expect(front).toHaveBeenCalledOnce();
  expect(core.approvals).toEqual([]);
  await core.api.calls['turn.stop']({ sessionId: 's' }, person);
  await turn;
  await vi.waitFor(() => expect(double.calledWith('note.close').length).toBe(1));
  notes.stop();
  core.close();
});
