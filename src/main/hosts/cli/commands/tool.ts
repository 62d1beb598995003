import { HandrailError } from '../../../../shared/errors.ts';
import type { Command } from './index.ts';
import { exitCodes } from '../print.ts';
import { withCore } from '../withCore.ts';

/** One call through the gateway, by the person at the terminal. */
export const tool: Command = async (options, printer) => {
  const [name, json = '{}', ...rest] = options.words;
  if (name === undefined || rest.length > 0)
    throw new HandrailError('ARGS_USAGE', { detail: { reason: '"tool" takes a name and one JSON text' } });
  const args = parse(json);
  return withCore(options, printer, async (core) => {
    for (const path of options.inputs) core.files.bring(path);
    const sessionId = core.agent.startSession({ door: 'cli', operator: core.operator() });
    const envelope = await core.gateway.call({
      tool: name,
      args,
      caller: `person:${core.operator()}`,
      sessionId,
      lang: printer.lang,
      dryRun: options.dryRun,
    });
    if (envelope.error) printer.log(`${envelope.error.code}: ${envelope.error.message} ${envelope.error.advice}`);
    return printer.result(envelope, JSON.stringify(envelope, null, 2), envelope.ok ? exitCodes.ok : exitCodes.refused);
  });
};

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new HandrailError('ARGS_USAGE', {
      detail: { reason: `the arguments are no JSON (${cause instanceof Error ? cause.message : String(cause)})` },
      cause,
    });
  }
}
