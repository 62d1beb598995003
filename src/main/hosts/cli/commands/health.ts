import type { HealthReport } from '../../../../shared/contracts/api.ts';
import type { Bilingual, Lang } from '../../../../shared/errors.ts';
import type { LedgerView } from '../../../../shared/ledger.ts';
import { HandrailError } from '../../../../shared/errors.ts';
import { exitCodes } from '../print.ts';
import { withCore } from '../withCore.ts';
import type { Command } from './index.ts';

/** How everything stands, and the ledger of the record: the document that the window saves. Reads beside whoever writes; asks no device. */
export const health: Command = async (options, printer) => {
  const [sessionId, ...rest] = options.words;
  if (rest.length > 0) throw new HandrailError('ARGS_USAGE', { detail: { reason: '"health" takes one session at most' } });
  return withCore(
    options,
    printer,
    async (core) => {
      if (sessionId !== undefined && core.record.session(sessionId) === undefined)
        throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'session', id: sessionId } });
      const report = await core.healthReport(sessionId);
      return printer.result(report, inWords(report, printer.lang), exitCodes.ok);
    },
    { readOnlyStore: true, polling: false },
  );
};

const words = {
  sandbox: { en: 'sandbox', zh: '沙箱' },
  none: { en: 'not available', zh: '不可用' },
  record: { en: 'record', zh: '记录' },
  tokens: { en: 'tokens sent / received / classic way', zh: '词元 发送／接收／传统方式' },
  runs: { en: 'programs', zh: '程序' },
  saved: { en: 'saved by programs', zh: '程序节省' },
  history: { en: 'samples lost', zh: '丢失样本' },
} as const satisfies Record<string, Bilingual>;

function inWords({ health: now, ledger }: HealthReport, lang: Lang): string {
  const level = ({ lang: of, level: at, reason, by }: HealthReport['health']['sandbox'][number]): string =>
    at === null
      ? `${words.sandbox[lang]} ${of}: ${words.none[lang]} (${reason ?? ''})`
      : `${words.sandbox[lang]} ${of}: ${at}${
          by === null
            ? ''
            : ` (${Object.values(by)
                .map((means) => means[lang])
                .join('; ')})`
        }`;
  return [
    ...now.sandbox.map(level),
    `${words.record[lang]}: ${now.record.events}, ${(now.record.bytes / 1e6).toFixed(1)} MB${now.record.blocked === null ? '' : ` ${now.record.blocked.code}`}`,
    ...(now.history === null
      ? []
      : [`${words.history[lang]}: ${now.history.dropped} ${now.history.error.message[lang]} ${now.history.error.advice[lang]}`]),
    ...spent(ledger.overall, lang),
    ...ledger.sessions.map((s) => `  ${s.session}  ${spent(s, lang).join('  ')}  ${s.title}`),
    ...ledger.turns.map((t) => `    ${t.at}  ${t.turn}  ${t.sent} / ${t.received} / ${t.classic ?? '-'}  ${statuses(t.runs)}`),
  ].join('\n');
}

const statuses = (byStatus: Readonly<Record<string, number>>): string =>
  Object.entries(byStatus)
    .map(([status, n]) => `${status} ${n}`)
    .join(', ');

function spent(ledger: LedgerView, lang: Lang): string[] {
  const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
  const { ok, failed, byStatus } = ledger.runs;
  return [
    `${words.tokens[lang]}: ${ledger.sent} / ${ledger.received} / ${ledger.classic}`,
    `${words.runs[lang]}: ${ok} / ${ok + failed}${ledger.successRate === null ? '' : ` (${percent(ledger.successRate)}: ${statuses(byStatus)})`}`,
    ...(ledger.savedShare === null ? [] : [`${words.saved[lang]}: ${percent(ledger.savedShare)}`]),
  ];
}
