import { show, useShell } from '../client/shell.ts';

/** Ctrl+F finds in what has the focus: its own search box, the conversation's, else the plant's. */
export function findInFocus(): void {
  const pane = document.activeElement?.closest('[data-pane]') ?? null;
  const own = pane?.querySelector<HTMLInputElement>('input[type=search]');
  if (own && own.offsetParent !== null) return own.focus();
  if (pane?.classList.contains('chat')) return useShell.setState({ finding: true });
  const { screen } = useShell.getState();
  const onScreen = screen === 'workbench' ? null : document.querySelector<HTMLInputElement>('main:not(.work) input[type=search]');
  if (onScreen) return onScreen.focus();
  show('workbench');
  requestAnimationFrame(() => document.getElementById('find-tag')?.focus());
}
