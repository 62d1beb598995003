import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { HandrailError } from '../../../../shared/errors.ts';
import type { RunLang, RunLevel } from '../../../../shared/contracts/sandbox.ts';
import type { Command } from './index.ts';
import { exitCodes } from '../print.ts';
import { oneWord } from '../withCore.ts';
import { createSandboxForCli } from '../../../core.ts';

const langs: readonly RunLang[] = ['python', 'javascript', 'sql', 'shell'];
const levels: readonly RunLevel[] = ['kernel', 'kernel-lite', 'wasm-renderer', 'wasm', 'engine'];

/** One sandbox run. The envelope is the answer, whatever its status; exit 3 when that is not `ok`. */
export const exec: Command = async (options, printer) => {
  const path = oneWord(options, 'the program file');
  const lang = langs.find((known) => known === options.codeLang);
  if (!lang) throw new HandrailError('ARGS_USAGE', { detail: { reason: `--lang is one of ${langs.join(', ')}` } });
  const level = levels.find((known) => known === options.level);
  if (options.level !== undefined && !level)
    throw new HandrailError('ARGS_USAGE', { detail: { reason: `--level is one of ${levels.join(', ')}` } });
  const code = read(path).toString('utf8');
  const inputs = options.inputs.map((input) => ({ name: basename(input), bytes: read(input) }));
  const sandbox = createSandboxForCli();
  try {
    const result = await sandbox.run({ lang, code, inputs, level, limits: { timeoutMs: options.timeoutMs }, useCache: false });
    return printer.result(result, JSON.stringify(result, null, 2), result.status === 'ok' ? exitCodes.ok : exitCodes.refused);
  } finally {
    await sandbox.close();
  }
};

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new HandrailError('ARGS_UNREADABLE_FILE', {
      detail: { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
      cause,
    });
  }
}
