import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { Jobs } from './jobs.ts';
import { choice, closed, nullable, plain, wireError } from './schema.ts';

const parameters = Type.Object(
  {
    job_id: Type.String({ minLength: 1, maxLength: 64 }),
    stop: Type.Optional(Type.Boolean()),
    wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 20_000, description: 'wait for its end, default 0' })),
  },
  closed,
);
export const jobView = Type.Object(
  {
    job_id: Type.String(),
    kind: Type.String(),
    state: choice(['running', 'done', 'failed', 'stopped']),
    progress: nullable(Type.Object({ done: Type.Number(), total: Type.Number() }, closed)),
    result: Type.Unsafe({}),
    error: nullable(wireError),
    age_ms: Type.Number(),
  },
  closed,
);

export function job({ jobs }: { jobs: Jobs }): ToolDefinition {
  return {
    contract: {
      name: 'job',
      title: { en: 'Job', zh: '作业' },
      description: { en: 'Progress and result of a long-running job; stop ends it.', zh: '长作业的进度和结果；stop 可结束它。' },
      parameters: plain(parameters),
      returnSchema: plain(jobView),
      executionTimeoutMs: 25_000,
      isDeterministic: false,
      effect: 'none',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      const { job_id: id, stop, wait_ms: wait } = args as Static<typeof parameters>;
      if (stop === true) await jobs.stop(id);
      return jobs.look(id, context.lang, Math.min(wait ?? 0, Math.max(0, context.restMs() - 500)), context.signal);
    },
  };
}
