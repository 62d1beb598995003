import { HandrailError } from '../../shared/errors.ts';
import type { RecordEvent, Replay, ReplayStep } from '../../shared/contracts/record.ts';
import { hashOf } from './chain.ts';
import { ownJudges, type ReplayJudge } from './judges.ts';
import type { Queries } from './queries.ts';
import { readPayload } from './recordable.ts';

/** The timeline of a session with each recorded verdict beside the one it gets today. */
export function replaySession(queries: Queries, sessionId: string, judges: readonly ReplayJudge[]): Replay {
  const session = queries.session(sessionId);
  if (session === undefined) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'session', id: sessionId } });
  const all = [...ownJudges, ...judges];
  const past: { event: RecordEvent; payload: unknown }[] = [];
  const steps: ReplayStep[] = [];
  let firstDifference: Replay['firstDifference'] = null;
  let start: number | null = null;
  let link = queries.linkBefore(sessionId);
  for (const event of queries.events(sessionId)) {
    const payload = readPayload(event.payload);
    past.push({ event, payload });
    const at = Date.parse(event.at);
    start ??= at;
    const again = hashOf(event, link);
    link = event.hash;
    const checks: ReplayStep['checks'] = [{ name: 'hash', recorded: event.hash, again, same: event.hash === again }];
    for (const { name, judge } of all) {
      const found = judge(event, payload, past);
      if (found !== null) checks.push({ name, ...found, same: found.recorded === found.again });
    }
    const off = checks.find((check) => !check.same);
    if (off !== undefined) firstDifference ??= { seq: event.seq, name: off.name, recorded: off.recorded, again: off.again };
    steps.push({ event, offsetMs: at - start, checks });
  }
  return { session, steps, same: firstDifference === null, firstDifference };
}
