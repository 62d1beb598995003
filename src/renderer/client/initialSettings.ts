import type { Settings } from '../../shared/contracts/settings.ts';

/**
 * How the page looks until the core has told its settings. Not `defaultSettings`: importing that value would bring the
 * schema library into the page, which has only the types.
 */
export function initialSettings(): Settings {
  return {
    lang: navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en',
    theme: 'auto',
    density: matchMedia('(pointer: coarse)').matches ? 'glove' : 'regular',
    textHz: 4,
    sendWith: 'enter',
    approveBy: 'hold',
    sound: false,
    operator: '',
    model: { kind: 'builtin', name: '', baseUrl: '', profile: 'generic', numCtx: null, think: null },
    historyDays: 90,
    recordDays: null,
    readOnly: false,
    httpHosts: [],
    plantFile: null,
    welcomed: true,
  };
}
