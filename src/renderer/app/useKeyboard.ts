import { useEffect } from 'react';
import { isBusy, stop } from '../client/asking.ts';
import { closeSheet, show, useShell, type Screen } from '../client/shell.ts';
import { lockNow } from './LockChip.tsx';

const screens: Screen[] = ['workbench', 'record', 'logbench', 'settings'];
const inText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** The keys that work everywhere. Nothing here approves a write or opens writing. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // While an input method composes, every key belongs to it (229 is what some of them send).
      if (event.isComposing || event.keyCode === 229) return;
      // Escape stops what runs whatever lies on top, also where a popover has taken the key to close itself.
      if (event.key === 'Escape' && !event.repeat && isBusy()) void stop();
      if (event.defaultPrevented) return;
      const act = actionFor(event);
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function actionFor(event: KeyboardEvent): (() => void) | null {
  const { key, ctrlKey: ctrl, shiftKey: shift, altKey: alt } = event;
  const shell = useShell.getState();
  if (key === 'Escape') return escape();
  if (ctrl && !shift && !alt) {
    const place = screens['1234'.indexOf(key)];
    if (key.length === 1 && place) return () => show(place);
    switch (key.toLowerCase()) {
      case 'k':
        return () => useShell.setState({ palette: !shell.palette });
      case 'l':
        return () => focusAfter('message');
      case 'f':
        return shell.screen === 'workbench' ? () => focusAfter('find-tag') : null;
      case ',':
        return () => show('settings');
      default:
        return null;
    }
  }
  if (ctrl && shift && key.toLowerCase() === 'l') return () => void lockNow();
  if (alt && key.toLowerCase() === 'a') return () => focusAfter('approval-title');
  if (key === 'F3') return () => focusAfter('find-tag');
  if (key === 'F6') return () => nextPane(shift ? -1 : 1);
  if (key === 'F8') return () => useShell.setState({ paused: shell.paused === null ? Date.now() : null });
  if (key === 'F9') return () => useShell.setState({ drawerOpen: !shell.drawerOpen });
  if (key === '?' && !inText(event.target)) return () => useShell.setState({ palette: true });
  return null;
}

/** Closes what lies on top of the page; popovers and dialogs take their own Escape before us. */
function escape(): (() => void) | null {
  const shell = useShell.getState();
  if (document.querySelector('dialog[open], [data-radix-popper-content-wrapper]')) return null;
  if (shell.sheet !== null) return closeSheet;
  if (shell.treeOpen) return () => useShell.setState({ treeOpen: false });
  return null;
}

function focusAfter(id: string): void {
  useShell.setState({ screen: 'workbench' });
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

function nextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetParent !== null);
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  panes[(at + step + panes.length) % panes.length]?.focus();
}
