import type { Agent } from '../../shared/contracts/agent.ts';
import type { Recovered, RecordStore, SnapshotStore } from '../../shared/contracts/record.ts';
import type { Lang } from '../../shared/errors.ts';

/** What the last unclean end left, in words: calls that were cut off, and writes of which nobody knows whether they took. */
export function recoveredInWords(recovered: Recovered | null, lang: Lang): string[] {
  if (recovered === null) return [];
  const lines = recovered.writes.flatMap(({ items }) =>
    items
      .filter((item) => item.state === 'unknown')
      .map(({ write }) => {
        const target = write.kind === 'plant' ? `${write.tag ?? write.reference} (${write.device})` : write.path;
        return {
          en: `Handrail ended while a write to ${target} was on the wire. Its outcome is unknown; read it back before writing again. Nothing is repeated.`,
          zh: `Handrail 在向 ${target} 写入途中退出，结果未知；再次写入前请先回读。不会重复写入。`,
        }[lang];
      }),
  );
  const cut = recovered.interrupted.length;
  if (cut > 0)
    lines.push(
      {
        en: `${cut} calls of the last run were interrupted. A question goes on by itself (in the window) only when it is younger than ten minutes and changed nothing; ask any other again.`,
        zh: `上次运行有 ${cut} 个调用被中断。只有十分钟以内、且未改动任何东西的提问会（在窗口中）自动继续；其他提问请重新提出。`,
      }[lang],
    );
  return lines;
}

/** A question older than this is no longer waited for; it stays in the record as it ended. */
const freshMs = 10 * 60_000;

/**
 * Goes on with turns that a crash cut off a moment ago: calls that had ended are taken from the record, never run again. A turn
 * with a write of unknown outcome is left alone: a person reads it back first.
 */
export async function resumeTurns(deps: {
  agent: Pick<Agent, 'resume'>;
  snapshots: Pick<SnapshotStore, 'unfinishedTurns'>;
  record: Pick<RecordStore, 'calls'>;
  now(): number;
}): Promise<string[]> {
  const resumed: string[] = [];
  for (const { sessionId, turnId, snapshot } of deps.snapshots.unfinishedTurns()) {
    const isFresh = snapshot !== null && deps.now() - Date.parse(snapshot.at) < freshMs;
    const touchedPlant = deps.record.calls(sessionId).some((row) => row.call.turn_id === turnId && row.writes.length > 0);
    if (isFresh && !touchedPlant && (await deps.agent.resume(sessionId)) !== null) resumed.push(turnId);
  }
  return resumed;
}
