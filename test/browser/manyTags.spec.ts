import type { Reading } from '../../src/shared/contracts/devices.ts';
import { packReadings } from '../../src/shared/readingBatch.ts';
import { expect, test } from './harness.ts';

const count = 1000;
const person = { signal: new AbortController().signal, door: 'web', client: 'test' } as const;

test('a thousand tags at ten batches a second keep the table alive, and the keyboard answers meanwhile', async ({ page, fake }, info) => {
  const plant = await fake.core.api.calls['plant.get']({}, person);
  const pattern = plant.tags[1]!;
  const tags = Array.from({ length: count }, (_v, i) => ({
    ...pattern,
    id: `tag_${i}`,
    address: i,
    name: { en: `Tag ${i}`, zh: `标签 ${i}` },
  }));
  fake.core.api.calls['plant.get'] = async () => ({ ...plant, tags });
  let batches = 0;
  fake.core.api.streams['readings'] = async function* (request, { signal }) {
    const index = new Map(request.tags.map((tag, i) => [tag, i]));
    while (!signal.aborted) {
      batches += 1;
      const readings = request.tags.map((tag, i): Reading => ({
        tag,
        quality: 'good',
        value: (batches * 7 + i) % 100,
        unit: 'mm',
        readAt: new Date().toISOString(),
        raw: [(batches * 7 + i) % 100],
      }));
      yield packReadings(readings, index, Date.now());
      await new Promise((next) => setTimeout(next, 100));
    }
  };
  await page.addInitScript(() => {
    const seen: number[] = [];
    Object.assign(window, { longTasks: seen });
    new PerformanceObserver((list) => seen.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ['longtask'] });
  });
  await page.goto(fake.url);
  const row = page.locator('#row-tag_0 .c-value');
  await expect(row).toHaveText(/^\u2212?\d/);
  await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
  const before = batches;
  const first = await row.innerText();
  await expect.poll(() => row.innerText()).not.toBe(first);
  await expect.poll(() => batches - before, { timeout: 30_000 }).toBeGreaterThan(40);
  const grid = page.getByRole('grid', { name: 'Live registers' });
  await grid.focus();
  await page.keyboard.press('End');
  await expect(page.locator(`#row-tag_${count - 1} .c-value`)).toHaveText(/^\u2212?\d/);
  expect(await page.locator('.gr:not(.th)').count()).toBeLessThan(60);
  // How long the page was busy at a time is of interest, and a matter of the machine: said, not asserted.
  const long = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
  const words = `${long.length} tasks over 50 ms in about 4 s, the longest ${Math.round(Math.max(0, ...long))} ms`;
  info.annotations.push({ type: 'figure', description: words });
  console.log(`1,000 tags at 10 Hz: ${words}`);
});
