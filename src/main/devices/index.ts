export { createDevices, type DevicesDeps } from './devices.ts';
export { listPorts, type PortInfo } from './ports.ts';
export { framesToPcap, pcapPorts } from './pcap.ts';
export { effectOf, type PduEffect } from './readOnly.ts';
export { characterMs, responseFloorMs, silenceMs } from './line/timing.ts';
export {
  asciiMax,
  bitsPdu,
  confirmationPdu,
  crc16,
  crcFits,
  decodeAscii,
  decodeRequestPdu,
  decodeRtuRequest,
  decodeRtuResponse,
  decodeTcp,
  encodeAscii,
  encodeRequestPdu,
  encodeRtu,
  encodeTcp,
  exceptionPdu,
  identificationPdu,
  isKnownFunction,
  limits,
  lrc,
  mbapLength,
  pduMax,
  requestLength,
  responseLength,
  rtuMax,
  wordsOf,
  wordsPdu,
  type Decoded,
  type GarbageReason,
  type RequestFields,
  type ServerRequest,
  type ServerVerdict,
} from './framing/index.ts';
