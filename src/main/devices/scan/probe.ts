import type { Devices, Priority } from '../../../shared/contracts/devices.ts';
import { asHandrailError } from '../../../shared/errors.ts';

/** How a unit showed that it is there; null: it did not. `garbled`: bytes came that are no answer, so somebody drives the line. */
export type Presence = { answered: 'value' | 'exception' | 'garbled'; exception: number | null } | null;
export type ProbeAt = { connection: string; unitId: number; timeoutMs?: number; priority: Priority; signal: AbortSignal };

/** Exceptions by which a gateway speaks of a device that it does not reach. */
const gatewaySpeaks = new Set([10, 11]);
/** What came is our own frame, another unit's or another client's: it says nothing of the unit that was asked. */
const fromElsewhere = new Set(['ECHO_ONLY', 'UNIT_MISMATCH', 'NOT_QUIET']);

/**
 * One read of one register, sent once. Any answer says that somebody is there: an exception is an answer too.
 * Throws what is wrong with the connection itself (PORT_*), and CANCELLED.
 */
export async function probe(devices: Pick<Devices, 'request'>, at: ProbeAt): Promise<Presence> {
  try {
    await devices.request({ ...at, once: true, functionCode: 3, address: 0, quantity: 1 });
    return { answered: 'value', exception: null };
  } catch (thrown) {
    const { code, detail } = asHandrailError(thrown);
    if (code === 'DEVICE_EXCEPTION') {
      const exception = Number(detail['exception']);
      return gatewaySpeaks.has(exception) ? null : { answered: 'exception', exception };
    }
    if (code === 'DEVICE_NO_ANSWER' || fromElsewhere.has(String(detail['failure']))) return null;
    if (code === 'FRAME_CRC' || code === 'FRAME_INCOMPLETE' || code === 'FRAME_MISMATCH' || code === 'FRAME_PROTOCOL')
      return { answered: 'garbled', exception: null };
    throw thrown;
  }
}
