import { newConversation, stop } from '../client/asking.ts';
import { resetLayout, toggleShut } from '../client/layout.ts';
import { changeSettings } from '../client/settings.ts';
import { show, useShell } from '../client/shell.ts';
import type { WordKey } from '../words/words.ts';
import { findInFocus } from './findInFocus.ts';
import { toggleFill, toggleFullScreen } from './fillPane.ts';
import { lockNow } from './LockChip.tsx';

/** `key` as it is pressed and as it is shown; null: only by name. `panes`: the key works inside a pane only and is listed to be known. */
export type Command = { id: string; word: WordKey; key: string | null; run: () => void; panes?: true };

const focusIn = (id: string) => (): void => {
  show('workbench');
  requestAnimationFrame(() => document.getElementById(id)?.focus());
};
const set = (patch: Parameters<typeof changeSettings>[0]) => (): void => void changeSettings(patch).catch(() => undefined); // the settings screen says what holds
const pane = (step: 1 | -1) => (): void => {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((element) => element.offsetParent !== null);
  const at = panes.findIndex((element) => element.contains(document.activeElement));
  panes[(at + step + panes.length) % panes.length]?.focus();
};
const nothing = (): void => undefined;

/** Everything that can be done by key or by name, in one list: keyboard and palette are both made of it, so neither lacks anything. */
export const commands: readonly Command[] = [
  { id: 'workbench', word: 'screen.workbench', key: 'Ctrl+1', run: () => show('workbench') },
  { id: 'record', word: 'screen.record', key: 'Ctrl+2', run: () => show('record') },
  { id: 'logbench', word: 'screen.logbench', key: 'Ctrl+3', run: () => show('logbench') },
  { id: 'settings', word: 'screen.settings', key: 'Ctrl+4', run: () => show('settings') },
  { id: 'settings-too', word: 'screen.settings', key: 'Ctrl+,', run: () => show('settings') },
  { id: 'palette', word: 'palette', key: 'Ctrl+K', run: () => useShell.setState((old) => ({ palette: !old.palette })) },
  { id: 'stop', word: 'palette.stop', key: 'Esc', run: () => void stop(), panes: true },
  { id: 'message', word: 'palette.message', key: 'Ctrl+L', run: focusIn('message') },
  { id: 'new', word: 'chat.new', key: null, run: () => void newConversation().catch(() => undefined) },
  { id: 'find', word: 'palette.find.focus', key: 'Ctrl+F', run: findInFocus },
  { id: 'find-tag', word: 'palette.find', key: 'F3', run: focusIn('find-tag') },
  { id: 'approval', word: 'palette.approval', key: 'Alt+A', run: focusIn('approval-title') },
  { id: 'lock', word: 'palette.lock', key: 'Ctrl+Shift+L', run: () => void lockNow() },
  { id: 'arm', word: 'arm.title', key: null, run: () => useShell.setState({ arming: { devices: [] } }) },
  {
    id: 'connections',
    word: 'connections.edit',
    key: null,
    run: () => {
      show('workbench');
      useShell.setState({ sheet: 'connections' });
    },
  },
  {
    id: 'pause',
    word: 'palette.pause',
    key: 'F8',
    run: () => useShell.setState((old) => ({ paused: old.paused === null ? Date.now() : null })),
  },
  { id: 'drawer', word: 'palette.drawer', key: 'F9', run: () => useShell.setState((old) => ({ drawerOpen: !old.drawerOpen })) },
  {
    id: 'traffic',
    word: 'drawer.traffic',
    key: null,
    run: () => useShell.setState({ drawer: 'traffic', drawerOpen: true, screen: 'workbench' }),
  },
  {
    id: 'calls',
    word: 'drawer.record',
    key: null,
    run: () => useShell.setState({ drawer: 'record', drawerOpen: true, screen: 'workbench' }),
  },
  {
    id: 'health',
    word: 'drawer.health',
    key: null,
    run: () => useShell.setState({ drawer: 'health', drawerOpen: true, screen: 'workbench' }),
  },
  { id: 'plant-shut', word: 'palette.plantShut', key: null, run: () => toggleShut('plantShut') },
  { id: 'trend-shut', word: 'palette.trendShut', key: null, run: () => toggleShut('trendShut') },
  { id: 'layout', word: 'palette.layout', key: null, run: resetLayout },
  { id: 'pane', word: 'palette.pane', key: 'F6', run: pane(1) },
  { id: 'pane-back', word: 'palette.pane.back', key: 'Shift+F6', run: pane(-1) },
  { id: 'full', word: 'palette.full', key: 'F11', run: toggleFullScreen },
  { id: 'fill', word: 'palette.fill', key: 'Shift+F11', run: toggleFill },
  { id: 'zh', word: 'palette.zh', key: null, run: set({ lang: 'zh' }) },
  { id: 'en', word: 'palette.en', key: null, run: set({ lang: 'en' }) },
  { id: 'light', word: 'palette.light', key: null, run: set({ theme: 'light' }) },
  { id: 'dark', word: 'palette.dark', key: null, run: set({ theme: 'dark' }) },
  { id: 'contrast', word: 'palette.contrast', key: null, run: set({ theme: 'contrast' }) },
  { id: 'glove', word: 'palette.glove', key: null, run: set({ density: 'glove' }) },
  { id: 'regular', word: 'palette.regular', key: null, run: set({ density: 'regular' }) },
  { id: 'key-orders', word: 'palette.orders', key: 'Enter', run: nothing, panes: true },
  { id: 'key-trend', word: 'palette.toTrend', key: 'T', run: nothing, panes: true },
  { id: 'key-table', word: 'palette.trendTable', key: 'V', run: nothing, panes: true },
  { id: 'key-cursor', word: 'palette.cursor', key: 'C', run: nothing, panes: true },
  { id: 'key-live', word: 'palette.trendLive', key: '0', run: nothing, panes: true },
  { id: 'key-write', word: 'timeline.write', key: 'W', run: nothing, panes: true },
  { id: 'key-fault', word: 'timeline.fault', key: 'F', run: nothing, panes: true },
];

/** The key of an event as it stands in the list. */
export function keyName({ key, ctrlKey, shiftKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey'>): string {
  const shown = key === 'Escape' ? 'Esc' : key.length === 1 ? key.toUpperCase() : key;
  // Shift makes another sign of most keys; it counts where a key is a letter or has a name.
  const shift = shiftKey && (key.length > 1 || /[a-z]/i.test(key));
  return [ctrlKey && 'Ctrl', altKey && 'Alt', shift && 'Shift', shown].filter(Boolean).join('+');
}
