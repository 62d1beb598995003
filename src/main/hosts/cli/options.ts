import { parseArgs } from 'node:util';
import { HandrailError, type Lang } from '../../../shared/errors.ts';

const flags = {
  json: { type: 'boolean' },
  data: { type: 'string' },
  plant: { type: 'string' },
  lang: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  rtu: { type: 'string' },
  fault: { type: 'string', multiple: true },
  model: { type: 'string' },
  'base-url': { type: 'string' },
  approve: { type: 'string', multiple: true },
  input: { type: 'string', multiple: true },
  connection: { type: 'string' },
  level: { type: 'string' },
  'timeout-ms': { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

type Flag = keyof typeof flags;

/** Which flags each command takes, besides --json --data --plant --lang --help that all take. */
const flagsOf: Record<string, readonly Flag[]> = {
  serve: ['port', 'no-open', 'model', 'base-url'],
  simulate: ['port', 'rtu', 'fault'],
  ask: ['model', 'base-url', 'approve', 'input'],
  interpret: [],
  tool: ['approve', 'dry-run', 'input'],
  exec: ['input', 'level', 'timeout-ms'],
  doctor: ['connection'],
  health: [],
  audit: [],
};
const everywhere: readonly Flag[] = ['json', 'data', 'plant', 'lang', 'help', 'version'];

export type CliOptions = {
  command: string;
  words: string[];
  json: boolean;
  data: string | undefined;
  plant: string | undefined;
  lang: Lang | undefined;
  port: number | undefined;
  open: boolean;
  rtu: string | undefined;
  faults: string[];
  model: string;
  baseUrl: string | undefined;
  approve: string[];
  inputs: string[];
  connection: string | undefined;
  codeLang: string | undefined;
  level: string | undefined;
  timeoutMs: number | undefined;
  dryRun: boolean;
  help: boolean;
  version: boolean;
};

export const commandNames = Object.keys(flagsOf);

const usage = (reason: string): HandrailError => new HandrailError('ARGS_USAGE', { detail: { reason } });

/**
 * Reads the command line. `exec --lang python` names the program's language, everywhere else `--lang` is the language of
 * answers. Throws ARGS_USAGE that names the wrong word; nothing is guessed.
 */
export function readOptions(argv: readonly string[]): CliOptions {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options: flags, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message.split('\n')[0]!.replace(/\.$/, '') : String(error));
  }
  const { values } = parsed;
  const [command = '', ...words] = parsed.positionals;
  const help = values.help === true || command === 'help';
  if (!help && values.version !== true) checkFlags(command, Object.keys(values) as Flag[]);
  const exec = command === 'exec';
  return {
    command,
    words,
    help,
    version: values.version === true,
    json: values.json === true,
    data: values.data,
    plant: values.plant,
    lang: exec ? undefined : readLang(values.lang),
    port: readWhole('--port', values.port, 0, 65535),
    open: values['no-open'] !== true,
    rtu: values.rtu,
    faults: values.fault ?? [],
    model: values.model ?? 'builtin',
    baseUrl: values['base-url'],
    approve: values.approve ?? [],
    inputs: values.input ?? [],
    connection: values.connection,
    codeLang: exec ? values.lang : undefined,
    level: values.level,
    timeoutMs: readWhole('--timeout-ms', values['timeout-ms'], 1000, 30_000),
    dryRun: values['dry-run'] === true,
  };
}

function checkFlags(command: string, used: readonly Flag[]): void {
  const own = flagsOf[command];
  if (own === undefined)
    throw usage(command === '' ? 'no command given' : `unknown command "${command}", the commands are ${commandNames.join(', ')}`);
  const wrong = used.find((flag) => !everywhere.includes(flag) && !own.includes(flag));
  if (wrong !== undefined) throw usage(`"${command}" does not take --${wrong}`);
}

function readLang(text: string | undefined): Lang | undefined {
  if (text === undefined || text === 'zh' || text === 'en') return text;
  throw usage(`--lang is zh or en, not "${text}"`);
}

function readWhole(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw usage(`${flag} takes a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}
