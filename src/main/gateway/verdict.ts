import type { VerdictText, WriteVerdict } from '../../shared/contracts/approvals.ts';
import type { WireImage } from '../../shared/contracts/tools.ts';

export const verdictText: VerdictText = {
  confirmed: { en: 'confirmed', zh: '已确认' },
  'not-taken': { en: 'not taken', zh: '未生效' },
  clamped: { en: 'clamped by the device', zh: '被设备限幅' },
  overwritten: { en: 'overwritten by something else', zh: '被其他程序改写' },
  different: { en: 'different', zh: '不一致' },
  unknown: { en: 'unknown', zh: '未知' },
};

export const sameImage = (a: WireImage, b: WireImage): boolean => a.length === b.length && a.every((word, i) => word === b[i]);

export type ReadBack = { afterMs: number; raw: WireImage; value: number | null };

/**
 * What became of an acknowledged write, from the words read back (bits, not decimal text: 0.082728 with an old high word
 * looks like a number too). Once ours and then not is another writer; between before and after is a limit of the device.
 */
export function judgeReadBack(
  image: { before: WireImage; after: WireImage },
  value: { before: number | null; after: number | null },
  seen: readonly ReadBack[],
): WriteVerdict {
  const last = seen[seen.length - 1];
  if (last === undefined) return 'unknown';
  if (sameImage(last.raw, image.after)) return 'confirmed';
  if (seen.some((read) => sameImage(read.raw, image.after))) return 'overwritten';
  if (sameImage(last.raw, image.before)) return 'not-taken';
  const { before, after } = value;
  if (before !== null && after !== null && last.value !== null) {
    const between = before < after ? last.value > before && last.value < after : last.value < before && last.value > after;
    const settled = seen.length < 2 || sameImage(seen[seen.length - 2]!.raw, last.raw);
    if (between && settled) return 'clamped';
  }
  return 'different';
}
