import { BrowserWindow, MessageChannelMain, session } from 'electron';
import { randomUUID } from 'node:crypto';
import {
  hiddenPageHeaders,
  hiddenPageHtml,
  type FromPage,
  type HiddenPage,
  type HiddenRenderer,
} from '../../../shared/contracts/hiddenPage.ts';
import { readPageFile } from '../pageFiles.ts';
import { lockedPage } from './lockedPage.ts';

export const runScheme = 'handrail-run';
const origin = `${runScheme}://run`;

/**
 * Hidden pages for programs: each in a sandboxed renderer process of its own, without Node, with a session of its own that is in
 * memory only, and with nothing to load but our two scripts. `files` is the folder of the built page.
 */
export function createHiddenRenderer(preload: string, files: string): HiddenRenderer {
  return {
    async open(): Promise<HiddenPage> {
      const own = session.fromPartition(`run-${randomUUID()}`, { cache: false }); // without "persist:" it is never written
      own.protocol.handle(runScheme, (request) => answer(request, files));
      own.setPermissionRequestHandler((_contents, _permission, reply) => reply(false));
      own.setPermissionCheckHandler(() => false);
      own.setDevicePermissionHandler(() => false);
      own.webRequest.onBeforeRequest((details, reply) => reply({ cancel: !details.url.startsWith(`${origin}/`) }));
      const window = new BrowserWindow({
        show: false,
        webPreferences: {
          preload,
          session: own,
          ...lockedPage,
          backgroundThrottling: false, // it is never visible
        },
      });
      return connect(window);
    },
  };
}

async function connect(window: BrowserWindow): Promise<HiddenPage> {
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'] as const)
    webContents.on(event as 'will-navigate', (details: { preventDefault(): void }) => details.preventDefault());
  try {
    await window.loadURL(`${origin}/`);
  } catch (error) {
    window.destroy();
    throw error;
  }
  const { port1, port2 } = new MessageChannelMain();
  let gone = false;
  let onGone: () => void = () => undefined;
  const end = (): void => {
    if (gone) return;
    gone = true;
    port1.close();
    if (!window.isDestroyed()) window.destroy();
    onGone();
  };
  webContents.once('render-process-gone', end);
  window.once('closed', end);
  webContents.postMessage('handrail:run', null, [port2]);
  return {
    send: (message) => {
      if (!gone) port1.postMessage(message);
    },
    onMessage(listener) {
      port1.on('message', ({ data }: { data: unknown }) => listener(data as FromPage));
      port1.start();
    },
    onGone(listener) {
      onGone = listener;
      if (gone) listener();
    },
    /** A program that spins in its worker hears nothing; the process of the page is ended, and then the window. */
    kill() {
      if (!gone) webContents.forcefullyCrashRenderer();
    },
  };
}

async function answer(request: Request, files: string): Promise<Response> {
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.host !== 'run') return new Response(null, { status: 404, headers: hiddenPageHeaders });
  if (url.pathname === '/')
    return new Response(hiddenPageHtml, { headers: { ...hiddenPageHeaders, 'content-type': 'text/html; charset=utf-8' } });
  const file = url.pathname.endsWith('.js') ? await readPageFile(files, url.pathname) : null;
  return file === null
    ? new Response(null, { status: 404, headers: hiddenPageHeaders })
    : new Response(new Uint8Array(file.body), { headers: { ...hiddenPageHeaders, 'content-type': file.type } });
}
