import type { HandrailError, Lang, WireError } from '../../../shared/errors.ts';

/** Exit codes of design section 2. */
export const exitCodes = { ok: 0, usage: 1, asksBack: 2, refused: 3 } as const;

export type Printer = {
  lang: Lang;
  readonly json: boolean;
  /** The one JSON document of `--json`; without it, `human` is printed. Returns the exit code given. */
  result(value: unknown, human: string, code?: number): number;
  text(line: string): number;
  log(line: string): void;
  error(error: HandrailError): void;
  wireError(error: WireError): void;
};

/** stdout carries the answer alone; everything else goes to stderr. */
export function createPrinter(options: { json: boolean; lang: Lang }): Printer {
  const out = (line: string): void => void process.stdout.write(`${line}\n`);
  const err = (line: string): void => void process.stderr.write(`${line}\n`);
  const printer: Printer = {
    lang: options.lang,
    json: options.json,
    result(value, human, code = exitCodes.ok) {
      out(options.json ? JSON.stringify(value) : human);
      return code;
    },
    text(line) {
      out(line);
      return exitCodes.ok;
    },
    log: err,
    error(error) {
      printer.wireError(error.toWire(printer.lang));
    },
    wireError(error) {
      if (options.json) out(JSON.stringify({ error }));
      err(`${error.code}: ${error.message} ${error.advice}`);
    },
  };
  return printer;
}
