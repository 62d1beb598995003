import type { Bilingual } from '../../shared/errors.ts';
import { ground } from './grounding/ground.ts';
import type { TagNames } from './grounding/tagNames.ts';
import type { Session, Turn } from './turn.ts';

export type Verdict = { ok: true } | { ok: false; reason: string };

type Write = { verdict?: string; tag?: string | null; address?: number };

/** A write counts when its read-back says so; a verdict the tool does not know is no confirmation. */
export function checkWrites(turn: Turn): Verdict {
  for (const { call, result } of turn.answered) {
    const open = writesOf(result.result).find((w) => w.verdict !== 'confirmed');
    if (result.ok && open !== undefined)
      return { ok: false, reason: `${call.tool}: ${open.tag ?? open.address ?? ''} read back as ${open.verdict ?? 'unknown'}` };
  }
  return { ok: true };
}

const writesOf = (result: unknown): Write[] => {
  const writes = (result as { writes?: unknown } | null)?.writes;
  return Array.isArray(writes) ? (writes as Write[]) : [];
};

/** Results that ended the plan by themselves: each must be there and usable. */
export function checkResults(turn: Turn): Verdict {
  const bad = turn.answered.find((a) => !a.result.ok);
  return bad === undefined ? { ok: true } : { ok: false, reason: `${bad.call.tool}: ${bad.result.error?.message ?? 'no result'}` };
}

/**
 * The drafted answer against what the turn knows. Marks go on every number; a measured value that contradicts the results
 * refutes the answer. Our own rules word their answers from the results, so they are marked but not doubted.
 */
export function checkAnswer(session: Session, turn: Turn, plant: { now: string; tags: TagNames }): Verdict {
  const result = ground(turn.draft, turn.answered, session.earlier, plant.now, turn.text, plant.tags);
  // Without a call our own rules say texts of the catalogue (help, what an exception means): their numbers claim nothing measured.
  const isCatalogue = turn.planner.kind === 'rules' && turn.answered.length === 0;
  turn.marks = isCatalogue ? [] : result.marks;
  turn.grounded = isCatalogue || result.grounded;
  addNotices(turn);
  if (turn.planner.kind === 'rules' || turn.wireError !== null || result.refuted.length === 0) return { ok: true };
  return { ok: false, reason: `no result says ${result.refuted.slice(0, 3).join(', ')}` };
}

const claimsDone =
  /\b(has|have|was|were|is now) (now )?(been )?(set|changed|written|raised|lowered|opened|closed|started|stopped|switched)\b|\bI(?:'ve| have)? (set|changed|written|opened|closed|started|stopped|switched)\b|已(经)?(设置|设为|设定|写入|修改|改为|打开|关闭|启动|停止|调整|调到|切换)/i;

/** What a person must know beside a model's words: old or doubtful values, and a claim of a write that never was. */
function addNotices(turn: Turn): void {
  const notices: Bilingual[] = [];
  for (const { call, result } of turn.answered) {
    const { fallback } = result.meta;
    if (!result.ok || fallback === null) continue;
    const age = fallback.age_ms === null ? '' : ` ${Math.round(fallback.age_ms / 1000)} s`;
    notices.push({
      en: `${call.tool}: not read now, ${fallback.kind} value${age === '' ? '' : `, ${age.trim()} old`} (${fallback.reason}).`,
      zh: `${call.tool}：不是现在读到的值（${fallback.kind}${age}，${fallback.reason}）。`,
    });
  }
  const doubtful = turn.answered.flatMap((a) => (a.result.ok ? doubtfulTags(a.result.result) : []));
  if (doubtful.length > 0) notices.push({ en: `Quality is not good: ${doubtful.join(', ')}.`, zh: `质量不佳：${doubtful.join('、')}。` });
  const wrote = turn.answered.some((a) => a.result.ok && writesOf(a.result.result).length > 0);
  if (turn.planner.kind === 'model' && !wrote && claimsDone.test(turn.draft))
    notices.push({ en: 'Nothing was written in this turn.', zh: '本轮未写入任何值。' });
  for (const notice of notices) if (!turn.notices.some((n) => n.en === notice.en)) turn.notices.push(notice);
}

function doubtfulTags(result: unknown): string[] {
  if (Array.isArray(result)) return result.flatMap(doubtfulTags);
  if (result === null || typeof result !== 'object') return [];
  const { tag, quality } = result as { tag?: unknown; quality?: unknown };
  const own = typeof quality === 'string' && quality !== 'good' && typeof tag === 'string' ? [`${tag} (${quality})`] : [];
  return [...own, ...Object.values(result).flatMap(doubtfulTags)];
}
