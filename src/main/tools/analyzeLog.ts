import { Type, type Static } from 'typebox';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { ToolDeps } from './deps.ts';
import { choice, closed, plain } from './schema.ts';
import { timeRange } from './timeRange.ts';

const parameters = Type.Object(
  {
    action: choice(['count', 'list', 'summarize']),
    topic: choice(['timeout', 'crc_error', 'exception', 'disconnect', 'write', 'alarm', 'any']),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'local time' })),
    to: Type.Optional(Type.String({ maxLength: 40 })),
    file: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
  },
  closed,
);

export function analyzeLog({ analyzeLog: analyse, clock }: Pick<ToolDeps, 'analyzeLog' | 'clock'>): ToolDefinition {
  return {
    contract: {
      name: 'analyze_log',
      title: { en: 'Analyse a log', zh: '分析日志' },
      description: {
        en: 'Count, list or summarise events of the own record or of a log file.',
        zh: '统计、列出或总结本机记录或日志文件中的事件。',
      },
      parameters: plain(parameters),
      returnSchema: { type: 'object' },
      executionTimeoutMs: 30_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      if (analyse === undefined)
        throw new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: 'the log room is not part of this start' } });
      const asked = args as Static<typeof parameters>;
      if (asked.from !== undefined || asked.to !== undefined) timeRange(asked, clock.now(), 86_400_000);
      return analyse(asked, context);
    },
  };
}
