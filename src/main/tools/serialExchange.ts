import { Type, type Static } from 'typebox';
import { HandrailError, type Lang } from '../../shared/errors.ts';
import { reasonTexts } from '../../shared/plant/tagValue.ts';
import type { WireReply, WireRequest } from '../../shared/contracts/devices.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { crc16, decodeRequestPdu, effectOf } from '../devices/index.ts';
import type { ToolDeps } from './deps.ts';
import { closed, nullable, plain, textMap, who } from './schema.ts';
import { invalid, stationOf } from './target.ts';

const parameters = Type.Object(
  {
    ...who,
    pdu: Type.Optional(Type.String({ minLength: 2, maxLength: 800, description: 'hex, function code first, e.g. 03 0000 000A' })),
    frame: Type.Optional(Type.String({ minLength: 8, maxLength: 800, description: 'hex, whole RTU frame with its CRC' })),
  },
  closed,
);
const returns = Type.Object(
  {
    connection: Type.String(),
    unit: Type.Integer(),
    function_code: Type.Integer(),
    tx: Type.String(),
    rx: nullable(Type.String()),
    words: nullable(Type.Array(Type.Integer())),
    bits: nullable(Type.Array(Type.Boolean())),
    data: nullable(Type.String()),
    objects: nullable(textMap(250)),
    crc_valid: nullable(Type.Boolean()),
    in_doubt: nullable(Type.String({ description: 'why this may be the answer to an earlier question' })),
    read_at: Type.String(),
  },
  closed,
);

/** One raw request, for people who have the bytes from a manual. Only what reads is sent, judged on the bytes themselves. */
export function serialExchange({ plant, devices }: Pick<ToolDeps, 'plant' | 'devices'>): ToolDefinition {
  return {
    contract: {
      name: 'serial_exchange',
      title: { en: 'Raw request', zh: '原始请求' },
      description: {
        en: 'Send one raw read request (pdu or RTU frame in hex) and show both frames.',
        zh: '发送一条原始读请求（十六进制 PDU 或 RTU 帧）并显示收发帧。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    wires(args) {
      try {
        return [stationOf(plant, whoOf(args)).connection];
      } catch {
        return [];
      }
    },
    async run(args, context) {
      const asked = args as Args;
      const station = stationOf(plant, whoOf(asked));
      const pdu = pduOf(asked);
      judge(pdu, station.unitId);
      const request = requestOf(pdu);
      const reply = await devices.request({
        ...request,
        connection: station.connection,
        unitId: station.unitId,
        priority: context.priority,
        signal: context.signal,
      });
      context.note({ crc_valid: reply.crcValid, attempts: reply.attempts });
      return shown(station.connection, station.unitId, request.functionCode, reply, context.lang);
    },
  };
}
type Args = Static<typeof parameters>;

function whoOf(asked: Args): { unit?: number; device?: string; connection?: string } {
  if (asked.frame === undefined || asked.unit !== undefined || asked.device !== undefined) return asked;
  return { unit: bytesOf(asked.frame)[0]!, ...(asked.connection === undefined ? {} : { connection: asked.connection }) };
}

function bytesOf(hex: string): Uint8Array {
  const digits = hex.replace(/0x/gi, '').replace(/[\s,:-]/g, '');
  if (!/^([0-9a-f]{2})+$/i.test(digits)) throw invalid('the bytes are not hex pairs', '字节不是成对的十六进制');
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

function pduOf(asked: Args): Uint8Array {
  if ((asked.pdu === undefined) === (asked.frame === undefined)) throw invalid('give either pdu or frame', '请给出 pdu 或 frame 其一');
  if (asked.pdu !== undefined) return bytesOf(asked.pdu);
  const frame = bytesOf(asked.frame!);
  if (frame.length < 4) throw invalid('the frame is too short', '帧太短');
  const crc = crc16(frame.subarray(0, -2));
  const sent = frame[frame.length - 2]! | (frame[frame.length - 1]! << 8);
  if (crc !== sent) {
    const should = [crc & 0xff, crc >> 8].map((b) => b.toString(16).padStart(2, '0')).join(' ');
    throw invalid(`the CRC of the frame is wrong; it should end with ${should}`, `帧的 CRC 错误，应以 ${should} 结尾`);
  }
  return frame.subarray(1, -2);
}

function judge(pdu: Uint8Array, unitId: number): void {
  if (unitId === 0) throw invalid('unit 0 is the broadcast address and never answers', '站号 0 为广播地址，不会应答');
  const effect = effectOf(pdu);
  if (effect === 'read') return;
  const fc = pdu[0] ?? 0;
  throw new HandrailError('POLICY_REFUSED', {
    detail: { reason: `function ${fc} is not a read`, function_code: fc, effect },
    message: {
      en: `Refused: function ${fc} is not a read; raw requests only read.`,
      zh: `已拒绝：功能码 ${fc} 不是读取；原始请求只能读取。`,
    },
    advice: { en: 'Use tag_write or modbus_write, which a person approves.', zh: '请使用 tag_write 或 modbus_write，由人员批准。' },
  });
}

/** The request these bytes are. Bytes that are more or less than one whole request are refused, not cut. */
function requestOf(
  pdu: Uint8Array,
): Pick<WireRequest, 'functionCode' | 'address' | 'quantity' | 'subFunction' | 'data' | 'deviceId' | 'records'> {
  const verdict = decodeRequestPdu(pdu);
  if (verdict.kind !== 'request') throw invalid(`the bytes are no whole request: ${verdict.reason}`, `字节不是完整请求：${verdict.reason}`);
  const request = verdict.request as Record<string, unknown>;
  const { functionCode } = verdict.request;
  if (functionCode === 43) {
    const [category, object] = [pdu[2] ?? 0, pdu[3] ?? 0];
    if (category < 1 || category > 4) throw invalid('category is 1 to 4', '类别须为 1–4');
    return { functionCode, deviceId: { category: category as 1 | 2 | 3 | 4, object } };
  }
  return { ...(request as Omit<WireRequest, 'connection' | 'unitId' | 'priority'>), functionCode };
}

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/(..)(?=.)/g, '$1 ');

function shown(connection: string, unit: number, functionCode: number, reply: WireReply, lang: Lang) {
  return {
    connection,
    unit,
    function_code: functionCode,
    tx: hex(reply.tx),
    rx: reply.rx === null ? null : hex(reply.rx),
    words: reply.words ?? null,
    bits: reply.bits ?? null,
    data: reply.data === undefined ? null : hex(reply.data),
    objects: reply.objects ?? null,
    crc_valid: reply.crcValid,
    in_doubt: reply.unverified === true ? reasonTexts.unverified[lang] : null,
    read_at: reply.readAt,
  };
}
