import { Type, type Static } from 'typebox';
import { HandrailError } from '../../shared/errors.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { RunResult, RunStream } from '../../shared/contracts/sandbox.ts';
import type { ToolDeps } from './deps.ts';
import { choice, closed, nullable, plain } from './schema.ts';
import { invalid } from './target.ts';

/** What may be started, one program a call. All of them exist in the jail and read only what they are given. */
const programs = ['cat', 'head', 'tail', 'wc', 'sort', 'uniq', 'cut', 'tr', 'grep', 'sed', 'awk', 'printf', 'ls', 'find'] as const;
const parameters = Type.Object(
  {
    program: choice(programs),
    args: Type.Optional(
      Type.Array(Type.String({ maxLength: 4000 }), { maxItems: 64, description: 'passed as they are, no shell reads them' }),
    ),
    stdin: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  },
  closed,
);
const stream = Type.Object({ text: Type.String(), bytes: Type.Integer(), truncated: Type.Boolean() }, closed);
const returns = Type.Object(
  { exit_code: nullable(Type.Integer()), stdout: stream, stderr: stream, level: Type.String(), duration_ms: Type.Integer() },
  closed,
);
const streamMost = 10_240;

/** One allow-listed program with an argument list, in the jail, in an empty folder. */
export function runShell({ sandbox }: Pick<ToolDeps, 'sandbox'>): ToolDefinition {
  return {
    contract: {
      name: 'run_shell',
      title: { en: 'Run a program', zh: '运行命令' },
      description: {
        en: 'Run one allow-listed text program with arguments in the jail, without network or files.',
        zh: '在隔离环境中运行一个允许的文本程序，无网络和文件。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 15_000,
      isDeterministic: false,
      effect: 'execute',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      if (sandbox === undefined) throw new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason: 'no sandbox in this start' } });
      const asked = args as Static<typeof parameters>;
      const result = await sandbox.run({
        lang: 'shell',
        code: commandLine(asked.program, asked.args ?? [], asked.stdin !== undefined),
        inputs: asked.stdin === undefined ? [] : [{ name: 'stdin', bytes: new TextEncoder().encode(asked.stdin) }],
        limits: { timeoutMs: Math.max(1000, Math.min(10_000, context.restMs() - 1000)) },
        sessionId: context.call.session_id,
        signal: context.signal,
        useCache: false,
      });
      judge(result);
      const exit = exitOf(result);
      const stdout = clipped(result.stdout);
      const stderr = clipped(result.stderr);
      context.note({ exit_code: exit, truncated: stdout.truncated || stderr.truncated });
      return { exit_code: exit, stdout, stderr, level: result.level, duration_ms: Math.round(result.metadata.exec_time_ms) };
    },
  };
}

/** Every argument in single quotes: nothing in it is a variable, a command or another argument. */
export function commandLine(program: string, args: readonly string[], hasStdin: boolean): string {
  for (const arg of args) {
    if (arg.includes('\0')) throw invalid('an argument holds a NUL', '参数含 NUL 字符');
    if (!arg.isWellFormed()) throw invalid('an argument is not well-formed text', '参数文本不合法');
  }
  const quoted = args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
  return `${[program, ...quoted].join(' ')} ${hasStdin ? '< stdin' : '< /dev/null'}`;
}

function judge(result: RunResult): void {
  const reason = result.error?.message ?? result.notes.join('; ');
  switch (result.status) {
    case 'unavailable':
      throw new HandrailError('SANDBOX_UNAVAILABLE', { detail: { reason } });
    case 'rate_limited':
      throw new HandrailError('SANDBOX_BUSY', { detail: { waiting: 0, reason } });
    case 'rejected':
      throw new HandrailError('SANDBOX_REJECTED', { detail: { reason } });
    case 'timeout':
    case 'memory':
    case 'killed':
    case 'crashed':
      throw new HandrailError('SANDBOX_LIMIT', { detail: { reason: reason === '' ? result.status : reason, status: result.status } });
    case 'output_limit': // what came before the limit is there, marked as cut
    case 'ok':
    case 'error':
    case 'no_result':
    case 'result_limit':
    case 'exit':
      return;
    default:
      result.status satisfies never;
  }
}

function exitOf(result: RunResult): number | null {
  const said = /with code (\d+)/.exec(`${result.error?.message ?? ''} ${result.notes.join(' ')}`);
  return said !== null ? Number(said[1]) : result.status === 'ok' || result.status === 'no_result' ? 0 : null;
}

function clipped(from: RunStream): RunStream {
  const bytes = Buffer.from(from.text, 'utf8');
  if (bytes.length <= streamMost) return from;
  // The cut must not leave half a character behind.
  return {
    text: new TextDecoder('utf-8').decode(bytes.subarray(0, streamMost)).replace(/\ufffd$/, ''),
    bytes: from.bytes,
    truncated: true,
  };
}
