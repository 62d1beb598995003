import type { ApprovalItem } from '../../../shared/contracts/approvals.ts';
import { formatNumber } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';

const width = 370;

/** Allowed range as a bar, now as a line, after as a pointer, the step between them shaded. */
export function RangeRail({ item, decimals }: { item: ApprovalItem; decimals: number }) {
  const { say } = useWords();
  const { min, max, maxStep } = item.range;
  if (min === null || max === null || max <= min || typeof item.after !== 'number') return null;
  const x = (value: number): number => 5 + Math.min(1, Math.max(0, (value - min) / (max - min))) * (width - 10);
  const now = typeof item.now === 'number' ? item.now : null;
  const label = say('approval.range', { min: formatNumber(min, decimals), max: formatNumber(max, decimals), unit: item.unit });
  return (
    <div className="rail">
      <svg viewBox={`0 0 ${width} 18`} preserveAspectRatio="none" role="img" aria-label={label}>
        <rect className="rail-band" x={x(min)} y="8" width={x(max) - x(min)} height="6" />
        {now !== null && (
          <rect className="rail-step" x={Math.min(x(now), x(item.after))} y="8" width={Math.abs(x(item.after) - x(now))} height="6" />
        )}
        {now !== null && <path className="rail-was" d={`M${x(now)} 4v14`} />}
        <path className="rail-new" d={`M${x(item.after) - 5} 0h10l-5 8z`} />
      </svg>
      <div className="rail-words">
        <span>{say('approval.min', { v: formatNumber(min, decimals) })}</span>
        {maxStep !== null && <span>{say('approval.step', { v: formatNumber(maxStep, decimals) })}</span>}
        <span>{say('approval.max', { v: formatNumber(max, decimals) })}</span>
      </div>
    </div>
  );
}
