/**
 * One pane may fill the workbench for a while. It is a matter of this page's sight only, so it stands as an attribute on the
 * elements and in no store.
 */
const work = (): HTMLElement | null => document.querySelector<HTMLElement>('.work');

export const isFilled = (): boolean => work()?.hasAttribute('data-fill') ?? false;

export function leaveFill(): void {
  work()?.removeAttribute('data-fill');
  document.querySelectorAll('[data-filled]').forEach((pane) => pane.removeAttribute('data-filled'));
}

/** The pane with the focus fills the workbench, or all come back. */
export function toggleFill(): void {
  if (isFilled()) return leaveFill();
  const pane = document.activeElement?.closest('.work [data-pane]');
  if (!pane) return;
  pane.setAttribute('data-filled', '');
  work()?.setAttribute('data-fill', '');
}

/** The whole screen for the window; where the browser does not allow it, nothing happens. */
export function toggleFullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
  else void document.documentElement.requestFullscreen().catch(() => undefined);
}
