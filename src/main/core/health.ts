import { handrailVersion } from '../entries.ts';
import { enforcement } from '../sandbox/index.ts';
import type { Health, HealthReport, LineView } from '../../shared/contracts/api.ts';
import type { LineHealth } from '../../shared/contracts/devices.ts';
import type { VerifyReport } from '../../shared/contracts/record.ts';
import { HandrailError, type Bilingual, type ErrorCode } from '../../shared/errors.ts';
import { watchLedger } from './liveLedger.ts';
import { watchModel } from './modelHealth.ts';
import type { CoreParts } from './parts.ts';

type ShownError = { code: ErrorCode; message: Bilingual; advice: Bilingual };
export const shownError = (error: HandrailError | null): ShownError | null =>
  error === null ? null : { code: error.code, message: error.text.message, advice: error.text.advice };

export function lineView({ epoch: _epoch, error, ...line }: LineHealth): LineView {
  return { ...line, error: shownError(error) };
}

export type HealthWatch = {
  now(): Health;
  /** Health with all that takes a moment to find out (self-test, pools), and the ledger of the record. */
  report: (sessionId?: string) => Promise<HealthReport>;
  verified(report: VerifyReport): void;
  onChange(listener: () => void): () => void;
  close(): void;
};

/** Gathers what the status bar and the health drawer show: lines, model, sandbox, record, history, tokens and runs. */
export function watchHealth(parts: CoreParts): HealthWatch {
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  const ledger = watchLedger(parts, tell);
  const model = watchModel(parts, tell);
  const stopLines = parts.devices.onHealth(tell);
  let sandbox: Health['sandbox'] = [];
  let pools: Health['pools'] = [];
  let lastVerify: Health['record']['lastVerify'] = null;
  let levels: Promise<void> | null = null;
  let asking: Promise<void> | null = null;

  /** The self-test makes real attempts, so it runs when somebody looks, once; until it has, no level is claimed. */
  function findLevels(): Promise<void> {
    levels ??= parts.sandbox.levels().then(
      (found) => {
        sandbox = found.map((entry) => ({ ...entry, by: entry.level === null ? null : enforcement[entry.level] }));
        tell();
      },
      (error: unknown) => {
        sandbox = [{ lang: 'python', level: null, reason: String(error), by: null }];
      },
    );
    return levels;
  }

  /** One question to the broker at a time; what is shown is what it said last. */
  function askPools(): Promise<void> {
    asking ??= parts.sandbox.health().then(
      (found) => {
        pools = found.pools;
        asking = null;
      },
      () => {
        asking = null;
      },
    );
    return asking;
  }

  function now(): Health {
    void findLevels();
    void askPools();
    const record = parts.record.health();
    const trouble = parts.plant.samplingTrouble();
    const counted = ledger.now();
    const { sent, received, classic, turns } = counted.overall;
    return {
      at: new Date().toISOString(),
      lines: parts.devices.health().map(lineView),
      model: { ...parts.modelState(), ...model.now() },
      sandbox,
      pools,
      history: trouble === null ? null : { dropped: trouble.dropped, error: shownError(trouble.error)! },
      record: {
        events: record.events,
        bytes: record.bytes,
        lastVerify,
        // Opened for reading only is how this process looks at the record, not a trouble of the record.
        blocked:
          record.writable || record.reason === 'read-only'
            ? null
            : shownError(new HandrailError('STORE_WRITE', { detail: { reason: record.reason ?? '' } })),
      },
      tokens: { sent, received, classic: turns === 0 ? null : classic },
      ledger: counted,
    };
  }

  return {
    now,
    async report(sessionId) {
      await findLevels();
      await askPools();
      return { version: handrailVersion(), health: now(), ledger: await parts.record.ledger(sessionId === undefined ? {} : { sessionId }) };
    },
    verified(report) {
      lastVerify = { at: new Date().toISOString(), ok: report.ok };
      tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stopLines();
      ledger.close();
      model.close();
    },
  };
}
