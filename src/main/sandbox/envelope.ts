/** Writes the result envelope from what the broker saw and what the program delivered. Pure: the same input gives the same envelope. */
import type { RunLevel, RunOutput, RunResult, RunStream } from '../../shared/contracts/sandbox.ts';
import { redactText, redactValue } from '../../shared/redact.ts';
import { runLimits } from './limits.ts';
import type { RawRun } from './protocol.ts';
import { decodeStream } from './text.ts';
import { readReport, UntrustedError, type Report } from './untrusted.ts';

const CRASHES = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGSYS', 'SIGTRAP'];
const CRASH_NUMBERS = [139, 134, 135, 132, 136, 159, 133];

export const emptyStream = (): RunStream => ({ text: '', bytes: 0, truncated: false });
const stream = (kept: RawRun['stdout']): RunStream => ({
  text: decodeStream(kept.bytes),
  bytes: kept.total,
  truncated: kept.total > kept.bytes.byteLength,
});

export function blankResult(level: RunLevel, status: RunResult['status'], message: string): RunResult {
  return {
    status,
    level,
    runtime: 'none',
    output: null,
    stdout: emptyStream(),
    stderr: emptyStream(),
    error: { name: status, message, trace: [] },
    violations: [],
    notes: [],
    files: [],
    metadata: { exec_time_ms: 0, start_ms: 0, memory_used_mb: null, memory_source: 'unknown', cached: false, redactions: 0 },
  };
}

type Judgement = Pick<RunResult, 'status' | 'output' | 'error' | 'violations' | 'notes' | 'files'>;
const plain = (status: RunResult['status'], message: string | null): Judgement => ({
  status,
  output: null,
  error: message === null ? null : { name: status, message, trace: [] },
  violations: [],
  notes: [],
  files: [],
});

function fromReport(report: Report): Judgement {
  switch (report.kind) {
    case 'result': {
      const chars = report.output === null || report.output.type === 'image' ? 0 : JSON.stringify(report.output.data).length;
      if (chars > runLimits.resultChars) return plain('result_limit', tooBig(chars));
      return { ...plain('ok', null), output: report.output, notes: report.notes };
    }
    case 'error':
      return { ...plain(report.error.name === 'MemoryError' ? 'memory' : 'error', null), error: report.error };
    case 'rejected': {
      const said = report.violations.slice(0, 3).map((v) => `line ${v.line}: ${v.what}`);
      return { ...plain('rejected', `Not run. ${said.join('; ')}`.slice(0, 400)), violations: report.violations };
    }
    case 'exit':
      return { ...plain('exit', null), notes: [`The program ended itself with code ${report.code}.`] };
    case 'shell':
      if (report.code === 0) return plain('ok', null);
      if (CRASH_NUMBERS.includes(report.code)) return plain('crashed', `The last program crashed (code ${report.code}).`);
      return {
        ...plain('error', `The script ended with code ${report.code}; see stderr.`),
        error: { name: 'ExitCode', message: `The script ended with code ${report.code}; see stderr.`, trace: [] },
      };
    case 'limit':
      return plain('result_limit', `${report.message}. Reduce it inside the program: filter, group or take the first rows.`);
    case 'memory':
      return plain('memory', report.message);
  }
}

const tooBig = (chars: number): string =>
  `The result takes ${chars} characters, ${runLimits.resultChars} is the most. Reduce it inside the program: filter, group or take the first rows.`;

function judge(raw: RawRun, limits: { timeoutMs: number; memoryMb: number }): Judgement {
  switch (raw.end) {
    case 'timeout':
      return plain('timeout', `The program was still running after ${limits.timeoutMs} ms and was ended.`);
    case 'memory':
      return plain('memory', `The program took more than ${limits.memoryMb} MB of memory and was ended.`);
    case 'output_limit':
      return plain(
        'output_limit',
        `The program printed more than ${runLimits.streamKillBytes / 1024 / 1024} MB and was ended. Print less, or leave the value as the result.`,
      );
    case 'result_limit':
      return plain(
        'result_limit',
        `The program sent more than ${runLimits.channelBytes / 1024 / 1024} MB on the result channel and was ended.`,
      );
    case 'cancelled':
      return plain('killed', 'The run was stopped.');
    case 'unavailable':
      return plain('unavailable', `The runtime could not be started: ${raw.reason ?? 'no reason known'}.`);
    case 'reported': {
      try {
        const { report, files } = readReport(raw.report ?? '');
        return { ...fromReport(report), files };
      } catch (error) {
        if (!(error instanceof UntrustedError)) throw error;
        return plain('error', `The program's result was refused: ${error.message}.`);
      }
    }
    case 'exit':
      return ended(raw);
  }
}

function ended(raw: RawRun): Judgement {
  const code = raw.exitCode;
  if ((raw.signal !== null && CRASHES.includes(raw.signal)) || (code !== null && CRASH_NUMBERS.includes(code))) {
    return plain('crashed', `The interpreter crashed (${raw.signal ?? `code ${code}`}).`);
  }
  if (raw.signal === 'SIGXCPU' || code === 152) return plain('timeout', 'The program used up its processor time and was ended.');
  if (raw.signal !== null || code === 137 || code === 143)
    return plain('killed', `The interpreter was killed (${raw.signal ?? `code ${code}`}).`);
  return plain('no_result', `The program ended the interpreter itself (code ${code}) before a result could be taken.`);
}

/** Masks personal data everywhere in the envelope; a stream is masked as one text, so that a number written in pieces is seen whole. */
export function redactAll(result: RunResult): RunResult {
  let count = 0;
  const mask = (text: string): string => {
    const masked = redactText(text);
    count += masked.count;
    return masked.text;
  };
  const data = (value: unknown): unknown => {
    const masked = redactValue(value);
    count += masked.count;
    return masked.value;
  };
  const output =
    result.output === null || result.output.type === 'image'
      ? result.output
      : ({ ...result.output, data: data(result.output.data), summary: mask(result.output.summary) } as RunOutput);
  const { error } = result;
  const masked: RunResult = {
    ...result,
    output,
    stdout: { ...result.stdout, text: mask(result.stdout.text) },
    stderr: { ...result.stderr, text: mask(result.stderr.text) },
    error:
      error === null
        ? null
        : { name: mask(error.name), message: mask(error.message), trace: error.trace.map((t) => ({ line: t.line, in: mask(t.in) })) },
    violations: result.violations.map((v) => ({ line: v.line, what: mask(v.what) })),
    notes: result.notes.map(mask),
    files: result.files.map((f) => ({ ...f, name: mask(f.name) })),
  };
  return { ...masked, metadata: { ...result.metadata, redactions: count } };
}

export function writeEnvelope(raw: RawRun, level: RunLevel, limits: { timeoutMs: number; memoryMb: number }): RunResult {
  const judged = judge(raw, limits);
  const notes = [...judged.notes];
  if (raw.foreignBytes > 0) notes.push(`${raw.foreignBytes} bytes that the program wrote into the result channel were ignored.`);
  const result: RunResult = {
    ...judged,
    level,
    runtime: raw.runtime,
    notes,
    stdout: stream(raw.stdout),
    stderr: stream(raw.stderr),
    metadata: {
      exec_time_ms: Math.round(raw.execMs * 10) / 10,
      start_ms: Math.round(raw.startMs * 10) / 10,
      memory_used_mb: raw.memoryMb === null ? null : Math.round(raw.memoryMb * 10) / 10,
      memory_source: raw.memorySource,
      cached: false,
      redactions: 0,
    },
  };
  return redactAll(result);
}
