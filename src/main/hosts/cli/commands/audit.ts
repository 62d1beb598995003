import { openAudit } from '../../../core.ts';
import type { CallRow, SessionRow, VerifyReport } from '../../../../shared/contracts/record.ts';
import { HandrailError } from '../../../../shared/errors.ts';
import { defaultDataFolder } from '../../dataFolder.ts';
import type { CliOptions } from '../options.ts';
import { exitCodes, type Printer } from '../print.ts';
import type { Command } from './index.ts';

type Audit = ReturnType<typeof openAudit>;
type Action = (audit: Audit, words: readonly string[], printer: Printer) => Promise<number>;

const usage = (reason: string): HandrailError => new HandrailError('ARGS_USAGE', { detail: { reason } });

/** The record, read beside whoever writes it: nothing here changes a byte. */
export const audit: Command = async (options: CliOptions, printer) => {
  const [name = '', ...words] = options.words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw usage(`"audit" takes ${Object.keys(actions).join(', ')}, not "${name}"`);
  const opened = openAudit(options.data ?? defaultDataFolder(), printer.lang);
  try {
    return await action(opened, words, printer);
  } finally {
    opened.close();
  }
};

const actions: Record<string, Action> = {
  async list({ record }, words, printer) {
    if (words.length > 0) throw usage('"audit list" takes no further words');
    const sessions = record.sessions({ limit: 1000 });
    return printer.result(sessions, sessions.map(sessionLine).join('\n') || '-');
  },
  async show({ record }, words, printer) {
    const id = only(words, 'show');
    const session = record.session(id);
    if (session) {
      const calls = record.calls(id);
      return printer.result({ session, turns: record.turns(id), calls }, [sessionLine(session), ...calls.map(callLine)].join('\n'));
    }
    const call = record.call(id);
    if (!call) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'session or call', id } });
    return printer.result(call, JSON.stringify(call, null, 2));
  },
  async verify({ record, verifyFile }, words, printer) {
    const report = words.length === 0 ? await record.verify() : await verifyFile(only(words, 'verify'));
    return printer.result(report, verdict(report, printer), report.ok ? exitCodes.ok : exitCodes.usage);
  },
  async export({ record }, words, printer) {
    const [id, file, ...rest] = words;
    if (id === undefined || file === undefined || rest.length > 0) throw usage('"audit export" takes a session and a file');
    const made = await record.exportSession(id, file);
    return printer.result({ file, ...made }, `${file}: ${made.events} / SHA-256 ${made.sha256}`);
  },
  async replay({ record }, words, printer) {
    const replay = record.replaySession(only(words, 'replay'));
    const lines = replay.steps.map((step) => `${(step.offsetMs / 1000).toFixed(3).padStart(10)} s  ${step.event.kind}`);
    const same = { en: replay.same ? 'same verdicts' : 'DIFFERENT verdicts', zh: replay.same ? '结论一致' : '结论不一致' }[printer.lang];
    return printer.result(replay, [...lines, same].join('\n'), replay.same ? exitCodes.ok : exitCodes.refused);
  },
};

function only(words: readonly string[], name: string): string {
  const [word, ...rest] = words;
  if (word === undefined || rest.length > 0) throw usage(`"audit ${name}" takes one word`);
  return word;
}

const sessionLine = (s: SessionRow): string =>
  `${s.id}  ${s.startedAt}  ${s.door}  ${s.operator}  ${s.turns} turns, ${s.calls} calls, ${s.writes} writes  ${s.title}`;

function callLine({ call, result, state }: CallRow): string {
  const args = Object.fromEntries(Object.entries(call.args).filter(([, value]) => value !== null));
  const end = result === null ? state : result.ok ? `ok ${result.meta.duration_ms} ms` : result.error!.code;
  return `  ${call.meta.timestamp}  ${call.call_id}  ${call.tool} ${JSON.stringify(args)}  ${end}`;
}

function verdict(report: VerifyReport, printer: Printer): string {
  const broken = report.firstBroken;
  if (broken === null) {
    return {
      en: `${report.events} records, every one proven. Head ${report.headSeq} ${report.headHash}`,
      zh: `${report.events} 条记录全部可证明。末条 ${report.headSeq} ${report.headHash}`,
    }[printer.lang];
  }
  return {
    en: `Record ${broken.seq} was changed or is missing (${broken.reason}). Everything before it is proven.`,
    zh: `第 ${broken.seq} 条记录被改动或缺失（${broken.reason}），此前内容均可证明。`,
  }[printer.lang];
}
