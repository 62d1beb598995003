import { statSync } from 'node:fs';
import { languageOf } from '../../../../shared/language.ts';
import type { TurnReport } from '../../../../shared/contracts/agent.ts';
import type { Command } from './index.ts';
import { exitCodes, type Printer } from '../print.ts';
import { oneWord, withCore } from '../withCore.ts';

/** One turn. Exit 0 answered, 2 asks back, 3 refused or failed. */
export const ask: Command = async (options, printer) => {
  const text = oneWord(options, 'the question');
  const lang = options.lang ?? languageOf(text);
  printer.lang = lang;
  return withCore(options, printer, async (core) => {
    const files = [...options.inputs, ...filesNamedIn(text)].map((path) => core.files.bring(path));
    const sessionId = core.agent.startSession({ door: 'cli', operator: core.operator() });
    const report = await core.agent.ask({ sessionId, text, lang, files });
    return print(report, printer);
  });
};

function print(report: TurnReport, printer: Printer): number {
  const code = report.error ? exitCodes.refused : report.needs_clarification ? exitCodes.asksBack : exitCodes.ok;
  if (report.error && !printer.json) {
    // The answer often says it already; then the code is enough.
    if (report.answer.includes(report.error.message)) printer.log(report.error.code);
    else printer.wireError(report.error);
  }
  return printer.result(report, human(report), code);
}

function human(report: TurnReport): string {
  const choices = report.clarification?.candidates.map((candidate) => `  - ${candidate.label}`) ?? [];
  return [report.answer, report.notice ?? '', ...choices].filter((line) => line !== '').join('\n');
}

/** Files of the current folder that the question names: "summarize comm-0317.log". A name without such a file stays a word. */
function filesNamedIn(text: string): string[] {
  const names = text.match(/[\p{L}\p{N}_.-]+\.(?:csv|tsv|log|txt)(?![A-Za-z0-9])/giu) ?? [];
  // Chinese has no space before a name: 看看boiler.csv may be boiler.csv.
  const spelled = names.flatMap((name) => [name, name.replace(/^\p{Script=Han}+/u, '')]);
  return [...new Set(spelled)].filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true);
}
