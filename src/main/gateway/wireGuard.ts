import { AsyncLocalStorage } from 'node:async_hooks';
import { HandrailError } from '../../shared/errors.ts';
import { effectOfFunction } from '../../shared/modbus/index.ts';
import type { Devices, WireReply, WireRequest } from '../../shared/contracts/devices.ts';
import type { RecordedFrame } from '../../shared/contracts/record.ts';

/** Frames and checksum verdict of one call, gathered while it runs. */
export type CallFrames = { frames: RecordedFrame[]; crcValid: boolean | null; dropped: number };
export const newCallFrames = (): CallFrames => ({ frames: [], crcValid: null, dropped: 0 });

const maxFrames = 64;
const current = new AsyncLocalStorage<CallFrames>();
/** Runs a call so that its requests leave their frames with it, however deep they are made. */
export const collectFrames = <T>(into: CallFrames, run: () => Promise<T>): Promise<T> => current.run(into, run);

/** Whether a request only reads; what is not known to read counts as a write. A request for identification is FC43 with MEI type 14. */
export const onlyReads = (request: Pick<WireRequest, 'functionCode' | 'subFunction' | 'deviceId'>): boolean =>
  effectOfFunction(request.functionCode, request.subFunction ?? (request.functionCode === 43 ? 14 : undefined)) === 'read';

export type WireGuard = {
  /** For everybody: reads only. */
  reading: Devices;
  /** The one writing end; only the gateway is given it. */
  writing: { request(request: WireRequest): Promise<WireReply> };
};

/** Splits the devices in a reading and a writing end, below every tool: what cannot be reached cannot be misused. */
export function guardWires(devices: Devices): WireGuard {
  const request = async (wanted: WireRequest): Promise<WireReply> => {
    const into = current.getStore();
    const startedAt = performance.now();
    const note = (parts: Partial<RecordedFrame> & Pick<RecordedFrame, 'direction' | 'hex'>): void =>
      keep(into!, {
        at: new Date().toISOString(),
        t: parts.direction === 'tx' ? startedAt : performance.now(),
        connection: wanted.connection,
        verdict: 'ok',
        crc_valid: null,
        note: null,
        ...parts,
      });
    try {
      const reply = await devices.request(wanted);
      if (into !== undefined) {
        note({ direction: 'tx', hex: hex(reply.tx) });
        if (reply.rx !== null) note({ direction: 'rx', hex: hex(reply.rx), crc_valid: reply.crcValid });
      }
      return reply;
    } catch (error) {
      if (into !== undefined) {
        const { tx, rx, code, crcValid } = framesOf(error);
        note({ direction: 'tx', hex: tx });
        note({ direction: 'rx', hex: rx, verdict: verdictOf(code), crc_valid: crcValid, note: code });
      }
      throw error;
    }
  };
  const reading: Devices = {
    configure: (connections) => devices.configure(connections),
    connections: () => devices.connections(),
    health: () => devices.health(),
    onHealth: (listener) => devices.onHealth(listener),
    onFrames: (listener) => devices.onFrames(listener),
    recentFrames: (connection) => devices.recentFrames(connection),
    open: (connection) => devices.open(connection),
    release: (connection) => devices.release(connection),
    close: () => devices.close(),
    async request(wanted) {
      if (!onlyReads(wanted)) {
        throw new HandrailError('POLICY_REFUSED', {
          detail: { reason: `function ${wanted.functionCode} writes`, function_code: wanted.functionCode, unit: wanted.unitId },
          message: {
            en: `Function ${wanted.functionCode} to unit ${wanted.unitId} is a write and was not sent; only an approved write may.`,
            zh: `对站号 ${wanted.unitId} 的功能码 ${wanted.functionCode} 属于写入，未发送；只有经批准的写入可以。`,
          },
        });
      }
      return request(wanted);
    },
  };
  return { reading, writing: { request } };
}

function keep(into: CallFrames, frame: RecordedFrame): void {
  if (frame.crc_valid !== null) into.crcValid = into.crcValid === false ? false : frame.crc_valid;
  if (into.frames.length < maxFrames) into.frames.push(frame);
  else into.dropped++;
}

/** What a failed request tells of its bytes. */
function framesOf(error: unknown): { tx: string; rx: string; code: string; crcValid: boolean | null } {
  const failed = error instanceof HandrailError ? error : null;
  const bytes = (name: string): string => {
    const value = failed?.detail[name];
    return typeof value === 'string' && /^[0-9a-fA-F ]*$/.test(value) ? value.replaceAll(' ', '').toLowerCase() : '';
  };
  const crcValid = typeof failed?.detail.crc_valid === 'boolean' ? failed.detail.crc_valid : failed?.code === 'FRAME_CRC' ? false : null;
  return { tx: bytes('tx'), rx: bytes('rx'), code: failed?.code ?? 'INTERNAL', crcValid };
}

const verdictOf = (code: string): string =>
  code === 'FRAME_CRC' ? 'crc' : code === 'DEVICE_EXCEPTION' ? 'exception' : code.startsWith('FRAME_') ? 'garbage' : 'incomplete';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
