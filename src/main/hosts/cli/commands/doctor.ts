import { HandrailError } from '../../../../shared/errors.ts';
import type { Command } from './index.ts';
import { exitCodes } from '../print.ts';
import { diagnoseConnection } from '../../../core.ts';
import { withCore } from '../withCore.ts';

/** What is wrong on a line, with the evidence. Exit 3 when something is. */
export const doctor: Command = async (options, printer) => {
  const { connection } = options;
  if (connection === undefined) throw new HandrailError('ARGS_USAGE', { detail: { reason: '"doctor" needs --connection' } });
  return withCore(
    options,
    printer,
    async (core) => {
      const finding = await diagnoseConnection(core, connection, printer.lang);
      return printer.result(finding.report, finding.text, finding.report.healthy ? exitCodes.ok : exitCodes.refused);
    },
    { polling: false },
  );
};
