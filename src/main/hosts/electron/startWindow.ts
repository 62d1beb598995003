import { app, powerMonitor, type BrowserWindow } from 'electron';
import { join } from 'node:path';
import { createCore } from '../../core.ts';
import { projectRoot } from '../../entries.ts';
import { defaultDataFolder } from '../dataFolder.ts';
import { rejectWhenNobodyLooks } from '../lastClient.ts';
import { noteApprovals } from './approvalNotes.ts';
import { connectPage } from './connectPage.ts';
import { createHiddenRenderer } from './hiddenRenderer.ts';
import { denyPermissions, openMainWindow } from './mainWindow.ts';
import { servePage } from './pageScheme.ts';

/** The desktop program: one core, one window, and everything taken down in reverse when it closes. */
export async function startWindow(): Promise<void> {
  await app.whenReady();
  const lang = app.getLocale().toLowerCase().startsWith('zh') ? 'zh' : 'en';
  const page = join(projectRoot(), 'out', 'renderer');
  const core = await createCore({
    door: 'electron',
    lang,
    dataFolder: argument('--data') ?? defaultDataFolder(),
    plantFile: argument('--plant'),
    hiddenRenderer: createHiddenRenderer(join(projectRoot(), 'out', 'preload', 'run.cjs'), page),
  });
  const watch = rejectWhenNobodyLooks(core.api);
  let window: BrowserWindow | null = null;
  const front = (): void => {
    if (!window) return;
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };

  servePage(page);
  denyPermissions();
  connectPage(core.api, watch, () => window?.webContents ?? null);
  const notes = noteApprovals(core.api, { lang: () => core.settings.get().lang, window: () => window, front });
  // Whoever sits down at an unlocked screen later must not find writing open.
  powerMonitor.on('lock-screen', () => core.arming.lock('the screen was locked'));
  app.on('second-instance', front);
  app.on('window-all-closed', () => app.quit());

  let closing = false;
  app.on('before-quit', (event) => {
    if (closing) return;
    event.preventDefault();
    closing = true;
    notes.stop();
    watch.stop();
    // Quits even when taking down fails: a program that cannot be closed holds the port for ever.
    void core.close().then(
      () => app.quit(),
      () => app.quit(),
    );
  });
  window = openMainWindow(join(projectRoot(), 'out', 'preload', 'index.cjs'));
  window.on('closed', () => {
    window = null;
  });
  await window.loadURL('handrail://app/index.html');
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
