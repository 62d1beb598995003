import { asHandrailError, type Lang } from '../../../shared/errors.ts';
import { commands } from './commands/index.ts';
import { helpText } from './help.ts';
import { handrailVersion } from '../../entries.ts';
import { readOptions, type CliOptions } from './options.ts';
import { createPrinter, exitCodes } from './print.ts';

/** The machine's language where neither flag nor question tells one. */
function systemLang(): Lang {
  return /^zh/i.test(process.env['LC_ALL'] ?? process.env['LC_MESSAGES'] ?? process.env['LANG'] ?? '') ? 'zh' : 'en';
}

async function main(argv: readonly string[]): Promise<number> {
  let options: CliOptions | undefined;
  const printer = createPrinter({ json: argv.includes('--json'), lang: systemLang() });
  try {
    options = readOptions(argv);
    if (options.lang) printer.lang = options.lang;
    if (options.version) return printer.text(handrailVersion());
    if (options.help) return printer.text(helpText(printer.lang, options.command === 'help' ? options.words[0] : options.command));
    return await commands[options.command]!(options, printer);
  } catch (thrown) {
    printer.error(asHandrailError(thrown));
    return exitCodes.usage;
  }
}

process.exitCode = await main(process.argv.slice(2));
