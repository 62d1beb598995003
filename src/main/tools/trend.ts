import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ToolDeps } from './deps.ts';
import { bilingual, closed, nullable, plain, tagNames } from './schema.ts';
import { holdMs, statisticsOf } from './statistics.ts';
import { tagOf } from './target.ts';
import { iso, timeRange } from './timeRange.ts';

const time = (what: string) => Type.String({ maxLength: 40, description: what });
const parameters = Type.Object(
  { tags: tagNames, from: Type.Optional(time('local time, default one hour ago')), to: Type.Optional(time('default now')) },
  closed,
);
const returns = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    series: Type.Array(
      Type.Object(
        {
          tag: Type.String(),
          name: bilingual,
          unit: Type.String(),
          points: Type.Array(
            Type.Object({ at: Type.String(), min: Type.Number(), max: Type.Number(), avg: Type.Number(), count: Type.Integer() }, closed),
          ),
          min: nullable(Type.Number()),
          max: nullable(Type.Number()),
          avg: nullable(Type.Number()),
          first: nullable(Type.Number()),
          last: nullable(Type.Number()),
          samples: Type.Integer(),
          bad_samples: Type.Integer(),
          gaps: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }, closed)),
        },
        closed,
      ),
    ),
  },
  closed,
);
const buckets = 120;

/** The course of tags over time, thinned for drawing; statistics come from all samples, gaps stay gaps. */
export function trend({ plant, history, clock }: Pick<ToolDeps, 'plant' | 'history' | 'clock'>): ToolDefinition {
  return {
    contract: {
      name: 'trend',
      title: { en: 'Trend', zh: '趋势' },
      description: {
        en: 'History of tags over time, thinned, with min, max, average and gaps.',
        zh: '点位的历史趋势，含最小、最大、平均值和缺口。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args) {
      const asked = args as Static<typeof parameters>;
      const { from, to } = timeRange(asked, clock.now(), 3_600_000);
      return {
        from: iso(from),
        to: iso(to),
        series: asked.tags.map((name) => {
          const tag = tagOf(plant, name);
          const stats = statisticsOf(history, tag.id, { from, to }, null);
          const points = history
            .series(tag.id, from, to, buckets)
            .map((p) => ({ at: iso(p.at), min: p.min, max: p.max, avg: p.avg, count: p.count }));
          return {
            tag: tag.id,
            name: tag.name,
            unit: tag.unit,
            points,
            min: stats.min?.value ?? null,
            max: stats.max?.value ?? null,
            avg: stats.avg,
            first: stats.first,
            last: stats.last,
            samples: stats.samples,
            bad_samples: stats.badSamples,
            gaps: stats.gaps
              .filter((g) => g.to - g.from > holdMs)
              .slice(0, 50)
              .map((g) => ({ from: iso(g.from), to: iso(g.to) })),
          };
        }),
      };
    },
  };
}
