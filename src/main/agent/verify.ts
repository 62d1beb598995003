import type { Turn } from './turn.ts';

export type Verdict = { ok: true } | { ok: false; reason: string };

/** A write counts when its read-back says so; a verdict the tool does not know is no confirmation. */
export function checkWrites(turn: Turn): Verdict {
  for (const { call, result } of turn.answered) {
    const writes = (result.result as { writes?: { verdict?: string; tag?: string | null; address?: number }[] } | null)?.writes;
    if (!result.ok || !Array.isArray(writes)) continue;
    const open = writes.find((w) => w.verdict !== 'confirmed');
    if (open !== undefined)
      return { ok: false, reason: `${call.tool}: ${open.tag ?? open.address ?? ''} read back as ${open.verdict ?? 'unknown'}` };
  }
  return { ok: true };
}

export function checkResults(_turn: Turn): Verdict {
  return { ok: true };
}

export function checkAnswer(_turn: Turn): Verdict {
  return { ok: true };
}
