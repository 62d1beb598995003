import type { TagConfig } from '../../../shared/contracts/plant.ts';

/** Full scale as a line, normal range as a box, the value as a pointer: one glance finds the odd one without reading. */
export function RangeBar({ tag, value, state }: { tag: TagConfig; value: number | null; state: 'good' | 'stale' | 'outside' }) {
  const { min, max } = tag.range;
  if (min === null || max === null || max <= min) return <span className="bar" />;
  const x = (v: number): number => 4 + Math.min(1, Math.max(0, (v - min) / (max - min))) * 80;
  const low = tag.normal?.low ?? null;
  const high = tag.normal?.high ?? null;
  return (
    <svg className="bar" viewBox="0 0 88 14" aria-hidden="true">
      <path className="bar-full" d="M4 10.500h80" />
      {low !== null && high !== null && <rect className="bar-normal" x={x(low)} y="8" width={Math.max(1, x(high) - x(low))} height="5" />}
      {value !== null && <path className={`bar-pointer bar-${state}`} d={`M${(x(value) - 4).toFixed(1)} 1h8l-4 6.500z`} />}
    </svg>
  );
}
