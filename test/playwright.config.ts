import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

// Debian's own browser; headless-shell is twice as fast per test. One worker: two cores have timing noise enough.
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

export default defineConfig({
  testDir: './browser',
  outputDir: '../.cache/browser-results',
  workers: 1,
  timeout: 180_000, // a loaded machine is five times slower; what hangs is ended all the same
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME']
    ? [['list'], ['./browser/summary.ts'], ['json']]
    : [['list'], ['./browser/summary.ts']],
  use: {
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    launchOptions: { ...(executablePath ? { executablePath } : {}), args: ['--font-render-hinting=none', '--force-color-profile=srgb'] },
  },
});
