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
export { causes, type Cause, type Condition } from './doctor/causes.ts';
export { examineTraffic, runDoctor, type Diagnosis, type LineFinding } from './doctor/doctor.ts';
export { examineFrame, type Asked, type Suspicion } from './doctor/forensics.ts';
export { identifyDevice, type Identification, type Identity } from './identify/identify.ts';
export { probe, type Presence } from './scan/probe.ts';
export { scanRules, scanUnits, type FoundUnit } from './scan/scan.ts';
export { findSerialSettings, usualSettings, type LineSettings } from './scan/settings.ts';
export { createFacade } from './facade/facade.ts';
export { theirFrame } from './facade/secondOpinion.ts';
