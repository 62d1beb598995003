import { HandrailError } from '../../shared/errors.ts';

/** Time limits and counts of the loop. Milliseconds unless the name says otherwise. */
export type Fuses = {
  /** PLANNING without any progress. */
  planningMs: number;
  /** A model that is being loaded: minutes on a slow disk. Shown while it runs. */
  modelLoadMs: number;
  /** A loaded model that reads the prompt before its first token: slow on a CPU. Shown while it runs. */
  firstTokenMs: number;
  /** TOOL_CALLING, or the longest contract of the calls that still run, whichever is larger. */
  toolCallingMs: number;
  /** SANDBOX_EXECUTION, or the run's own limit plus `sandboxGraceMs`, whichever is larger. */
  sandboxMs: number;
  sandboxGraceMs: number;
  verificationMs: number;
  /** A read-back that the device asked to wait for (exception 05) has this instead. */
  readBackMs: number;
  /** The whole turn, not counting the time a person takes to decide. */
  turnMs: number;
  /** How long a person may take; then the call is refused. */
  personMs: number;
  maxReplans: number;
  maxRounds: number;
  /** How often a read that failed on the wire is tried again, and the pause before the first time (doubled after). */
  readRetries: number;
  backoffMs: number;
  /** After Stop: how long open calls may take to tell their true state. */
  stopMs: number;
};

/** Seed values of the product and the bounds within which a site may change them. */
export const fuseBounds: Record<keyof Fuses, { seed: number; min: number; max: number }> = {
  planningMs: { seed: 8_000, min: 1_000, max: 120_000 },
  modelLoadMs: { seed: 300_000, min: 5_000, max: 1_800_000 },
  firstTokenMs: { seed: 120_000, min: 2_000, max: 900_000 },
  toolCallingMs: { seed: 3_000, min: 1_000, max: 30_000 },
  sandboxMs: { seed: 15_000, min: 1_000, max: 60_000 },
  sandboxGraceMs: { seed: 2_000, min: 0, max: 10_000 },
  verificationMs: { seed: 5_000, min: 500, max: 30_000 },
  readBackMs: { seed: 30_000, min: 1_000, max: 120_000 },
  turnMs: { seed: 600_000, min: 5_000, max: 3_600_000 },
  personMs: { seed: 60_000, min: 5_000, max: 60_000 },
  maxReplans: { seed: 3, min: 0, max: 3 },
  maxRounds: { seed: 24, min: 1, max: 100 },
  readRetries: { seed: 1, min: 0, max: 3 },
  backoffMs: { seed: 250, min: 0, max: 5_000 },
  stopMs: { seed: 1_800, min: 100, max: 1_900 },
};

export const seedFuses: Fuses = Object.fromEntries(Object.entries(fuseBounds).map(([name, b]) => [name, b.seed])) as Fuses;

/** The seeds with a site's own values; a value outside its bounds is refused, not bent. */
export function settleFuses(wanted: Partial<Fuses> = {}): Fuses {
  const fuses = { ...seedFuses };
  for (const [name, value] of Object.entries(wanted) as [keyof Fuses, number | undefined][]) {
    if (value === undefined) continue;
    const bounds = fuseBounds[name] as { min: number; max: number } | undefined;
    if (bounds === undefined)
      throw new HandrailError('ARGS_INVALID', { detail: { reason: `there is no limit named ${name}`, field: name } });
    if (!Number.isInteger(value) || value < bounds.min || value > bounds.max) {
      throw new HandrailError('ARGS_INVALID', {
        detail: { reason: `${name} must be a whole number from ${bounds.min} to ${bounds.max}`, field: name },
      });
    }
    fuses[name] = value;
  }
  return fuses;
}
