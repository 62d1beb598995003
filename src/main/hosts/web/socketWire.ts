import type { WebSocket } from 'ws';
import { decodeFrame, encodeFrame } from '../../../shared/rpcFrame.ts';
import type { Wire } from '../../../shared/rpcMessages.ts';

/** Streams are paced by credit; a page that does not even read its socket is let go before it fills our memory. */
const mostBufferedBytes = 64 * 1024 * 1024;

export function socketWire(socket: WebSocket): Wire {
  return {
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > mostBufferedBytes) return socket.terminate();
      socket.send(encodeFrame(message));
    },
    onMessage(listener) {
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (!isBinary) return listener(undefined, 'it is text, not a frame');
        let message: unknown;
        try {
          message = decodeFrame(data);
        } catch (error) {
          return listener(undefined, `it is no frame of ours: ${error instanceof Error ? error.message : String(error)}`);
        }
        listener(message);
      });
    },
    onClose(listener) {
      socket.on('close', (code) => listener(`code ${code}`));
      // A socket error (oversized frame, reset) is followed by close; unheard it would end the process.
      socket.on('error', () => undefined);
    },
    close: () => socket.close(1008, 'unusable messages'),
  };
}
