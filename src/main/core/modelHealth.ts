import type { Health } from '../../shared/contracts/api.ts';
import type { WireError } from '../../shared/errors.ts';
import type { CoreParts } from './parts.ts';

/** How the model stands, by what the turns saw of it: nothing is asked of a server only to show this. */
export function watchModel(
  parts: Pick<CoreParts, 'agent' | 'settings'>,
  changed: () => void,
): { now(): Pick<Health['model'], 'state' | 'error'>; close(): void } {
  let seen: Pick<Health['model'], 'state' | 'error'> = { state: 'ready', error: null };
  const see = (state: Health['model']['state'], error: Health['model']['error'] = null): void => {
    if (state === seen.state && error === null && seen.error === null) return;
    seen = { state, error };
    changed();
  };
  const stops = [
    // Another model, or another address, is another matter.
    parts.settings.onChange(() => see('ready')),
    parts.agent.onEvent((event) => {
      if (event.type === 'model-loading' && event.seconds > 0) see('loading');
      else if (event.type === 'text' || event.type === 'thinking') see('ready');
      else if (event.type === 'turn-ended') {
        const { error } = event.report;
        if (error?.code.startsWith('MODEL_') === true) see(error.code === 'MODEL_OFFLINE' ? 'offline' : 'error', inBoth(error));
        else see('ready');
      }
    }),
  ];
  return { now: () => seen, close: () => stops.forEach((stop) => stop()) };
}

/** A report carries the words of its turn's language; they are shown as they were said. */
const inBoth = ({ code, message, advice }: WireError): Health['model']['error'] => ({
  code,
  message: { en: message, zh: message },
  advice: { en: advice, zh: advice },
});
