/**
 * A recording double of the parts of `electron` that our entry uses. It runs the handlers it is given for real (scheme,
 * ipc, ports over a MessageChannel) and records every call, so that a test can ask what the entry did. What it cannot
 * show is whether Electron honours it: for that there is the real-Electron test, where the binary is.
 */
import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

export type Recorded = { what: string; args: unknown[] };
export const recorded: Recorded[] = [];
export const calledWith = (what: string): unknown[][] => recorded.filter((entry) => entry.what === what).map((entry) => entry.args);
const record =
  (what: string) =>
  (...args: unknown[]): undefined => {
    recorded.push({ what, args });
    return undefined;
  };

export class DoublePort extends EventEmitter {
  private readonly real: MessagePort;
  constructor(real: MessagePort) {
    super();
    this.real = real;
    real.on('message', (data: unknown) => this.emit('message', { data, ports: [] }));
    real.on('close', () => this.emit('close'));
  }
  start(): void {
    this.real.start();
  }
  postMessage(message: unknown): void {
    this.real.postMessage(message);
  }
  close(): void {
    this.real.close();
  }
}
export class MessageChannelMain {
  readonly port1: DoublePort;
  readonly port2: DoublePort;
  constructor() {
    const channel = new MessageChannel();
    this.port1 = new DoublePort(channel.port1);
    this.port2 = new DoublePort(channel.port2);
    channel.port2.unref();
  }
}

type Posted = { channel: string; message: unknown; ports: DoublePort[] };
export class WebContents extends EventEmitter {
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
  readonly posted: Posted[] = [];
  postMessage(channel: string, message: unknown, ports: DoublePort[]): void {
    this.posted.push({ channel, message, ports });
    this.emit('double:posted', { channel, message, ports } satisfies Posted);
  }
  /** As Electron does: the process is gone, and says so. */
  forcefullyCrashRenderer(): void {
    record('forcefullyCrashRenderer')();
    this.emit('render-process-gone', {}, { reason: 'crashed' });
  }
}

export const windows: BrowserWindow[] = [];
export class BrowserWindow extends EventEmitter {
  readonly webContents = new WebContents();
  url = '';
  focused = true;
  destroyed = false;
  readonly options: { webPreferences: Record<string, unknown> } & Record<string, unknown>;
  constructor(options: BrowserWindow['options']) {
    super();
    this.options = options;
    windows.push(this);
  }
  loadURL(url: string): Promise<void> {
    this.url = url;
    return Promise.resolve();
  }
  isDestroyed = (): boolean => this.destroyed;
  destroy(): void {
    this.destroyed = true;
    this.emit('closed');
  }
  show = record('window.show');
  focus = record('window.focus');
  restore = record('window.restore');
  flashFrame = record('window.flashFrame');
  isMinimized = (): boolean => false;
  isFocused = (): boolean => this.focused;
}

class App extends EventEmitter {
  firstInstance = true;
  whenReady = (): Promise<void> => Promise.resolve();
  requestSingleInstanceLock = (): boolean => this.firstInstance;
  getLocale = (): string => 'en-US';
  exit = record('app.exit');
  /** As Electron does: `before-quit` may put it off. */
  quit = (): void => {
    record('app.quit')();
    this.emit('before-quit', { preventDefault: record('before-quit.preventDefault') });
  };
}
export const app = new App();

export class Notification extends EventEmitter {
  static isSupported = (): boolean => true;
  readonly options: Record<string, unknown>;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    notes.push(this);
  }
  show = record('note.show');
  close = record('note.close');
}
export const notes: Notification[] = [];

type Handler = (event: unknown, ...args: unknown[]) => unknown;
export const handlers = new Map<string, Handler>();
export const ipcMain = { handle: (channel: string, handler: Handler): void => void handlers.set(channel, handler) };

export const schemes = new Map<string, (request: Request) => Promise<Response>>();
let isReady = false;
export const protocol = {
  registerSchemesAsPrivileged: (list: unknown[]): void => record('registerSchemesAsPrivileged')(list, isReady),
  handle: (scheme: string, handler: (request: Request) => Promise<Response>): void => {
    isReady = true;
    schemes.set(scheme, handler);
  },
};

type Answer = (contents: unknown, permission: string, answer: (allowed: boolean) => void) => void;
export const permissions: { request: Answer | null; check: (() => boolean) | null; device: (() => boolean) | null } = {
  request: null,
  check: null,
  device: null,
};
type Filter = (details: { url: string }, reply: (answer: { cancel: boolean }) => void) => void;
export class OwnSession {
  readonly partition: string;
  readonly schemes = new Map<string, (request: Request) => Promise<Response>>();
  readonly protocol = {
    handle: (scheme: string, handler: (request: Request) => Promise<Response>): void => void this.schemes.set(scheme, handler),
  };
  readonly webRequest = { onBeforeRequest: (filter: Filter): void => void (this.filter = filter) };
  filter: Filter | null = null;
  request: Answer | null = null;
  check: (() => boolean) | null = null;
  constructor(partition: string) {
    this.partition = partition;
  }
  setPermissionRequestHandler(handler: Answer): void {
    this.request = handler;
  }
  setPermissionCheckHandler(handler: () => boolean): void {
    this.check = handler;
  }
  setDevicePermissionHandler(): void {}
}
export const session = {
  fromPartition: (partition: string): OwnSession => new OwnSession(partition),
  defaultSession: {
    setPermissionRequestHandler: (handler: Answer): void => void (permissions.request = handler),
    setPermissionCheckHandler: (handler: () => boolean): void => void (permissions.check = handler),
    setDevicePermissionHandler: (handler: () => boolean): void => void (permissions.device = handler),
  },
};
export const powerMonitor = new EventEmitter();
export const dialog = { showErrorBox: record('showErrorBox') };
