import type { TrendMark, TrendSeries } from '../../shared/contracts/api.ts';
import type { CallNews } from '../../shared/contracts/calls.ts';
import type { CallRow } from '../../shared/contracts/record.ts';
import type { WriteResult } from '../../shared/contracts/tools.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { CoreParts } from './parts.ts';

/** A pause of this many polls is a gap: the line of a trend is not joined over it. */
const gapPolls = 3;
const writeTools = new Set(['tag_write', 'modbus_write', 'undo']);

/** Series of several tags from one source, live and old alike. Times in ms since epoch, half-open. */
export function trendSeries(
  parts: CoreParts,
  request: { tags: readonly string[]; from: number; to: number; buckets: number },
): TrendSeries[] {
  return request.tags.map((id) => {
    const tag = parts.plant.tag(id);
    if (!tag)
      throw new HandrailError('DEVICE_TAG_UNKNOWN', {
        detail: {
          tag: id,
          known: parts.plant.file.tags
            .slice(0, 12)
            .map((t) => t.id)
            .join(', '),
        },
      });
    const points = parts.history.series(id, request.from, request.to, request.buckets);
    const good = points.filter((point) => point.count > 0);
    const column = (pick: (point: (typeof points)[number]) => number): Float64Array => Float64Array.from(good, pick);
    return {
      tag: id,
      // Samples are kept on change and at least every minute (the sampler's sign of life), so a shorter pause is no gap.
      gapMs: Math.max(gapPolls * tag.pollMs, 90_000, (gapPolls * (request.to - request.from)) / request.buckets),
      at: column((point) => point.at),
      min: column((point) => point.min),
      max: column((point) => point.max),
      avg: column((point) => point.avg),
      bad: Float64Array.from(
        points.filter((point) => (point.bad ?? 0) > 0),
        (point) => point.at,
      ),
    };
  });
}

/** Remembers the writes of this run and of the record, so that a trend can mark them. */
export function createMarks(parts: Pick<CoreParts, 'gateway' | 'record'>): {
  within(tags: readonly string[], from: number, to: number): TrendMark[];
  close(): void;
} {
  const marks: TrendMark[] = [];
  const take = (row: Pick<CallRow, 'call' | 'result'>): void => {
    if (!writeTools.has(row.call.tool) || row.result?.ok !== true) return;
    const { writes } = row.result.result as WriteResult;
    for (const write of writes ?? []) {
      if (!write.sent) continue;
      const what = `${String(write.before ?? '?')} → ${String(write.after)}${write.unit === '' ? '' : ` ${write.unit}`}`;
      marks.push({
        at: Date.parse(row.result.meta.timestamp),
        kind: 'write',
        tag: write.tag,
        text: { en: `write ${what}`, zh: `写入 ${what}` },
        callId: row.call.call_id,
      });
    }
  };
  for (const row of parts.record.undoable(500)) take(row);
  const stop = parts.gateway.onNews((news: CallNews) => {
    if (news.phase === 'ended') take({ call: news.call, result: news.result });
  });
  return {
    within: (tags, from, to) =>
      marks.filter((mark) => mark.at >= from && mark.at < to && (mark.tag === null || tags.includes(mark.tag))).sort((a, b) => a.at - b.at),
    close: stop,
  };
}
