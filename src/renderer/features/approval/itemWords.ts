import type { ApprovalItem, ScalarValue } from '../../../shared/contracts/approvals.ts';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { formatNumber, thinSpace, unknownValue, visible } from '../../words/format.ts';
import type { Say } from '../../words/words.ts';

/** Decimals of the tag; a raw write shows as many as its own numbers have. Never fewer: 42.05 must not look like 42.1. */
export function itemDecimals(item: ApprovalItem, tags: ReadonlyMap<string, TagConfig>): number {
  const ofValue = (value: ScalarValue | null): number =>
    typeof value === 'number' ? (/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0) : 0;
  return Math.max(item.tag === null ? 0 : (tags.get(item.tag)?.decimals ?? 0), ofValue(item.after), ofValue(item.now));
}

export function shownScalar(value: ScalarValue | null, decimals: number, say: Say): string {
  if (value === null) return unknownValue;
  if (typeof value === 'boolean') return say(value ? 'on' : 'off');
  return typeof value === 'number' ? formatNumber(value, decimals) : visible(value);
}

export function changeOf(item: ApprovalItem, decimals: number, say: Say): { now: string; after: string; direction: string; unit: string } {
  const unit = item.unit === '' ? '' : `${thinSpace}${item.unit}`;
  const by =
    typeof item.now === 'number' && typeof item.after === 'number' ? formatNumber(Math.abs(item.after - item.now), decimals) + unit : '';
  const direction =
    item.direction === 'raises'
      ? say('approval.raises', { by })
      : item.direction === 'lowers'
        ? say('approval.lowers', { by })
        : item.direction === 'switches'
          ? say('approval.switches')
          : item.direction === 'same'
            ? say('approval.same')
            : '';
  return { now: shownScalar(item.now, decimals, say), after: shownScalar(item.after, decimals, say), direction, unit: item.unit };
}
