import type { ConnectionConfig, SerialSettings } from '../../../shared/contracts/devices.ts';

/** Time of one character on the line: start bit, data bits, parity, stop bits. */
export function characterMs(serial: Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>): number {
  const bits = 1 + serial.dataBits + (serial.parity === 'none' ? 0 : 1) + serial.stopBits;
  return (bits * 1000) / serial.baud;
}

/** Silence that ends an RTU frame: 3.5 characters, fixed at 1.75 ms above 19200 baud (serial line guide V1.02, 2.5.1.1). */
export function silenceMs(serial: Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>): number {
  return serial.baud > 19200 ? 1.75 : Math.max(1.75, 3.5 * characterMs(serial));
}

/** A device needs time to think, and a USB adapter keeps bytes for up to 16 ms. Together they cannot be less than this. */
const deviceAndAdapterMs = 20;

/**
 * No answer can be complete before request and answer have crossed the wire: 125 registers at 9600 baud take 0.31 s. A
 * shorter time-out would read every answer as the next one's (a 3 ms time-out once read the previous value for ever).
 */
export function responseFloorMs(config: ConnectionConfig, requestBytes: number, answerBytes: number): number {
  if (!config.serial || (config.kind !== 'rtu' && config.kind !== 'ascii')) return 1;
  return (requestBytes + answerBytes) * characterMs(config.serial) + 2 * silenceMs(config.serial) + deviceAndAdapterMs;
}

export const defaultTimeoutMs = 1000;
/** A broadcast has no answer; the devices need this long to act on it (guide: 100 to 200 ms). */
export const turnaroundMs = 100;
/** Bytes of an answer may come in portions: USB adapters and gateways pause up to this long inside a frame. */
export const portionGapMs = 50;
/** What a line says after its answer, or instead of it, is judged after this much silence. */
export const judgeAfterMs = 25;
