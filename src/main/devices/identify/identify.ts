import type { Devices, Priority } from '../../../shared/contracts/devices.ts';
import { asHandrailError } from '../../../shared/errors.ts';
import { textOf } from '../framing/answers.ts';

/** What a device says about itself. Texts are data with their control characters shown; they are never read as instructions. */
export type Identification = {
  vendor: string | null;
  product: string | null;
  revision: string | null;
  /** All objects of FC43/14 by their number. */
  objects: Record<number, string>;
  /** FC17: the bytes as text, and whether the run indicator is on where one can be told. */
  serverId: { text: string; bytes: Uint8Array } | null;
};

/** A device that always says "more follows" would be asked for ever. */
const roundsMax = 8;

export async function identifyDevice(
  devices: Pick<Devices, 'request'>,
  at: { connection: string; unitId: number; timeoutMs?: number; priority: Priority; signal?: AbortSignal },
): Promise<Identification> {
  const objects: Record<number, string> = {};
  await ask(async () => {
    let next = 0;
    for (let round = 0; round < roundsMax; round++) {
      const reply = await devices.request({ ...at, once: true, functionCode: 43, deviceId: { category: 1, object: next } });
      Object.assign(objects, reply.objects);
      if (typeof reply.next !== 'number' || reply.next <= next) return; // an id that does not advance ends it
      next = reply.next;
    }
  });
  const serverId = await ask(async () => {
    const { data } = await devices.request({ ...at, once: true, functionCode: 17 });
    return data && data.length > 0 ? { text: textOf(data), bytes: data } : null;
  });
  return { vendor: objects[0] ?? null, product: objects[1] ?? null, revision: objects[2] ?? null, objects, serverId: serverId ?? null };
}

/** Most devices know neither question; their refusal or silence is no fault. A stop is one. */
async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (thrown) {
    const error = asHandrailError(thrown);
    if (error.code === 'CANCELLED' || error.code.startsWith('PORT_')) throw error;
    return undefined;
  }
}
