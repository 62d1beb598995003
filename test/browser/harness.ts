import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { createFakeCore, type FakeCore } from '../harness/fakeCore.ts';
import { startWebHost } from '../../src/main/hosts/web/index.ts';

/** The built program; another place than `out` can be named while somebody else builds there. */
export const outFolder = resolve(process.env['HANDRAIL_OUT'] ?? 'out');

export type Served = { url: string; data: string; log: () => string };
type Fixtures = {
  faults: string[];
  open: (options?: { url?: string }) => Promise<Page>;
  fake: { core: FakeCore; url: string; stop: () => Promise<void> };
};
type WorkerFixtures = { served: Served };

/** Starts `handrail serve` on the simulated plant, as a person would, and waits for the line with its address. */
export async function startServe(data: string, args: string[] = []): Promise<{ child: ChildProcess; url: string; log: () => string }> {
  const cli = join(outFolder, 'main', 'cli.js');
  if (!existsSync(cli)) throw new Error(`${cli} is not there: build first (npm run build)`);
  const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--data', data, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const url = await new Promise<string>((resolvePromise, reject) => {
    const take = (chunk: Buffer): void => {
      text += String(chunk);
      const found = /http:\/\/127\.0\.0\.1:\d+\/#t=\S+/.exec(text);
      if (found) resolvePromise(found[0]);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => reject(new Error(`serve ended with code ${code}: ${text}`)));
    setTimeout(() => reject(new Error(`serve printed no address: ${text}`)), 30_000).unref();
  });
  return { child, url, log: () => text };
}

export async function stopServe(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 8000);
  await ended;
  clearTimeout(timer);
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  served: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures' names from this pattern
    async ({}, use) => {
      const data = mkdtempSync(join(tmpdir(), 'handrail-browser-'));
      const { child, url, log } = await startServe(data);
      await use({ url, data, log });
      await stopServe(child);
      rmSync(data, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  /** What the browser complained about; every test ends by expecting nothing, so a refused style or a 404 is a failure. */
  faults: [
    async ({ page }, use) => {
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || /Content Security Policy|Refused/.test(message.text())) faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
  open: async ({ page, served }, use) => {
    await use(async (options = {}) => {
      await page.goto(options.url ?? served.url);
      await expect(page.getByRole('grid', { name: 'Live registers' }).or(page.getByRole('grid', { name: '实时寄存器' }))).toBeVisible();
      await expect(page.locator('#row-boiler_temp_sp .c-value')).toHaveText(/^\d/);
      return page;
    });
  },
  // eslint-disable-next-line no-empty-pattern
  fake: async ({}, use) => {
    const core = createFakeCore();
    const host = await startWebHost({ core, rendererRoot: join(outFolder, 'renderer') });
    let running = true;
    const stop = async (): Promise<void> => {
      if (!running) return;
      running = false;
      core.close();
      await host.close();
    };
    await use({ core, url: host.url, stop });
    await stop();
  },
});
export { expect };

export async function say(page: Page, text: string): Promise<void> {
  await page.locator('#message').fill(text);
  await page.locator('#message').press('Enter');
}

/** Opens writing for one device as a person does. */
export async function arm(page: Page, device: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Writing locked' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open writing' });
  await dialog.getByRole('checkbox', { name: device }).check();
  await dialog.getByLabel('Reason').fill('test of the page');
  await dialog.getByLabel('Operator').fill('wang.lei');
  await dialog.getByRole('button', { name: 'Open writing' }).click();
  await expect(page.getByText('Writing open:')).toBeVisible();
}

export async function lockAgain(page: Page): Promise<void> {
  const lock = page.getByRole('button', { name: 'Lock', exact: true });
  if (await lock.isVisible()) await lock.click();
  await expect(page.getByRole('button', { name: 'Writing locked' })).toBeVisible();
}
