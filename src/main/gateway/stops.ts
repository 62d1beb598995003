import { HandrailError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

/** What a person's Stop does beyond the open calls: it holds writing back for a while, and ends work that outlived its call. */
export function createStops(deps: { clock: Clock; holdMs: number }) {
  const { clock } = deps;
  let until = -Infinity;
  const sessions = new Map<string, AbortController>();
  return {
    stop(sessionId: string | null, reason: string): void {
      until = clock.elapsed() + deps.holdMs;
      for (const [id, controller] of sessions) {
        if (sessionId !== null && id !== sessionId) continue;
        sessions.delete(id);
        controller.abort(new HandrailError('CANCELLED', { detail: { reason } }));
      }
    },
    /** Throws while Stop holds writing back. */
    judge(): void {
      if (clock.elapsed() < until) throw new HandrailError('CANCELLED', { detail: { reason: 'stopped a moment ago' } });
    },
    signalOf(sessionId: string): AbortSignal {
      const known = sessions.get(sessionId) ?? new AbortController();
      sessions.delete(sessionId);
      sessions.set(sessionId, known);
      // Sessions are never told to be over; the oldest unstopped ones are let go.
      if (sessions.size > 500) sessions.delete(sessions.keys().next().value!);
      return known.signal;
    },
  };
}
