import { Type, type Static } from 'typebox';
import { HandrailError } from '../../shared/errors.ts';
import type { ToolContext, ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { AskedFunction, RunResult } from '../../shared/contracts/sandbox.ts';
import type { ToolDeps } from './deps.ts';
import { plantTables } from './plantTables.ts';
import { choice, closed, plain } from './schema.ts';

const parameters = Type.Object(
  {
    lang: choice(['python', 'javascript', 'sql', 'shell']),
    code: Type.String({ minLength: 1, maxLength: 65_536, description: 'plant.read(tags) gives values' }),
    /** Functions the program was asked to define, as `avg(values)` or `avg`; without them it does not run. */
    defines: Type.Optional(
      Type.Array(Type.String({ maxLength: 300, pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}(\\([A-Za-z0-9_, ]*\\))?$' }), { maxItems: 8 }),
    ),
    inputs: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }), text: Type.String({ maxLength: 4_000_000 }) }, closed),
        { maxItems: 16 },
      ),
    ),
  },
  closed,
);

/** What a program may ask of the plant, and the tool that answers. There is no write among them, only a proposal. */
const plantCalls: Readonly<Record<string, string>> = {
  read: 'tag_read',
  tag_read: 'tag_read',
  modbus_read: 'modbus_read',
  trend: 'trend',
  aggregate: 'aggregate',
  list_tags: 'list_tags',
  analyze_log: 'analyze_log',
  read_file: 'read_file',
};
const maxCalls = 200;

export type Proposal = { tag: string; value: number | boolean | string; reason: string | null };

/** Runs a program in the sandbox. Its calls come back through the gateway as children of this call. */
export function execute({ sandbox, ...deps }: Pick<ToolDeps, 'sandbox' | 'plant' | 'history' | 'clock' | 'record'>): ToolDefinition {
  return {
    contract: {
      name: 'execute',
      title: { en: 'Run a program', zh: '运行程序' },
      description: {
        en: 'Run a short program in the sandbox on plant data. It cannot write.',
        zh: '在沙箱中运行短程序，无网络和文件；不能写入，只能提议。',
      },
      parameters: plain(parameters),
      returnSchema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
      executionTimeoutMs: 30_000,
      isDeterministic: false,
      effect: 'execute',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      if (sandbox === undefined) throw new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: 'no sandbox in this start' } });
      const { lang, code, inputs, defines } = args as Static<typeof parameters>;
      const proposals: Proposal[] = [];
      const result = await sandbox.run({
        lang,
        code,
        defines: (defines ?? []).map(askedFunction),
        inputs: [
          ...(inputs ?? []).map(({ name, text }) => ({ name, bytes: new TextEncoder().encode(text) })),
          ...(lang === 'sql' ? plantTables(deps, code) : []),
        ],
        limits: { timeoutMs: Math.max(1000, Math.min(30_000, context.restMs() - 500)) },
        sessionId: context.call.session_id,
        signal: context.signal,
        onToolCall: plantPort(context, proposals),
      });
      context.note({
        truncated: result.stdout.truncated || result.stderr.truncated || (result.output !== null && result.output.truncated !== null),
      });
      judge(result);
      return proposals.length === 0 ? result : { ...result, proposals };
    },
  };
}

/** `avg(values)` takes one value, `now()` none, `avg` any number. */
function askedFunction(text: string): AskedFunction {
  const [name = '', list] = text.split('(');
  const parameters =
    list === undefined
      ? null
      : list
          .replace(')', '')
          .split(',')
          .filter((p) => p.trim() !== '').length;
  return { name, parameters };
}

function plantPort(context: ToolContext, proposals: Proposal[]): (name: string, args: Record<string, unknown>) => Promise<unknown> {
  let calls = 0;
  return async (name, args) => {
    if (++calls > maxCalls) throw new HandrailError('SANDBOX_LIMIT', { detail: { reason: `more than ${maxCalls} calls to the plant` } });
    if (name === 'propose_write') {
      const { tag, value, reason } = args;
      if (typeof tag !== 'string' || !(typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')) {
        throw new HandrailError('ARGS_INVALID', { detail: { reason: 'propose_write takes tag and value' } });
      }
      proposals.push({ tag, value, reason: typeof reason === 'string' ? reason.slice(0, 300) : null });
      return { proposed: true, note: 'a person decides' };
    }
    const tool = Object.hasOwn(plantCalls, name) ? plantCalls[name]! : undefined;
    if (tool === undefined) {
      throw new HandrailError('TOOL_UNKNOWN', {
        detail: {
          tool: `plant.${name.slice(0, 40)}`,
          known: [...Object.keys(plantCalls), 'propose_write'].map((n) => `plant.${n}`).join(', '),
        },
      });
    }
    const envelope = await context.child(tool, args);
    return unwrapped(envelope);
  };
}

/** A program gets the value or an error it can read; a degraded result says so in the data itself. */
function unwrapped(envelope: ResultEnvelope): unknown {
  if (!envelope.ok)
    throw new HandrailError(envelope.error!.code, {
      message: { en: envelope.error!.message, zh: envelope.error!.message },
      detail: envelope.error!.detail,
    });
  return envelope.meta.fallback === null ? envelope.result : { ...(envelope.result as object), fallback: envelope.meta.fallback };
}

/** A program that failed is a result with its trace, for the model to mend; a run that never began is an error. */
function judge(result: RunResult): void {
  if (result.status === 'unavailable')
    throw new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: result.error?.message ?? result.notes.join('; ') } });
  if (result.status === 'rate_limited')
    throw new HandrailError('SANDBOX_BUSY', { detail: { waiting: 0, reason: result.error?.message ?? '' } });
}
