import { createCore, recoveredInWords, type Core, type CoreOptions } from '../../core.ts';
import { HandrailError, type Lang } from '../../../shared/errors.ts';
import { defaultDataFolder } from '../dataFolder.ts';
import type { CliOptions } from './options.ts';
import type { Printer } from './print.ts';

/** The options of the core that every command takes from the command line. */
export function coreOptions(options: CliOptions, lang: Lang): CoreOptions {
  return {
    door: 'cli',
    dataFolder: options.data ?? defaultDataFolder(),
    plantFile: options.plant,
    lang,
    model: options.model,
    baseUrl: options.baseUrl,
    approve: options.approve,
  };
}

/** Builds the core, does the work, takes the core down again; a signal stops the work and takes it down too. */
export async function withCore<T>(
  options: CliOptions,
  printer: Printer,
  work: (core: Core) => Promise<T>,
  more: Partial<CoreOptions> = {},
): Promise<T> {
  const core = await createCore({ ...coreOptions(options, printer.lang), ...more });
  for (const line of recoveredInWords(core.record.recovered(), printer.lang)) printer.log(line);
  const onSignal = (): void => void core.stopAll('signal');
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await work(core);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    await core.close();
  }
}

/** The one word a command needs; a missing or a second one is wrong usage. */
export function oneWord(options: CliOptions, what: string): string {
  const [word, ...rest] = options.words;
  if (word === undefined) throw new HandrailError('ARGS_USAGE', { detail: { reason: `"${options.command}" needs ${what}` } });
  if (rest.length > 0)
    throw new HandrailError('ARGS_USAGE', { detail: { reason: `"${options.command}" takes one ${what}; put it in quotes` } });
  return word;
}
