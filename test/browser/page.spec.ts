import { expect, say, test } from './harness.ts';

const person = { signal: new AbortController().signal, door: 'web', client: 'test' } as const;

test('a silent device shows no value, says since when, and gets one mark on the device', async ({ page, fake }) => {
  await page.goto(fake.url);
  const row = page.locator('#row-feedwater_flow');
  await expect(row).toHaveClass(/bad/);
  await expect(row.locator('.c-value')).toHaveText('—');
  await expect(row.locator('.c-age')).toContainText('no reply');
  await expect(page.getByRole('img', { name: 'FT-201 flow does not answer' })).toBeVisible();
  const old = page.locator('#row-total_power');
  await expect(old).toHaveClass(/stale/);
  await expect(old.locator('.c-age')).toContainText('old');
});

test('a choice that is asked back is answered by a button', async ({ page, fake }) => {
  await page.goto(fake.url);
  await say(page, 'stop which pump?');
  await page.getByRole('group', { name: 'Which pump?' }).getByRole('button', { name: 'P-202' }).click();
  await expect.poll(() => fake.core.asked).toEqual(['stop which pump?', 'P-202']);
});

test('Stop ends a slow turn, and what was queued does not run', async ({ page, fake }) => {
  await page.goto(fake.url);
  await say(page, 'something slow');
  await expect(page.locator('.steps .now')).toBeVisible();
  await say(page, 'the next one');
  await expect(page.locator('.said-next')).toContainText('the next one');
  await page.keyboard.press('Escape');
  await expect(page.locator('.steps')).toContainText('Stopped');
  await page.waitForTimeout(300);
  expect(fake.core.asked).toEqual(['something slow']);
});

test('Enter of an input method does not send', async ({ page, fake }) => {
  await page.goto(fake.url);
  const box = page.locator('#message');
  await box.fill('锅炉');
  await box.dispatchEvent('compositionstart');
  await box.press('Enter');
  await box.dispatchEvent('compositionend');
  await box.press('Enter');
  await page.waitForTimeout(150);
  expect(fake.core.asked).toEqual([]);
  await box.press('Enter');
  await expect.poll(() => fake.core.asked.length).toBe(1);
});

test('without a right token the page says what to do and shows no values', async ({ page, fake, faults }) => {
  await page.goto(fake.url.replace(/#t=.*/, '#t=wrong'));
  await expect(page.locator('.band')).toContainText('handrail serve');
  await expect(page.locator('.gr:not(.th)')).toHaveCount(0);
  faults.splice(0); // the browser's own report of the refused socket
});

test('the token leaves the address at once and survives a reload', async ({ page, fake }) => {
  await page.goto(fake.url);
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  expect(page.url()).not.toContain('t=');
  await page.reload();
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
});

test('when the program ends every value is marked old at once, and a write is not kept for later', async ({ page, fake, faults }) => {
  await page.goto(fake.url);
  await expect(page.locator('#row-drum_level')).toHaveClass(/good/);
  await fake.stop();
  await expect(page.locator('#row-drum_level')).toHaveClass(/stale/);
  await expect(page.locator('.band')).toContainText('Every value here is old');
  await say(page, 'what is the level?');
  await expect(page.locator('.talk .notice')).toContainText('PORT_HOST_CLOSED');
  await expect(page.locator('#message')).toHaveValue('what is the level?');
  faults.splice(0); // the browser's own reports of the refused connection
});

test('a refused setting and a model server that is off are said in words', async ({ page, fake }) => {
  await page.goto(fake.url);
  await page.locator('#message').waitFor(); // keys go nowhere before the page has come up
  await page.keyboard.press('Control+4');
  await page.getByRole('radio', { name: 'Ollama' }).click();
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('MODEL_OFFLINE')).toBeVisible();
  await page.getByRole('radio', { name: '中文' }).click();
  await expect(page.getByRole('heading', { name: '显示' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
});

test('text of a log is shown as text', async ({ page, fake }) => {
  await page.goto(fake.url);
  await page.locator('#message').waitFor(); // keys go nowhere before the page has come up
  await page.keyboard.press('Control+3');
  await page
    .locator('.bench-files input[type=file]')
    .setInputFiles({ name: 'night.csv', mimeType: 'text/csv', buffer: Buffer.from('time,temperature') });
  await expect(page.getByText('<b>x</b>')).toBeVisible();
  await expect(page.getByText('1 row could not be read.')).toBeVisible();
  await expect(page.getByText('GBK')).toBeVisible();
});

test('the palette lists commands and runs one by keyboard', async ({ page, fake }) => {
  await page.goto(fake.url);
  await page.locator('#message').waitFor(); // keys go nowhere before the page has come up
  await page.keyboard.press('Control+k');
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Display' })).toBeVisible();
});

test('who chose to type instead of hold consents with exactly the shown value', async ({ page, fake }) => {
  await fake.core.api.calls['settings.set']({ approveBy: 'type' }, person);
  await fake.core.api.calls['arming.arm']({ devices: ['pump2'], minutes: 5, operator: 'wang.lei', reason: 'test' }, person);
  await page.goto(fake.url);
  await say(page, 'set pump 2 to 42 Hz');
  const write = page.getByRole('button', { name: 'Write 42.0' });
  await page.getByLabel(/^Type 42\.0/).fill('42');
  await expect(write).toBeDisabled();
  await page.getByLabel(/^Type 42\.0/).fill('42.0');
  await expect(write).toBeEnabled();
  await write.click();
  await expect.poll(() => fake.core.approvals).toEqual([{ approved: true, how: 'typed' }]);
});

test('a thousand rows keep a constant number in the page, and a scroll shows their values', async ({ page, fake }) => {
  const plant = await fake.core.api.calls['plant.get']({}, person);
  const more = { ...plant, tags: [...plant.tags, ...Array.from({ length: 1000 }, (_v, i) => ({ ...plant.tags[1]!, id: `tag_${i}` }))] };
  fake.core.api.calls['plant.get'] = async () => more;
  await page.goto(fake.url);
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  const rows = (): Promise<number> => page.locator('.gr:not(.th)').count();
  expect(await rows()).toBeLessThan(60);
  await page.getByRole('grid', { name: 'Live registers' }).focus();
  await page.keyboard.press('End');
  await expect(page.locator('#row-tag_999')).toBeVisible();
  expect(await rows()).toBeLessThan(60);
});

test('Stop can be pressed and Escape stops while a dialog lies over the page', async ({ page, fake }) => {
  await fake.core.api.calls['arming.lock']({ why: 'test' }, person);
  await page.goto(fake.url);
  await page.locator('#message').waitFor();
  for (const way of ['press', 'escape', 'palette'] as const) {
    await say(page, 'something slow');
    await expect(page.locator('.steps .now')).toBeVisible();
    if (way === 'palette') await page.keyboard.press('Control+k');
    else await page.getByRole('button', { name: 'Writing locked' }).click();
    const dialog = page.locator('dialog[open]');
    await expect(dialog).toBeVisible();
    if (way === 'press') await dialog.getByRole('button', { name: /^Stop/ }).click();
    else await page.keyboard.press('Escape');
    await expect(page.locator('.steps')).toContainText('Stopped');
    await expect(page.locator('.turn').last()).toContainText('CANCELLED');
    if (way === 'press') {
      const [inDialog, inBar] = [await dialog.locator('.stop').boundingBox(), await page.locator('.title .stop').boundingBox()];
      expect(inDialog!.x + inDialog!.width).toBeCloseTo(inBar!.x + inBar!.width, 0); // the same place as ever
      await page.keyboard.press('Escape');
    }
    await expect(page.locator('dialog[open]')).toHaveCount(0);
  }
});
