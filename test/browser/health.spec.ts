import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { HealthReport } from '../../src/shared/contracts/api.ts';
import { HandrailError } from '../../src/shared/errors.ts';
import { expect, say, test } from './harness.ts';

test('health shows levels with their means, waiting interpreters and the ledger, and saves the same as one document', async ({ open }) => {
  const page = await open();
  await say(page, 'is the average of boiler temp and boiler setpoint above 10?');
  await expect(page.locator('.turn .answer')).toBeVisible();
  await page.getByRole('tab', { name: 'Health' }).click();
  const health = page.locator('.health');
  await expect(health.getByText('by which means').first()).toBeVisible({ timeout: 60_000 });
  await health.getByText('by which means').first().click();
  await expect(health.getByText(/^Network: /).first()).toBeVisible();
  const ledger = health.getByRole('table', { name: /Tokens and programs/ });
  await expect(ledger.getByRole('row', { name: /^This session/ })).toBeVisible();
  await expect(ledger.getByRole('row', { name: /^All sessions/ })).toBeVisible();
  const saved = page.waitForEvent('download');
  await ledger.getByRole('button', { name: 'Export' }).click();
  const file = await (await saved).path();
  const report = JSON.parse(readFileSync(file, 'utf8')) as HealthReport;
  expect(report.health.sandbox.map((entry) => entry.lang).sort()).toEqual(['javascript', 'python', 'shell', 'sql']);
  expect(report.ledger.turns).toHaveLength(1);
});

test('samples that cannot be kept are told with what to do, and the tab passes axe in every theme', async ({ page, fake }) => {
  const told = fake.core.api.streams.health;
  const error = new HandrailError('STORE_WRITE', { detail: { reason: 'the disk is full' } });
  fake.core.api.streams.health = async function* (params, context) {
    for await (const health of told(params, context))
      yield { ...health, history: { dropped: 12, error: { code: error.code, ...error.text } } };
  };
  await page.goto(fake.url);
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Health' }).click();
  const health = page.locator('.health');
  await expect(health.getByText('cannot be kept just now, 12 lost.')).toBeVisible();
  await expect(health.getByText(/3 of 4 \(75/).first()).toBeVisible();
  for (const theme of ['light', 'dark', 'contrast']) {
    await page.evaluate((name) => {
      document.documentElement.dataset['theme'] = name;
    }, theme);
    const found = await new AxeBuilder({ page }).include('.drawer').analyze();
    expect(found.violations.map((v) => `${theme}: ${v.id} ${v.nodes.map((n) => n.target.join(' ')).join(' | ')}`)).toEqual([]);
  }
});
