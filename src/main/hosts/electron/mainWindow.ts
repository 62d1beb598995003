import { BrowserWindow, session } from 'electron';
import { lockedPage } from './lockedPage.ts';
import { pageOrigin } from './pageScheme.ts';

/** The page needs no camera, serial port, notification or clipboard of the browser; whatever asks is refused. */
export function denyPermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  session.defaultSession.setDevicePermissionHandler(() => false);
}

export function openMainWindow(preload: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 1024,
    minHeight: 700,
    show: false,
    title: 'Handrail',
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      ...lockedPage,
    },
  });
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  const stay = (event: { url: string; preventDefault(): void }): void => {
    if (!event.url.startsWith(`${pageOrigin}/`)) event.preventDefault();
  };
  webContents.on('will-navigate', stay);
  webContents.on('will-redirect', stay);
  webContents.on('will-frame-navigate', stay);
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  window.once('ready-to-show', () => window.show());
  return window;
}
