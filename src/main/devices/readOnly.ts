import { effectOfFunction, type FunctionEffect } from '../../shared/modbus/index.ts';

export type PduEffect = FunctionEffect;

/**
 * Read-only mode by function and sub-function, looked at on the PDU itself right before it leaves: whatever a caller, a
 * tool or a raw frame says it does, this is what the device would do.
 */
export function effectOf(pdu: Uint8Array): PduEffect {
  const [functionCode = 0, high, low] = pdu;
  const sub = functionCode === 43 ? high : high === undefined || low === undefined ? undefined : (high << 8) | low;
  return effectOfFunction(functionCode, sub);
}
