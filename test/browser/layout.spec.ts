import { expect, say, test } from './harness.ts';

const widthOf = (box: { width: number } | null): number => Math.round(box!.width);

test('panes are sized by mouse and arrows, reset by a double press, folded, and all of it is remembered', async ({ page, fake }) => {
  await page.goto(fake.url);
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  const chat = page.locator('.chat');
  const splitter = page.getByRole('separator', { name: 'Width of the conversation' });
  expect(widthOf(await chat.boundingBox())).toBe(420);
  await splitter.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(widthOf(await chat.boundingBox())).toBe(452);
  await expect(splitter).toHaveAttribute('aria-valuenow', '452');

  const drag = page.getByRole('separator', { name: 'Height of the trend' });
  const trend = page.locator('.pane.trend');
  const before = (await trend.boundingBox())!.height;
  const at = (await drag.boundingBox())!;
  await page.mouse.move(at.x + at.width / 2, at.y + 2);
  await page.mouse.down();
  await page.mouse.move(at.x + at.width / 2, at.y - 48, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.round((await trend.boundingBox())!.height - before)).toBe(50);

  await page.getByRole('button', { name: 'Fold or unfold the plant tree' }).click();
  await expect(page.getByRole('tree', { name: 'Plant' })).toBeHidden();
  await page.reload();
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  expect(widthOf(await chat.boundingBox())).toBe(452);
  await expect.poll(async () => Math.round((await trend.boundingBox())!.height - before)).toBe(50);
  await page.getByRole('button', { name: 'Open the plant tree' }).click();
  await expect(page.getByRole('tree', { name: 'Plant' })).toBeVisible();

  await splitter.dblclick();
  expect(widthOf(await chat.boundingBox())).toBe(420);
  await page.getByRole('button', { name: 'Fold or unfold the trend' }).click();
  await expect(page.locator('.plot')).toBeHidden();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('usual layout');
  await page.keyboard.press('Enter');
  await expect(page.locator('.plot')).toBeVisible();
  await expect(page.locator('.plant')).toBeVisible();
});

test('one pane fills the window and Escape brings the others back; a card that waits does so too', async ({ page, fake }) => {
  await fake.core.api.calls['arming.arm'](
    { devices: ['pump2'], minutes: 5, operator: 'wang.lei', reason: 'test' },
    { signal: new AbortController().signal, door: 'web', client: 'test' },
  );
  await page.goto(fake.url);
  await page.getByRole('grid', { name: 'Live registers' }).focus();
  await page.keyboard.press('Shift+F11');
  await expect(page.locator('.chat')).toBeHidden();
  expect(widthOf(await page.locator('.registers').boundingBox())).toBe(1440);
  await page.keyboard.press('Escape');
  await expect(page.locator('.chat')).toBeVisible();
  await page.keyboard.press('Control+l');
  await say(page, 'set pump 2 to 42 Hz');
  await page.getByRole('grid', { name: 'Live registers' }).focus();
  await expect(page.locator('.ask')).toBeVisible();
});

test('Ctrl+F finds in what has the focus: registers, conversation, traffic, else the plant', async ({ page, fake }) => {
  await page.goto(fake.url);
  await say(page, 'What is the boiler temperature?');
  await expect(page.locator('.grounded')).toBeVisible();
  await page.getByRole('grid', { name: 'Live registers' }).focus();
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Find tag' })).toBeFocused();
  await page.keyboard.type('drum');
  await expect(page.locator('.gr:not(.th)')).toHaveCount(2);
  await page.locator('#message').focus();
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Find in the conversation' })).toBeFocused();
  await page.keyboard.type('BOILER');
  await expect(page.locator('.find-bar')).toContainText(/1 of \d/);
  await page.keyboard.press('Escape');
  await expect(page.locator('#message')).toBeFocused();
  await page.getByRole('grid', { name: 'Traffic' }).focus();
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Find bytes, 16 03' })).toBeFocused();
  await page.getByRole('tree', { name: 'Plant' }).focus();
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Find in plant' })).toBeFocused();
});

test('two cursors tell the time between them and what each value did there', async ({ open }) => {
  const page = await open();
  await expect(page.getByRole('img', { name: /Trend: .*last \d/ })).toBeVisible();
  const over = page.locator('.plot .u-over');
  const box = (await over.boundingBox())!;
  await page.keyboard.down('Shift');
  await page.mouse.click(box.x + box.width - 4, box.y + box.height / 2);
  await page.keyboard.up('Shift');
  await expect(page.locator('.between')).toContainText('Δt');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.locator('.between')).toContainText(/Δt \u2212?2:\d\d/);
  await page.getByRole('button', { name: 'Remove the second cursor' }).click();
  await expect(page.locator('.between')).toHaveCount(0);
});

test('every action with a key stands in the palette with it', async ({ page, fake }) => {
  await page.goto(fake.url);
  await page.locator('#message').waitFor();
  await page.keyboard.press('Control+k');
  const list = page.getByRole('listbox', { name: 'Commands and tags' });
  for (const [name, key] of [
    ['Workbench', 'Ctrl+1'],
    ['Stop what runs', 'Esc'],
    ['Find in what has the focus', 'Ctrl+F'],
    ['Full screen', 'F11'],
    ['Previous pane', 'Shift+F6'],
    ['Lock writing now', 'Ctrl+Shift+L'],
    ['Set the second cursor of the trend', 'C in its pane'],
  ] as const)
    await expect(list.getByRole('option', { name: `${name} ${key}`, exact: true })).toBeAttached();
});
