import { EventEmitter } from 'node:events';
import ModbusRTU from 'modbus-serial';
import type { Devices, WireReply, WireRequest } from '../../../shared/contracts/devices.ts';
import { asHandrailError, HandrailError } from '../../../shared/errors.ts';
import { crcFits } from '../framing/checksum.ts';
import { encodeRtu } from '../framing/rtu.ts';
import { encodeRequestPdu } from '../framing/requests.ts';
import { bitsPdu, confirmationPdu, decodeRequestPdu, exceptionPdu, wordsPdu, type ServerRequest } from '../framing/serverPdu.ts';

/**
 * modbus-serial's client on our engine, for callers who want its API: it builds the frame, we compare it byte for byte with our
 * own encoding, carry it by our rules, and hand back only an answer that passed every check. Functions 1-6, 15, 16, 22 and 23;
 * broadcasts have no answer to give back. A failure reaches the caller as our error through `failure()`.
 */
export function createFacade(
  devices: Pick<Devices, 'request'>,
  connection: string,
  priority: WireRequest['priority'] = 'agent',
): { client: ModbusRTU; lastFailure: () => HandrailError | null } {
  const port = new EnginePort(devices, connection, priority);
  const client = new ModbusRTU(port);
  client.setTimeout(0); // the deadlines are ours
  client.open(() => undefined);
  return { client, lastFailure: () => port.failure };
}

class EnginePort extends EventEmitter {
  isOpen = false;
  /** Distinct for each call, so that several may be under way. */
  _transactionIdWrite = 1;
  _transactionIdRead = 1;
  failure: HandrailError | null = null;
  private readonly devices: Pick<Devices, 'request'>;
  private readonly connection: string;
  private readonly priority: WireRequest['priority'];

  constructor(devices: Pick<Devices, 'request'>, connection: string, priority: WireRequest['priority']) {
    super();
    this.devices = devices;
    this.connection = connection;
    this.priority = priority;
  }

  open(done: (error: Error | null) => void): void {
    this.isOpen = true;
    done(null);
  }

  close(done?: (error: Error | null) => void): void {
    this.isOpen = false;
    done?.(null);
  }

  write(frame: Uint8Array): void {
    const id = this._transactionIdWrite++;
    const answer = (pdu: Uint8Array): void => {
      this._transactionIdRead = id;
      this.emit('data', Buffer.from(encodeRtu(frame[0]!, pdu)));
    };
    let request: WireRequest;
    try {
      request = this.requestOf(Uint8Array.from(frame));
    } catch (error) {
      this.failure = asHandrailError(error);
      queueMicrotask(() => answer(exceptionPdu(frame[1]!, 3)));
      return;
    }
    this.devices.request(request).then(
      (reply) => answer(answerPdu(request, reply, frame.subarray(1, -2))),
      (error: unknown) => {
        this.failure = asHandrailError(error);
        const exception = this.failure.detail['exception'];
        // Its API knows exceptions; all else it can only be told as "gateway target did not respond", with our error beside it.
        answer(exceptionPdu(frame[1]!, typeof exception === 'number' ? exception : 11));
      },
    );
  }

  private requestOf(frame: Uint8Array): WireRequest {
    const refuse = (reason: string): never => {
      throw new HandrailError('FRAME_LIMIT', { detail: { reason, failure: 'INVALID_REQUEST' } });
    };
    if (!crcFits(frame)) refuse('the frame has a wrong checksum');
    const pdu = frame.subarray(1, -2);
    const verdict = decodeRequestPdu(pdu);
    if (verdict.kind === 'exception') return refuse(verdict.reason);
    const request: WireRequest = { connection: this.connection, unitId: frame[0]!, priority: this.priority, ...fieldsOf(verdict.request) };
    const ours = encodeRequestPdu(request);
    if (ours.length !== pdu.length || ours.some((byte, i) => byte !== pdu[i])) refuse('two encoders disagree about this request');
    return request;
  }
}

function fieldsOf(request: ServerRequest): Omit<WireRequest, 'connection' | 'unitId' | 'priority'> {
  switch (request.functionCode) {
    case 5:
      return { functionCode: 5, address: request.address, bits: [request.on] };
    case 6:
      return { functionCode: 6, address: request.address, words: [request.word] };
    case 1:
    case 2:
    case 3:
    case 4:
    case 15:
    case 16:
    case 22:
    case 23:
      return request;
    case 7:
    case 8:
    case 11:
    case 12:
    case 17:
    case 20:
    case 21:
    case 24:
    case 43:
      throw new HandrailError('FRAME_LIMIT', {
        detail: { reason: `function ${request.functionCode} does not go through this interface`, failure: 'INVALID_REQUEST' },
      });
    default:
      return request satisfies never;
  }
}

function answerPdu(request: WireRequest, reply: WireReply, asked: Uint8Array): Uint8Array {
  if (reply.bits) return bitsPdu(request.functionCode as 1 | 2, reply.bits);
  if (reply.words) return wordsPdu(request.functionCode as 3 | 4 | 23, reply.words);
  return confirmationPdu(asked);
}
