import { asHandrailError } from '../../shared/errors.ts';
import type { Devices, Priority } from '../../shared/contracts/devices.ts';

export type Presence = { answered: 'value' | 'exception' | 'garbled'; exception: number | null } | null;

/** One read of one register, read-only. Any answer says that somebody is there: an exception is an answer too. */
export async function probeUnit(
  devices: Pick<Devices, 'request'>,
  at: { connection: string; unitId: number; timeoutMs: number; priority: Priority; signal: AbortSignal },
): Promise<Presence> {
  try {
    await devices.request({ ...at, functionCode: 3, address: 0, quantity: 1 });
    return { answered: 'value', exception: null };
  } catch (thrown) {
    const error = asHandrailError(thrown);
    if (error.code === 'DEVICE_EXCEPTION') {
      const exception = Number(error.detail.exception);
      // 0A and 0B are the gateway speaking of a device that it does not reach.
      return exception === 10 || exception === 11 ? null : { answered: 'exception', exception };
    }
    if (error.code === 'DEVICE_NO_ANSWER') return null;
    if (error.code === 'FRAME_CRC' || error.code === 'FRAME_INCOMPLETE' || error.code === 'FRAME_MISMATCH')
      return { answered: 'garbled', exception: null };
    throw error;
  }
}

export type Identity = { vendor: string | null; product: string | null; revision: string | null };

/** What the device says it is (FC43/14), as text to be shown, never to be believed as an instruction. */
export async function identify(
  devices: Pick<Devices, 'request'>,
  at: { connection: string; unitId: number; timeoutMs: number; priority: Priority; signal: AbortSignal },
): Promise<Identity | null> {
  try {
    const { objects = {} } = await devices.request({ ...at, functionCode: 43, deviceId: { category: 1, object: 0 } });
    return { vendor: objects[0] ?? null, product: objects[1] ?? null, revision: objects[2] ?? null };
  } catch (thrown) {
    if (at.signal.aborted) throw thrown;
    return null; // most devices do not know this question
  }
}
