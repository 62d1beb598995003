import { HandrailError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

export const rateLimits = { perMinute: 6, perSession: 30, requestsPerTurn: 1 };

/** How often writes may be sent: the plant sees at most so many a minute from all sessions together. */
export function createRates(deps: { clock: Clock; limits?: Partial<typeof rateLimits> }) {
  const limits = { ...rateLimits, ...deps.limits };
  const recent: number[] = [];
  const bySession = new Map<string, number>();
  const turns = new Map<string, number>();

  return {
    /** Throws POLICY_RATE when `count` more writes would be too many. Judges only; `spend` counts. */
    judge(sessionId: string, turnId: string | null, count: number): void {
      const now = deps.clock.elapsed();
      while (recent.length > 0 && recent[0]! <= now - 60_000) recent.shift();
      if (recent.length + count > limits.perMinute) {
        const free = recent[recent.length + count - limits.perMinute - 1];
        const wait = count > limits.perMinute || free === undefined ? 60 : Math.max(1, Math.ceil((free + 60_000 - now) / 1000));
        throw new HandrailError('POLICY_RATE', { detail: { count: recent.length + count, span: '60 s', wait, limit: limits.perMinute } });
      }
      const session = (bySession.get(sessionId) ?? 0) + count;
      if (session > limits.perSession) {
        throw new HandrailError('POLICY_RATE', {
          detail: { count: session, span: 'session', limit: limits.perSession },
          message: {
            en: `A session may write ${limits.perSession} times; this would be number ${session}.`,
            zh: `每个会话最多写入 ${limits.perSession} 次，这将是第 ${session} 次。`,
          },
          advice: { en: 'Start a new session if more is meant.', zh: '如需继续，请开始新会话。' },
          retry: 'no',
        });
      }
      if (turnId !== null && (turns.get(turnId) ?? 0) >= limits.requestsPerTurn) {
        throw new HandrailError('POLICY_RATE', {
          detail: { count: (turns.get(turnId) ?? 0) + 1, span: 'turn', limit: limits.requestsPerTurn },
          message: {
            en: 'This request has already proposed its writes; a second proposal in one turn is not shown.',
            zh: '本次请求已提出过写入；同一轮不再提出第二次。',
          },
          advice: { en: 'List all writes together, or ask again in a new request.', zh: '请一次列出全部写入，或另提新的请求。' },
          retry: 'no',
        });
      }
    },
    /** A card was shown for this turn. */
    proposed(turnId: string | null): void {
      if (turnId === null) return;
      turns.set(turnId, (turns.get(turnId) ?? 0) + 1);
      if (turns.size > 1000) turns.delete(turns.keys().next().value!);
    },
    /** A frame is about to leave. */
    spend(sessionId: string): void {
      recent.push(deps.clock.elapsed());
      bySession.set(sessionId, (bySession.get(sessionId) ?? 0) + 1);
    },
  };
}
