import type { HandrailError } from '../../../shared/errors.ts';

/** Pauses before asking a busy server, or one that refused the connection, again. */
const busyPausesMs = [400, 800, 1_600];

/**
 * May the same request be sent again by itself, and after how long? Asked only when nothing of the answer had arrived. Once;
 * a few times with growing pauses where the server is busy or not up yet; never where the server has said no. Null: no.
 */
export function mayAskAgain(
  error: HandrailError,
  tries: { once: number; busy: number },
  learned: { tools: boolean | null; thinking: boolean | null },
): number | null {
  const reason = typeof error.detail['reason'] === 'string' ? error.detail['reason'] : '';
  const status = Number(error.detail['status'] ?? 0);
  if (error.code === 'MODEL_CAPABILITY') {
    // The same request without what the model cannot do.
    if (/tools/i.test(reason) && learned.tools !== false) {
      learned.tools = false;
      return 0;
    }
    if (/thinking/i.test(reason) && learned.thinking !== false) {
      learned.thinking = false;
      return 0;
    }
    return null;
  }
  const refused = error.code === 'MODEL_OFFLINE' && error.detail['code'] === 'ECONNREFUSED';
  if (error.code === 'MODEL_BUSY' || refused) {
    const wait = busyPausesMs[tries.busy];
    tries.busy += 1;
    return wait ?? null;
  }
  const worth = ['MODEL_OFFLINE', 'MODEL_CRASHED', 'MODEL_STREAM_INCOMPLETE', 'MODEL_EMPTY', 'MODEL_PROTOCOL'].includes(error.code);
  if (!worth || (status >= 300 && status < 500) || tries.once > 0) return null;
  tries.once += 1;
  return 0;
}
