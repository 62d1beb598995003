import type { FrameRecord } from '../../shared/contracts/devices.ts';
import { crcFits } from './framing/checksum.ts';
import { decodeTcp } from './framing/tcp.ts';

/**
 * Traffic as a pcap file for Wireshark and tshark. Each frame becomes one TCP segment inside IPv4 (link type "raw IP"), each
 * connection a conversation of its own between 10.0.0.254 and 10.0.0.N. Modbus/TCP uses port 502 and is dissected at once;
 * what came from a serial line uses port 5020 (RTU: "decode as" mbrtu) or 5021 (ASCII), with the bytes as they were.
 */
export const pcapPorts = { tcp: 502, rtu: 5020, ascii: 5021 } as const;
const linkTypeRawIp = 101;
const clientPort = 40_000;

type Flow = { server: number; port: number; client: number; sent: number; received: number };

export function framesToPcap(frames: readonly FrameRecord[]): Uint8Array {
  const flows = new Map<string, Flow>();
  const kinds = kindsOf(frames);
  const parts: Uint8Array[] = [fileHeader()];
  const first = frames[0];
  const startMs = first ? Date.parse(first.at) : 0;
  for (const frame of frames) {
    let flow = flows.get(frame.connection);
    if (!flow) {
      const index = flows.size;
      flow = {
        server: 1 + (index % 250),
        port: pcapPorts[kinds.get(frame.connection) ?? 'tcp'],
        client: clientPort + index,
        sent: 1,
        received: 1,
      };
      flows.set(frame.connection, flow);
    }
    // `t` is finer than the clock and never runs back; both start at the first frame.
    const packet = segment(flow, frame);
    parts.push(packetHeader(startMs + (frame.t - first!.t), packet.length), packet);
  }
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** What a connection speaks is told from what we sent on it. */
function kindsOf(frames: readonly FrameRecord[]): Map<string, keyof typeof pcapPorts> {
  const kinds = new Map<string, keyof typeof pcapPorts>();
  for (const { connection, direction, bytes } of frames) {
    if (direction !== 'tx' || kinds.has(connection)) continue;
    const decoded = decodeTcp(bytes, 2);
    kinds.set(
      connection,
      decoded.kind === 'frame' && decoded.end === bytes.length ? 'tcp' : crcFits(bytes) ? 'rtu' : bytes[0] === 0x3a ? 'ascii' : 'rtu',
    );
  }
  return kinds;
}

function fileHeader(): Uint8Array {
  const header = new Uint8Array(24);
  const view = new DataView(header.buffer);
  view.setUint32(0, 0xa1b2c3d4, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, 65_535, true);
  view.setUint32(20, linkTypeRawIp, true);
  return header;
}

function packetHeader(ms: number, length: number): Uint8Array {
  const header = new Uint8Array(16);
  const view = new DataView(header.buffer);
  const micros = Math.round(ms * 1000);
  view.setUint32(0, Math.floor(micros / 1_000_000), true);
  view.setUint32(4, micros % 1_000_000, true);
  view.setUint32(8, length, true);
  view.setUint32(12, length, true);
  return header;
}

function segment(flow: Flow, frame: FrameRecord): Uint8Array {
  const isOut = frame.direction === 'tx';
  const packet = new Uint8Array(40 + frame.bytes.length);
  const view = new DataView(packet.buffer);
  packet[0] = 0x45;
  view.setUint16(2, packet.length);
  packet[8] = 64;
  packet[9] = 6;
  packet.set([10, 0, 0, isOut ? 254 : flow.server, 10, 0, 0, isOut ? flow.server : 254], 12);
  view.setUint16(10, checksum(packet, 0, 20, 0));
  view.setUint16(20, isOut ? flow.client : flow.port);
  view.setUint16(22, isOut ? flow.port : flow.client);
  view.setUint32(24, isOut ? flow.sent : flow.received);
  view.setUint32(28, isOut ? flow.received : flow.sent);
  packet[32] = 0x50;
  packet[33] = 0x18; // PSH, ACK
  view.setUint16(34, 0xffff);
  packet.set(frame.bytes, 40);
  const pseudo = 0x0a00 * 2 + ((packet[14]! << 8) | packet[15]!) + ((packet[18]! << 8) | packet[19]!) + 6 + (packet.length - 20);
  view.setUint16(36, checksum(packet, 20, packet.length, pseudo));
  if (isOut) flow.sent = (flow.sent + frame.bytes.length) >>> 0;
  else flow.received = (flow.received + frame.bytes.length) >>> 0;
  return packet;
}

function checksum(bytes: Uint8Array, start: number, end: number, from: number): number {
  let sum = from;
  for (let i = start; i < end; i += 2) sum += (bytes[i]! << 8) | (i + 1 < end ? bytes[i + 1]! : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
