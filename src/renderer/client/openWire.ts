import { HandrailError } from '../../shared/errors.ts';
import { decodeFrame, encodeFrame } from '../../shared/rpcFrame.ts';
import type { Wire } from '../../shared/rpcMessages.ts';

/** What the preload shows of itself; the port it asks for arrives as a message of this very window. */
export type Bridge = { readonly host: 'electron'; connect(): Promise<void> };
declare global {
  interface Window {
    readonly handrail?: Bridge;
  }
}

/** The only place where window and page differ. */
export function openWire(): Promise<Wire> {
  return window.handrail ? openPort(window.handrail) : openSocket();
}

async function openPort(bridge: Bridge): Promise<Wire> {
  const arrived = new Promise<MessagePort>((resolve) => {
    const onMessage = (event: MessageEvent): void => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== 'handrail:port' || !port) return;
      window.removeEventListener('message', onMessage);
      resolve(port);
    };
    window.addEventListener('message', onMessage);
  });
  await bridge.connect();
  const port = await arrived;
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.onmessage = (event: MessageEvent) => listener(event.data);
    },
    onClose: (listener) => port.addEventListener('close', () => listener('the program ended')),
    close: () => port.close(),
  };
}

const tokenKey = 'handrail.token';

/** The token comes in the fragment, which is never sent, and leaves the address bar at once. */
function token(): string {
  const inAddress = new URLSearchParams(location.hash.slice(1)).get('t');
  if (inAddress) {
    sessionStorage.setItem(tokenKey, inAddress);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return inAddress ?? sessionStorage.getItem(tokenKey) ?? '';
}

async function openSocket(): Promise<Wire> {
  const socket = new WebSocket(`ws://${location.host}/rpc`, ['handrail.v1', `t.${token()}`]);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => void whyRefused().then(reject);
  });
  return {
    send: (message) => socket.send(encodeFrame(message) as Uint8Array<ArrayBuffer>),
    onMessage: (listener) => {
      socket.onmessage = (event: MessageEvent<ArrayBuffer>) => {
        let message: unknown;
        try {
          message = decodeFrame(new Uint8Array(event.data));
        } catch (error) {
          return listener(undefined, String(error));
        }
        listener(message);
      };
    },
    onClose: (listener) => {
      socket.onclose = (event) => listener(event.reason || `code ${event.code}`);
    },
    close: () => socket.close(),
  };
}

/** A browser does not say why a socket was refused; whether the page itself still comes tells the two cases apart. */
async function whyRefused(): Promise<HandrailError> {
  const alive = await fetch('/index.html', { cache: 'no-store' }).then(
    (answer) => answer.ok,
    () => false,
  );
  return alive
    ? new HandrailError('POLICY_TOKEN', { detail: { reason: 'its token is missing or from another start' } })
    : new HandrailError('PORT_HOST_CLOSED', { detail: { reason: 'Handrail is not running' } });
}
