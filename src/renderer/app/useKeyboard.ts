import { useEffect } from 'react';
import { isBusy, stop } from '../client/asking.ts';
import { closeSheet, useShell } from '../client/shell.ts';
import { commands, keyName } from './commands.ts';
import { isFilled, leaveFill } from './fillPane.ts';

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
  if (event.key === 'Escape') return escape();
  if (event.key === '?' && !inText(event.target)) return () => useShell.setState({ palette: true });
  // A letter alone belongs to the pane that has the focus.
  const name = keyName(event);
  return commands.find((command) => command.key === name && !command.panes)?.run ?? null;
}

/** Closes what lies on top of the page; popovers and dialogs take their own Escape before us. */
function escape(): (() => void) | null {
  const shell = useShell.getState();
  if (document.querySelector('dialog[open], [data-radix-popper-content-wrapper]')) return null;
  if (shell.sheet !== null) return closeSheet;
  if (shell.treeOpen) return () => useShell.setState({ treeOpen: false });
  if (isFilled()) return leaveFill;
  return null;
}
