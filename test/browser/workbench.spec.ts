import { arm, expect, lockAgain, say, test } from './harness.ts';

const value = (text: string | null): number => Number((text ?? '').replace('\u2212', '-').replaceAll('\u2009', ''));

test('a question in either language is answered with the live value, its card and its sources', async ({ open }) => {
  const page = await open();
  await say(page, 'What is the boiler temperature?');
  const turn = page.locator('.turn').last();
  await expect(turn.locator('.call-name')).toHaveText('tag_read');
  await expect(turn.locator('.grounded')).toContainText('traced');
  const answered = value(
    await turn
      .locator('.num')
      .first()
      .innerText()
      .then((text) => /[\d.]+/.exec(text)?.[0] ?? null),
  );
  const shown = value(await page.locator('#row-boiler_temp .c-value').innerText());
  expect(Math.abs(answered - shown)).toBeLessThan(15);

  await say(page, '锅炉温度是多少？');
  await expect(page.locator('.turn').last().locator('.answer')).toContainText('°C');
  await expect(page.locator('.turn').last().locator('.answer')).toContainText(/[\u4e00-\u9fff]/);

  await turn.locator('.num').first().click();
  await expect(page.getByRole('dialog')).toContainText('tag_read');
  await page.keyboard.press('Escape');
});

test('the table lives: values keep coming, ages stay young, and the trend gets points', async ({ open }) => {
  const page = await open();
  const raw = page.locator('#row-boiler_temp .raw');
  const first = await raw.innerText();
  await expect.poll(() => raw.innerText()).not.toBe(first);
  await expect(page.locator('#row-boiler_temp .c-age')).toHaveText(/^[0-2](\.\d)? s$/);
  await expect(page.locator('.plot canvas')).toBeVisible();
  await expect(page.getByRole('img', { name: /Trend: .*last \d/ })).toBeVisible();
});

test('a write without open writing is refused and says how to go on', async ({ open }) => {
  const page = await open();
  await say(page, 'set boiler setpoint to 120');
  const turn = page.locator('.turn').last();
  await expect(turn.locator('.call')).toContainText('POLICY_LOCKED');
  await expect(turn.locator('.notice')).toHaveText(/^Writing is locked\. Open it for Boiler PLC to go on\./); // the reason is said once
  await expect(turn.getByText('POLICY_LOCKED')).toHaveCount(1);
  await turn.getByText(/^\d steps, .*planned again once$/).click();
  const log = turn.locator('.turn-log li');
  await expect(log.first()).toContainText('a message came');
  await expect(log.filter({ hasText: 'again, 1 of 3' })).toContainText('Writing is locked');
  await expect(page.locator('.ask')).toHaveCount(0);
  await turn.getByRole('button', { name: 'Open writing' }).click();
  await expect(page.getByRole('dialog', { name: 'Open writing' })).toBeVisible();
});

test('a card takes no focus; Enter, Space, letters and a short hold do nothing; a full hold writes, reads back and can be undone', async ({
  open,
}) => {
  const page = await open();
  const before = value(await page.locator('#row-boiler_temp_sp .c-value').innerText());
  const after = before === 160 ? 158 : 160;
  await arm(page, /Boiler PLC/);
  await say(page, `set boiler setpoint to ${after}`);
  const card = page.getByRole('region', { name: /^Approval: write boiler temp setpoint/ });
  await expect(card).toBeVisible();
  await expect(page.locator('#message')).toBeFocused();
  await expect(card).toContainText('40001 = wire 0');
  await expect(card).not.toContainText('…');

  const hold = card.getByRole('button', { name: /^Hold to write/ });
  await expect(hold).toHaveAttribute('aria-disabled', 'false');
  await hold.focus();
  for (const key of ['Enter', 'Space', 'y', 'Shift+Enter']) await page.keyboard.press(key);
  const box = (await hold.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForTimeout(600);
  await page.mouse.up();
  await page.mouse.down();
  await page.waitForTimeout(400);
  await page.mouse.move(box.x + box.width / 2, box.y - 40); // leaving the button lets go
  await page.waitForTimeout(1200);
  await page.mouse.up();
  await expect(card).toBeVisible();

  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await expect(card).toHaveCount(0, { timeout: 5000 });
  await page.mouse.up();
  await expect(page.locator('.turn').last().locator('.write-outcome')).toContainText(`now reads ${after}`, { timeout: 15_000 });
  await expect.poll(async () => value(await page.locator('#row-boiler_temp_sp .c-value').innerText())).toBe(after);

  await page
    .locator('.turn')
    .last()
    .getByRole('button', { name: /^Undo: write/ })
    .click();
  const undo = page.getByRole('region', { name: /^Approval/ });
  await expect(undo).toBeVisible();
  const again = undo.getByRole('button', { name: /^Hold to write/ });
  await expect(again).toHaveAttribute('aria-disabled', 'false');
  await again.focus();
  await page.keyboard.down('Control');
  await page.keyboard.down('Enter');
  await expect(undo).toHaveCount(0, { timeout: 5000 });
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  await expect(page.locator('.write-outcome').last()).toContainText('Taken back', { timeout: 15_000 });
  await expect.poll(async () => value(await page.locator('#row-boiler_temp_sp .c-value').innerText())).toBe(before);
  await lockAgain(page);
});

test('one press rejects, and nothing was written', async ({ open }) => {
  const page = await open();
  const before = await page.locator('#row-boiler_temp_sp .c-value').innerText();
  await arm(page, /Boiler PLC/);
  await say(page, 'set boiler setpoint to 155');
  await page.getByRole('button', { name: 'Reject' }).click();
  await expect(page.locator('.turn').last()).toContainText('APPROVAL_DECLINED');
  await expect(page.locator('#row-boiler_temp_sp .c-value')).toHaveText(before);
  await lockAgain(page);
});

test('Stop while a card waits withdraws it, ends the turn and says so', async ({ open }) => {
  const page = await open();
  await arm(page, /Boiler PLC/);
  await say(page, 'set boiler setpoint to 156');
  await expect(page.locator('.ask')).toBeVisible();
  await page.getByRole('button', { name: /^Stop/ }).click();
  await expect(page.locator('.ask')).toHaveCount(0);
  await expect(page.locator('.steps')).toContainText(/Stopped|Ended/);
  await lockAgain(page);
});

test('all byte orders of a register open by Enter and give the focus back', async ({ open }) => {
  const page = await open();
  const grid = page.getByRole('grid', { name: 'Live registers' });
  await page.locator('#row-boiler_temp').click();
  await grid.focus();
  await page.keyboard.press('Enter');
  const orders = page.getByRole('dialog', { name: /all byte orders/ });
  await expect(orders.locator('tbody tr')).toHaveCount(4);
  await expect(orders.locator('tr.used')).toContainText('yes, used');
  await page.keyboard.press('Escape');
  await expect(orders).toHaveCount(0);
  await expect(grid).toBeFocused();
});

test('traffic shows frames of both wires and exports them as pcap', async ({ open }) => {
  const page = await open();
  await expect(
    page
      .getByRole('grid', { name: 'Traffic' })
      .getByText(/FC0[1-4] read/)
      .first(),
  ).toBeVisible();
  await expect(
    page
      .getByRole('grid', { name: 'Traffic' })
      .getByText(/CRC ok/)
      .first(),
  ).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'pcap' }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.pcap$/);
});

test('the trend exports its points with both times and its picture', async ({ open }) => {
  const page = await open();
  await expect(page.getByRole('img', { name: /Trend: .*last \d/ })).toBeVisible();
  const csv = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).click();
  const stream = await (await csv).createReadStream();
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  expect(text).toContain('simulated plant');
  expect(text).toMatch(/\n\d{4}-\d\d-\d\dT[\d:.]+Z,\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d,/);
  const png = page.waitForEvent('download');
  await page.getByRole('button', { name: 'PNG', exact: true }).click();
  expect((await png).suggestedFilename()).toMatch(/\.png$/);
});
