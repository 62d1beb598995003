import { interpret } from '../../../../shared/planner/index.ts';
import { languageOf } from '../../../../shared/language.ts';
import type { Command } from './index.ts';
import { oneWord, withCore } from '../withCore.ts';

/** What the built-in planner understands, without doing it. */
export const interpretText: Command = async (options, printer) => {
  const text = oneWord(options, 'the request');
  const understood = await withCore(
    options,
    printer,
    async (core) => interpret(text, core.world(), undefined, options.lang ?? languageOf(text)),
    { readOnlyStore: true, polling: false },
  );
  return printer.result(understood, JSON.stringify(understood, null, 2));
};
