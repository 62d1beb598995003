import type { Health, LineView } from '../../shared/contracts/api.ts';
import type { LineHealth } from '../../shared/contracts/devices.ts';
import { HandrailError, type Bilingual, type ErrorCode } from '../../shared/errors.ts';
import type { CoreParts } from './parts.ts';

type ShownError = { code: ErrorCode; message: Bilingual; advice: Bilingual };
export const shownError = (error: HandrailError | null): ShownError | null =>
  error === null ? null : { code: error.code, message: error.text.message, advice: error.text.advice };

export function lineView({ epoch: _epoch, error, ...line }: LineHealth): LineView {
  return { ...line, error: shownError(error) };
}

export type HealthWatch = { now(): Health; onChange(listener: () => void): () => void; close(): void };

/** Gathers what the status bar and the health drawer show: lines, model, sandbox, record, tokens. */
export function watchHealth(parts: CoreParts): HealthWatch {
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());
  const tokens = { sent: 0, received: 0, classic: null as number | null };
  let sandbox: Health['sandbox'] = [];
  const stops = [
    parts.devices.onHealth(tell),
    parts.agent.onEvent((event) => {
      if (event.type !== 'turn-ended') return;
      const spent = event.report.tokens;
      tokens.sent += spent.sent;
      tokens.received += spent.received;
      if (spent.classic !== null) tokens.classic = (tokens.classic ?? 0) + spent.classic;
      tell();
    }),
  ];
  // The self-test makes real attempts; until it has, no level is claimed.
  void parts.sandbox.levels().then(
    (levels) => {
      sandbox = levels;
      tell();
    },
    (error: unknown) => {
      sandbox = [{ lang: 'python', level: null, reason: String(error) }];
    },
  );
  return {
    now() {
      const record = parts.record.health();
      return {
        at: new Date().toISOString(),
        lines: parts.devices.health().map(lineView),
        model: { ...parts.modelState(), error: null },
        sandbox,
        record: {
          events: record.events,
          bytes: record.bytes,
          lastVerify: null,
          blocked: record.writable ? null : shownError(new HandrailError('STORE_WRITE', { detail: { reason: record.reason ?? '' } })),
        },
        tokens: { ...tokens },
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => stops.forEach((stop) => stop()),
  };
}
