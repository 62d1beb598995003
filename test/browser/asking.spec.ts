import { expect, say, test } from './harness.ts';

test('while typing, the planner offers tags and requests; Enter sends what was typed, an arrow key chooses', async ({ open }) => {
  const page = await open();
  const box = page.locator('#message');
  await box.pressSequentially('what is the boiler te');
  const list = page.locator('#suggestions');
  await expect(list.getByRole('option').first()).toBeVisible();
  await expect(list.locator('[aria-selected="true"]')).toHaveCount(0);
  await box.press('ArrowDown');
  await expect(list.locator('[aria-selected="true"]')).toHaveCount(1);
  const offered = (await list.locator('[aria-selected="true"]').innerText()).trim();
  await box.press('Enter');
  expect((await box.inputValue()).toLowerCase()).toContain(
    offered
      .split(/[（(\n]/)[0]!
      .trim()
      .toLowerCase(),
  );

  await box.fill('');
  await box.pressSequentially('锅炉温');
  await expect(list.getByRole('option', { name: /锅炉温度/ }).first()).toBeVisible();
  await box.press('Escape');
  await expect(list).toHaveCount(0);
});

test('registers are answered as a table, with every number of it traced', async ({ open }) => {
  const page = await open();
  await say(page, 'read 4 holding registers from unit 1 starting at 0');
  const turn = page.locator('.turn').last();
  await expect(turn.locator('.answer table tbody tr')).toHaveCount(4);
  await expect(turn.locator('.num-none')).toHaveCount(0);
  await turn.locator('.answer td .num').first().click();
  await expect(page.getByRole('dialog')).toContainText('modbus_read');
});

test('a question with several meanings offers them as choices, and the choice goes on', async ({ open }) => {
  const page = await open();
  await say(page, 'what is the tank level');
  await page
    .locator('.turn')
    .last()
    .getByRole('button', { name: /tank 2 level/ })
    .click();
  await expect(page.locator('.turn').last().locator('.answer')).toContainText('%');
});

test('a dropped table answers maximum and when', async ({ open }) => {
  const page = await open();
  await page.locator('.compose input[type=file]').setInputFiles({
    name: 'boiler.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('time,temp\n2026-03-18 08:00:00,120.5\n2026-03-18 08:05:00,133.25\n'),
  });
  await expect(page.locator('.attached')).toContainText('boiler.csv');
  await say(page, '日志里温度最高是多少');
  const answer = page.locator('.turn').last().locator('.answer');
  await expect(answer).toContainText('133.25');
  await expect(answer).toContainText('08:05');
});

test('what one asks is in view, however long the answers before it were', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1024, height: 640 });
  for (const text of ['read 30 holding registers from unit 1 starting at 0', 'read 40 holding registers from unit 1 starting at 0'])
    await say(page, text);
  await expect(page.locator('.turn')).toHaveCount(2);
  await expect(page.locator('.turn').last().locator('.answer td').first()).toBeAttached();
  await expect(page.locator('.turn').last().locator('.grounded')).toBeInViewport();
  await expect(page.locator('.more-below')).toHaveCount(0);
});

test('the log bench draws tables of an answer and says an error once', async ({ open }) => {
  const page = await open();
  await say(page, 'read 4 holding registers from unit 1 starting at 0');
  await expect(page.locator('.turn .answer tbody tr')).toHaveCount(4);
  await say(page, 'set boiler setpoint to 120');
  await expect(page.locator('.turn').last().locator('.call')).toContainText('POLICY_LOCKED');
  await page.keyboard.press('Control+3');
  await expect(page.locator('.bench-turn table tbody tr')).toHaveCount(4);
  await expect(page.locator('.bench-turn').last().getByText('was not written')).toHaveCount(1);
  await expect(page.locator('.bench-table')).toContainText('Drop a log or CSV here');
});
