import type { TrendSeries } from '../../../shared/contracts/api.ts';
import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { clockTime, formatNumber, unknownValue } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { valueAt } from './lanes.ts';

const most = 60;

/** The visible points as numbers, for screen readers and for reading off. */
export function TrendTable({ tags, series }: { tags: readonly TagConfig[]; series: ReadonlyMap<string, TrendSeries> }) {
  const { say, both } = useWords();
  const times = [...new Set(tags.flatMap((tag) => [...(series.get(tag.id)?.at ?? [])]))].sort((a, b) => b - a);
  const step = Math.max(1, Math.ceil(times.length / most));
  const shown = times.filter((_at, i) => i % step === 0);
  return (
    <div className="trend-table" tabIndex={0}>
      <table>
        <caption className="vh">{say('trend')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('col.time')}</th>
            {tags.map((tag) => (
              <th scope="col" key={tag.id}>
                {both(tag.name)} {tag.unit}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((at) => (
            <tr key={at}>
              <th scope="row">{clockTime(at)}</th>
              {tags.map((tag) => {
                const one = series.get(tag.id);
                const value = one ? valueAt(one, at) : null;
                return <td key={tag.id}>{value === null ? unknownValue : formatNumber(value, tag.decimals)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
