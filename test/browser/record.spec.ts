import { expect, say, test } from './harness.ts';

test('a past session opens read-only as a timeline that steps and plays', async ({ open }) => {
  const page = await open();
  await say(page, 'What is the boiler temperature?');
  await expect(page.locator('.turn .answer')).toBeVisible();
  await page.keyboard.press('Control+2');
  await expect(page.getByText('nothing is read from or written to the plant')).toBeVisible();
  await page.locator('.session').first().click();
  await expect(page.getByRole('grid', { name: 'Records' }).getByRole('row')).not.toHaveCount(1);
  const at = page.locator('.transport');
  await expect(at).toContainText(/· 1 of \d+/);
  await page.getByRole('button', { name: 'Next record' }).click();
  await expect(at).toContainText(/· 2 of \d+/);
  await page.keyboard.press('End');
  await expect(at).toContainText(/· (\d+) of \1/);
  await page.keyboard.press('Home');
  await page.getByRole('radio', { name: '16×' }).click();
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(at).not.toContainText(/· 1 of \d+/);

  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.locator('.verdict')).toContainText(/Record intact: [\d\u2009]+ verified/);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.jsonl$/);
});

test('sessions are found by their words', async ({ open }) => {
  const page = await open();
  await say(page, 'list writable tags');
  await expect(page.locator('.turn .answer')).toBeVisible();
  await page.keyboard.press('Control+2');
  await page.getByRole('searchbox').fill('no session says this at all');
  await expect(page.locator('.session')).toHaveCount(0);
  await page.getByRole('searchbox').fill('writable');
  await expect(page.locator('.session').first()).toBeVisible();
});
