import { ipcMain, MessageChannelMain, type IpcMainInvokeEvent, type MessagePortMain, type WebContents } from 'electron';
import { randomUUID } from 'node:crypto';
import type { CoreApi } from '../../../shared/contracts/api.ts';
import { HandrailError } from '../../../shared/errors.ts';
import type { Wire } from '../../../shared/rpcMessages.ts';
import { serveApi } from '../serveApi.ts';
import { pageOrigin } from './pageScheme.ts';

/** Hands a port to the page of our own window, and to nobody else; every later message goes over that port. */
export function connectPage(api: CoreApi, watch: { joined(wire: Wire): void }, ours: () => WebContents | null): void {
  ipcMain.handle('handrail:connect', (event) => {
    const fault = faultOfSender(event, ours());
    if (fault !== null) throw new HandrailError('POLICY_TOKEN', { detail: { reason: fault } });
    const { port1, port2 } = new MessageChannelMain();
    const wire = portWire(port1);
    watch.joined(wire);
    serveApi(wire, api, { door: 'electron', client: randomUUID() });
    port1.start();
    event.sender.postMessage('handrail:port', null, [port2]);
  });
}

export function faultOfSender(event: Pick<IpcMainInvokeEvent, 'senderFrame' | 'sender'>, ours: WebContents | null): string | null {
  if (!event.senderFrame) return 'its frame is gone';
  if (!event.senderFrame.url.startsWith(`${pageOrigin}/`)) return 'it comes from another page';
  if (event.senderFrame.parent !== null) return 'it comes from a frame inside the page';
  if (ours === null || event.sender !== ours) return 'it comes from another window';
  return null;
}

function portWire(port: MessagePortMain): Wire {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', (event) => listener(event.data)),
    onClose: (listener) => void port.on('close', () => listener('the page is gone')),
    close: () => port.close(),
  };
}
