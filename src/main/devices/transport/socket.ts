import { connect } from 'node:net';
import type { Failure } from '../line/transaction.ts';
import { OpenFailure, type Transport, type TransportEvents } from './transport.ts';

/** A peer that takes the connection and resets it at once is there: many serve one client and turn the next away like this. */
const openFailures: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: 'CONNECT_REFUSED',
  ETIMEDOUT: 'CONNECT_TIMEOUT',
  ECONNRESET: 'CONNECTION_CLOSED',
};

export function openSocket(target: { host: string; port: number; timeoutMs: number }, events: TransportEvents): Promise<Transport> {
  return new Promise((resolve, reject) => {
    let isOpen = false;
    let isOver = false;
    let reason = 'the peer closed the connection';
    const socket = connect({
      host: target.host,
      port: target.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 10_000,
      // One buffer for all reads: half the garbage of the default at 25,000 answers a second.
      onread: {
        buffer: new Uint8Array(65_536), // not a Buffer: its slice() would be a view of bytes that change
        callback(count, buffer) {
          if (!isOver) events.data(buffer.subarray(0, count));
          return true;
        },
      },
    });
    const deadline = setTimeout(() => {
      isOver = true;
      socket.destroy();
      reject(new OpenFailure('CONNECT_TIMEOUT', `no connection within ${target.timeoutMs} ms`));
    }, target.timeoutMs);
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      socket.destroy();
      if (isOpen) events.closed(reason);
    };
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.message;
      if (!isOpen && !isOver) {
        isOver = true;
        clearTimeout(deadline);
        reject(new OpenFailure(openFailures[error.code ?? ''] ?? 'PORT_OPEN_FAILED', error.message, error));
        return;
      }
      end();
    });
    socket.on('end', end);
    socket.on('close', end);
    socket.on('connect', () => {
      if (isOver) return;
      isOpen = true;
      clearTimeout(deadline);
      resolve({
        write(bytes) {
          if (isOver || !socket.writable) throw new Error('the connection is closed');
          socket.write(bytes);
        },
        destroy() {
          isOver = true;
          socket.destroy();
        },
      });
    });
  });
}
