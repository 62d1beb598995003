import type { Devices, Priority } from '../../../shared/contracts/devices.ts';
import { asHandrailError } from '../../../shared/errors.ts';
import { textOf } from '../framing/answers.ts';

/** What a device says about itself. Texts are data with their control characters shown; they are never read as instructions. */
export type Identity = { vendor: string | null; product: string | null; revision: string | null };
export type Identification = Identity & {
  /** All objects of FC43/14 by their number. */
  objects: Record<number, string>;
  /** FC17: the bytes as text, and whether the run indicator is on where one can be told. */
  serverId: { text: string; bytes: Uint8Array } | null;
};
type IdentifyAt = { connection: string; unitId: number; timeoutMs?: number; priority: Priority; signal?: AbortSignal };

/** A device that always says "more follows" would be asked for ever. */
const roundsMax = 8;

/** FC43/14 alone; null where the device does not know the question. */
export async function identifyObjects(devices: Pick<Devices, 'request'>, at: IdentifyAt): Promise<Identity | null> {
  const objects = await objectsOf(devices, at);
  return Object.keys(objects).length === 0 ? null : named(objects);
}

/** FC43/14, then FC17. */
export async function identifyDevice(devices: Pick<Devices, 'request'>, at: IdentifyAt): Promise<Identification> {
  const objects = await objectsOf(devices, at);
  const serverId = await ask(async () => {
    const { data } = await devices.request({ ...at, once: true, functionCode: 17 });
    return data && data.length > 0 ? { text: textOf(data), bytes: data } : null;
  });
  return { ...named(objects), objects, serverId: serverId ?? null };
}

const named = (objects: Record<number, string>): Identity => ({
  vendor: objects[0] ?? null,
  product: objects[1] ?? null,
  revision: objects[2] ?? null,
});

async function objectsOf(devices: Pick<Devices, 'request'>, at: IdentifyAt): Promise<Record<number, string>> {
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
  return objects;
}

/** Most devices know neither question; their refusal, silence or hanging up is no fault. A stop is one, and a line that is not there. */
async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (thrown) {
    const error = asHandrailError(thrown);
    if (error.code === 'CANCELLED' || (error.code.startsWith('PORT_') && error.code !== 'PORT_CLOSED')) throw error;
    return undefined;
  }
}
