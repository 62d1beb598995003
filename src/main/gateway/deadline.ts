import { HandrailError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

export type Deadline = {
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  restMs(): number;
  /** The clock stands while a person reads, or while the call waits for a place. */
  hold(): void;
  run(): void;
  /** The frame is on the wire: from here the call ends by itself and nothing cuts it off. */
  release(): void;
  abort(reason: HandrailError): void;
  end(): void;
};

/** A budget that runs only between `run` and `hold`, and a signal that ends with it or with whoever called. */
export function createDeadline(deps: { clock: Clock; what: string; budgetMs: number; outer?: readonly AbortSignal[] }): Deadline {
  const { clock } = deps;
  const stop = new AbortController();
  let rest = deps.budgetMs;
  let since: number | null = null;
  let forget: () => void = () => undefined;
  let released = false;

  const abort = (reason: HandrailError): void => {
    if (!released && !stop.signal.aborted) stop.abort(reason);
  };
  const onOuter = (signal: AbortSignal) => (): void =>
    abort(signal.reason instanceof HandrailError ? signal.reason : new HandrailError('CANCELLED', { cause: signal.reason }));
  const links = (deps.outer ?? []).map((signal) => ({ signal, listener: onOuter(signal) }));
  for (const { signal, listener } of links) {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  }
  const hold = (): void => {
    if (since === null) return;
    rest -= clock.elapsed() - since;
    since = null;
    forget();
  };

  return {
    budgetMs: deps.budgetMs,
    signal: stop.signal,
    restMs: () => Math.max(0, since === null ? rest : rest - (clock.elapsed() - since)),
    hold,
    run() {
      if (since !== null || stop.signal.aborted) return;
      since = clock.elapsed();
      forget = clock.after(Math.max(0, rest), () =>
        abort(new HandrailError('TIMEOUT', { detail: { what: deps.what, timeout_ms: deps.budgetMs } })),
      );
    },
    release() {
      hold();
      released = true;
    },
    abort,
    end() {
      hold();
      for (const { signal, listener } of links) signal.removeEventListener('abort', listener);
    },
  };
}
