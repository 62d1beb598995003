import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { AggregateResult } from '../../shared/contracts/toolResults.ts';
import type { ToolDeps } from './deps.ts';
import { bilingual, choice, closed, nullable, plain, tagNames } from './schema.ts';
import { statisticsOf } from './statistics.ts';
import { invalid, tagOf } from './target.ts';
import { iso, timeRange } from './timeRange.ts';

const fns = ['max', 'min', 'avg', 'count_above', 'count_below'] as const;
const parameters = Type.Object(
  {
    tags: tagNames,
    fn: choice(fns),
    threshold: Type.Optional(Type.Number()),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'default today 00:00' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'default now' })),
  },
  closed,
);
const returns = Type.Object(
  {
    fn: choice(fns),
    threshold: nullable(Type.Number()),
    from: Type.String(),
    to: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          tag: Type.String(),
          name: bilingual,
          unit: Type.String(),
          value: nullable(Type.Number()),
          at: nullable(Type.String()),
          samples: Type.Integer(),
          bad_samples: Type.Integer(),
          duration_ms: nullable(Type.Integer()),
        },
        closed,
      ),
    ),
  },
  closed,
);

/** Maximum, minimum, time-weighted average, or how often and how long a threshold was passed. */
export function aggregate({ plant, history, clock }: Pick<ToolDeps, 'plant' | 'history' | 'clock'>): ToolDefinition {
  return {
    contract: {
      name: 'aggregate',
      title: { en: 'Statistics', zh: '统计' },
      description: { en: 'Max, min, average of tags, or how often a threshold was passed.', zh: '点位的最大、最小、平均值，或越限次数。' },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args) {
      const { tags, fn, threshold, ...times } = args as Static<typeof parameters>;
      const counts = fn === 'count_above' || fn === 'count_below';
      if (counts && threshold === undefined) throw invalid(`${fn} needs a threshold`, `${fn} 需要 threshold`);
      const now = clock.now();
      const midnight = new Date(now).setHours(0, 0, 0, 0);
      const { from, to } = timeRange(times, now, Math.max(1, now - midnight));
      const results = tags.map((name): AggregateResult['results'][number] => {
        const tag = tagOf(plant, name);
        const stats = statisticsOf(history, tag.id, { from, to }, threshold ?? null);
        const common = { tag: tag.id, name: tag.name, unit: tag.unit, samples: stats.samples, bad_samples: stats.badSamples };
        if (counts) {
          const { episodes, ms, at } = fn === 'count_above' ? stats.above : stats.below;
          const seen = stats.last !== null;
          return { ...common, value: seen ? episodes : null, at: at === null ? null : iso(at), duration_ms: seen ? Math.round(ms) : null };
        }
        const extreme = fn === 'max' ? stats.max : fn === 'min' ? stats.min : null;
        return {
          ...common,
          value: fn === 'avg' ? stats.avg : (extreme?.value ?? null),
          at: extreme === null ? null : iso(extreme.at),
          duration_ms: null,
        };
      });
      return { fn, threshold: threshold ?? null, from: iso(from), to: iso(to), results };
    },
  };
}
