import { createServer, type Server, type Socket } from 'node:net';
import { decodeRtuRequest, decodeTcp } from '../../src/main/devices/index.ts';
import { openPtyLine, type PtyLine } from '../harness/ptyLine.ts';
import type { ServerStep } from './lineFaultFormat.ts';

export type Reply = { send(bytes: Uint8Array): void; do(what: NonNullable<ServerStep['do']>): void | Promise<void> };
/** A whole request as the peer saw it. */
export type Seen = { bytes: Buffer; tid: number | null; address: number; quantity: number; reply: Reply };

/** The far end of a wire: it notes every byte, cuts them into requests and hands those to `onRequest`. */
export type Peer = {
  readonly path: string;
  readonly port: number;
  received: Buffer;
  requests: number;
  onRequest: (seen: Seen) => void;
  close(): Promise<void>;
};

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Plays the scripted chunks one after the other; `after_ms` counts from the chunk before. */
export async function play(steps: readonly ServerStep[], seen: Seen): Promise<void> {
  for (const step of steps) {
    await sleep(step.after_ms ?? 0);
    if (step.hex !== undefined) {
      const bytes = Buffer.from(fillTid(step.hex, seen.tid ?? 0), 'hex');
      const size = step.split ?? bytes.length;
      const start = performance.now(); // pieces keep to their own schedule: on a busy machine a chain of sleeps would stretch the gaps
      for (let at = 0; at < bytes.length; at += size) {
        if (at > 0) await sleep(Math.max(0, start + (at / size) * (step.gap_ms ?? 0) - performance.now()));
        seen.reply.send(bytes.subarray(at, at + size));
      }
    }
    if (step.do) await seen.reply.do(step.do);
  }
}

/** How long these steps take by the script. */
export const lengthMs = (steps: readonly ServerStep[]): number =>
  steps.reduce((sum, { after_ms = 0, hex = '', split, gap_ms = 0 }) => {
    const bytes = hex.replace(/<tid[^>]*>/g, '0000').length / 2;
    return sum + after_ms + (split === undefined ? 0 : Math.max(0, Math.ceil(bytes / split) - 1) * gap_ms);
  }, 0);

/** `<tid>` is the id of this request, `<tid+N>` and `<tid-N>` its neighbours modulo 65536. */
export const fillTid = (hex: string, tid: number): string =>
  hex.replace(/<tid([+-]\d+)?>/g, (_, delta: string | undefined) =>
    ((tid + Number(delta ?? 0) + 65536 * 4) & 0xffff).toString(16).padStart(4, '0'),
  );

export async function tcpPeer(): Promise<Peer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    let isDeaf = false;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const reply: Reply = {
      send: (bytes) => {
        if (!isDeaf && !socket.destroyed && socket.writable) socket.write(bytes);
      },
      do(what) {
        if (what === 'rst') socket.resetAndDestroy();
        else if (what === 'fin') socket.end();
        else if (what === 'deaf') isDeaf = true;
      },
    };
    socket.on('data', (bytes) => {
      peer.received = Buffer.concat([peer.received, bytes]);
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        const decoded = decodeTcp(pending, 2);
        if (decoded.kind !== 'frame') break;
        const frame = pending.subarray(decoded.start, decoded.end);
        pending = pending.subarray(decoded.end);
        peer.requests++;
        if (!isDeaf) peer.onRequest(seenOf(frame, decoded.pdu, decoded.transactionId, reply));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const peer: Peer = {
    path: '',
    port: typeof address === 'object' && address ? address.port : 0,
    received: Buffer.alloc(0),
    requests: 0,
    onRequest: () => undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return peer;
}

export async function rtuPeer(): Promise<Peer> {
  const line: PtyLine = await openPtyLine();
  let pending = Buffer.alloc(0);
  const reply: Reply = {
    send: (bytes) => line.send(bytes),
    do: (what) => (what === 'line_down' ? line.down() : what === 'line_up' ? line.up() : undefined),
  };
  const peer: Peer = {
    path: line.path,
    port: 0,
    received: Buffer.alloc(0),
    requests: 0,
    onRequest: () => undefined,
    close: () => line.close(),
  };
  line.onBytes = (bytes) => {
    peer.received = Buffer.concat([peer.received, bytes]);
    pending = Buffer.concat([pending, bytes]);
    for (;;) {
      const decoded = decodeRtuRequest(pending);
      if (decoded.kind === 'incomplete') break;
      if (decoded.kind === 'garbage') {
        pending = pending.subarray(decoded.skip);
        if (pending.length === 0) break;
        continue;
      }
      const frame = pending.subarray(decoded.start, decoded.end);
      pending = pending.subarray(decoded.end);
      peer.requests++;
      peer.onRequest(seenOf(frame, decoded.pdu, null, reply));
    }
  };
  return peer;
}

function seenOf(frame: Buffer, pdu: Uint8Array, tid: number | null, reply: Reply): Seen {
  const at = (index: number): number => ((pdu[index] ?? 0) << 8) | (pdu[index + 1] ?? 0);
  return { bytes: Buffer.from(frame), tid, address: at(1), quantity: at(3), reply };
}
