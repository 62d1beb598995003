import type { StateLogEntry } from '../../../shared/contracts/agent.ts';
import type { Say, WordKey } from '../../words/words.ts';

export type LogRow = {
  state: StateLogEntry['state'];
  /** From the turn's start, ms. */
  from: number;
  ms: number;
  fuseMs: number | null;
  /** It ended because its fuse did. */
  blown: boolean;
  replan: { n: number; reason: string } | null;
  why: string;
};

/** The turn's own log as rows of a timeline. The last entry only says how it ended. Pure. */
export function logRows(states: readonly StateLogEntry[]): { rows: LogRow[]; totalMs: number; ending: string } {
  const start = Date.parse(states[0]?.at ?? '');
  const rows = states
    .filter((entry) => entry.state !== 'IDLE')
    .map((entry, i): LogRow => {
      const from = Math.max(0, Date.parse(entry.at) - start);
      const next = states[states.indexOf(entry) + 1] ?? states[i + 1];
      const ms = entry.duration_ms ?? Math.max(0, Date.parse(next?.at ?? entry.at) - Date.parse(entry.at));
      const replan = /^replan (\d+): ([\s\S]*)$/.exec(entry.why);
      return {
        state: entry.state,
        from,
        ms,
        fuseMs: entry.fuse_ms,
        blown: entry.fuse_ms !== null && ms >= entry.fuse_ms,
        replan: replan ? { n: Number(replan[1]), reason: replan[2] ?? '' } : null,
        why: entry.why,
      };
    });
  const totalMs = Math.max(1, ...rows.map((row) => row.from + row.ms));
  return { rows, totalMs, ending: states.at(-1)?.state === 'IDLE' ? (states.at(-1)?.why ?? '') : '' };
}

const known: Record<string, WordKey> = {
  'a message came': 'why.message',
  'the results are in': 'why.results',
  'an answer is drafted': 'why.drafted',
  answered: 'why.answered',
  clarification: 'why.asks',
  clarify: 'why.asks',
  stopped: 'step.stopped',
  refused: 'why.refused',
  failed: 'step.failed',
};
/** The loop's own reasons are few; what is not among them is shown as it is recorded. */
export function whyWords(why: string, say: Say): string {
  const key = known[why];
  if (key) return say(key);
  const calls = /^calls: (.*)$/.exec(why);
  return calls ? say('why.calls', { tools: calls[1] ?? '' }) : why;
}
