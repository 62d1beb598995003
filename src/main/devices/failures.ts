import { HandrailError, type Bilingual, type ErrorCode } from '../../shared/errors.ts';
import { exceptionName, exceptionRemedy } from '../../shared/modbus/exceptions.ts';
import type { ConnectionConfig, WireRequest } from '../../shared/contracts/devices.ts';
import { answerBytes } from './framing/answers.ts';
import type { Failure, Outcome, Transaction } from './line/transaction.ts';

const codes: Readonly<Record<Failure, ErrorCode>> = {
  TIMEOUT: 'DEVICE_NO_ANSWER',
  INCOMPLETE: 'FRAME_INCOMPLETE',
  CRC: 'FRAME_CRC',
  EXCEPTION: 'DEVICE_EXCEPTION',
  UNIT_MISMATCH: 'FRAME_MISMATCH',
  FUNCTION_MISMATCH: 'FRAME_MISMATCH',
  BYTE_COUNT_MISMATCH: 'FRAME_MISMATCH',
  LENGTH_MISMATCH: 'FRAME_MISMATCH',
  ECHO_MISMATCH: 'FRAME_MISMATCH',
  ECHO_ONLY: 'FRAME_MISMATCH',
  CONTRADICTION: 'FRAME_MISMATCH',
  NOT_QUIET: 'FRAME_MISMATCH',
  PROTOCOL_ID: 'FRAME_PROTOCOL',
  MBAP_LENGTH: 'FRAME_PROTOCOL',
  INVALID_REQUEST: 'FRAME_LIMIT',
  READ_ONLY: 'POLICY_READ_ONLY',
  PORT_CLOSED: 'PORT_CLOSED',
  CONNECTION_CLOSED: 'PORT_CLOSED',
  CONNECT_REFUSED: 'PORT_REFUSED',
  CONNECT_TIMEOUT: 'PORT_UNREACHABLE',
  PORT_NOT_FOUND: 'PORT_NOT_FOUND',
  PORT_NOT_SERIAL: 'PORT_NOT_SERIAL',
  PORT_BUSY: 'PORT_BUSY',
  PORT_PERMISSION: 'PORT_PERMISSION',
  PORT_OPEN_FAILED: 'PORT_UNREACHABLE',
  PORT_SETTINGS: 'PORT_SETTINGS',
  CANCELLED: 'CANCELLED',
};

/** Bytes of the whole answer, where the request fixes them. */
function expectedBytes(config: ConnectionConfig, transaction: Transaction): number | '?' {
  const data = answerBytes(transaction.pdu);
  if (data < 0) return '?';
  return config.kind === 'tcp' ? 9 + data : config.kind.startsWith('ascii') ? 2 * (data + 4) + 3 : 5 + data;
}

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const placeOf = (config: ConnectionConfig): Record<string, unknown> => ({
  connection: config.id,
  port: config.serial?.path ?? config.port ?? 502,
  ...(config.host === undefined ? {} : { host: config.host }),
});

/** The network is sound and somebody listens; most often a gateway that serves one client, which another program is. */
const turnedAway = ({ host = '', port = 502 }: ConnectionConfig): { message: Bilingual; advice: Bilingual } => ({
  message: { en: `${host}:${port} takes the connection and ends it at once.`, zh: `${host}:${port} 接受连接后立即断开。` },
  advice: {
    en: 'It may serve a single client: close other programs that talk to it.',
    zh: '对方可能只允许一个客户端：请关闭其他与其通信的程序。',
  },
});

export function openError(config: ConnectionConfig, failure: Failure, reason: string): HandrailError {
  return new HandrailError(codes[failure], {
    detail: { ...placeOf(config), host: config.host ?? config.serial?.path ?? '', reason, failure, crc_valid: null },
    ...(failure === 'CONNECTION_CLOSED' ? turnedAway(config) : {}),
  });
}

/**
 * The error a caller gets. `detail.failure` is the exact kind, `detail.tx` and `detail.rx` the bytes. A write that left and was
 * not answered with a refusal is unconfirmed, whatever went wrong: the device may have taken it.
 */
export function requestError(
  config: ConnectionConfig,
  request: WireRequest,
  transaction: Transaction,
  outcome: Extract<Outcome, { ok: false }>,
): HandrailError {
  const exception = outcome.exceptionCode;
  const detail = {
    ...placeOf(config),
    unit: request.unitId,
    function_code: request.functionCode,
    address: request.address ?? null,
    quantity: request.quantity ?? request.words?.length ?? request.bits?.length ?? null,
    timeout_ms: Math.round(transaction.timeoutMs),
    duration_ms: Math.round(outcome.durationMs),
    failure: outcome.failure,
    reason: outcome.reason,
    crc_valid: outcome.crcValid,
    tx: transaction.frame ? hexOf(transaction.frame) : null,
    rx: outcome.rx ? hexOf(outcome.rx) : null,
    received: outcome.rx?.length ?? 0,
    expected: expectedBytes(config, transaction),
    ...(exception === undefined
      ? {}
      : {
          exception,
          name: exceptionName(exception).en,
          name_zh: exceptionName(exception).zh,
          remedy: exceptionRemedy(exception).en,
          remedy_zh: exceptionRemedy(exception).zh,
          // 05: the device took it and is still at it. Not a failure of the write, and never a reason to send it again.
          ...(exception === 5 ? { accepted: true } : {}),
        }),
  };
  const isUnconfirmed = transaction.isWrite && outcome.sent && outcome.failure !== 'EXCEPTION';
  if (isUnconfirmed) {
    const target = `unit ${request.unitId} address ${request.address ?? request.writeAddress ?? 0}`;
    return new HandrailError('WRITE_UNCONFIRMED', { detail: { ...detail, target, cause_code: codes[outcome.failure] } });
  }
  if (outcome.failure === 'EXCEPTION' && exception !== undefined) {
    const name = exceptionName(exception);
    return new HandrailError('DEVICE_EXCEPTION', {
      detail,
      message: {
        en: `Unit ${request.unitId} answered exception ${exception}: ${name.en}.`,
        zh: `站号 ${request.unitId} 返回异常 ${exception}：${name.zh}。`,
      },
      advice: exceptionRemedy(exception),
      retry: exception === 5 ? 'after-check' : exception === 6 ? (transaction.isWrite ? 'after-check' : 'yes') : 'no',
    });
  }
  return new HandrailError(codes[outcome.failure], { detail });
}
