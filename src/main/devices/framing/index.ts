export { crc16, crcFits, lrc } from './checksum.ts';
export { type Decoded, type GarbageReason } from './decoded.ts';
export { isKnownFunction, pduMax, requestLength, responseLength } from './lengths.ts';
export { decodeTcp, encodeTcp, mbapLength } from './tcp.ts';
export { decodeRtuRequest, decodeRtuResponse, encodeRtu, rtuMax } from './rtu.ts';
export { asciiMax, decodeAscii, encodeAscii } from './ascii.ts';
export { encodeRequestPdu, limits, type RequestFields } from './requests.ts';
export {
  bitsPdu,
  confirmationPdu,
  decodeRequestPdu,
  exceptionPdu,
  identificationPdu,
  wordsPdu,
  wordsOf,
  type ServerRequest,
  type ServerVerdict,
} from './serverPdu.ts';
