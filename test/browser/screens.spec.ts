import { AxeBuilder } from '@axe-core/playwright';
import { expect, say, test } from './harness.ts';

const screens = ['workbench', 'record', 'logbench', 'settings'] as const;
const themes = ['light', 'dark', 'contrast'] as const;

for (const lang of ['en', 'zh'] as const) {
  test(`every screen passes axe in ${lang}, in all three themes, and fits its boxes at three sizes`, async ({ page, fake }) => {
    await fake.core.api.calls['settings.set']({ lang }, { signal: new AbortController().signal, door: 'web', client: 'test' });
    await page.goto(fake.url);
    await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
    await say(page, lang === 'zh' ? '锅炉温度是多少？' : 'What is the boiler temperature?');
    await expect(page.locator('.grounded')).toBeVisible();
    for (const [i, screen] of screens.entries()) {
      await page.keyboard.press(`Control+${i + 1}`);
      await page.waitForTimeout(200);
      for (const theme of themes) {
        await page.evaluate((name) => {
          document.documentElement.dataset['theme'] = name;
        }, theme);
        const found = await new AxeBuilder({ page }).analyze();
        expect(
          found.violations.map(
            (violation) =>
              `${screen} ${theme}: ${violation.id} ${violation.nodes
                .map((node) => node.target.join(' '))
                .slice(0, 3)
                .join(' | ')}`,
          ),
        ).toEqual([]);
      }
      for (const size of [
        { width: 1024, height: 768 },
        { width: 1440, height: 900 },
        { width: 2560, height: 1440 },
      ]) {
        await page.setViewportSize(size);
        expect(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), `${screen} at ${size.width}`).toEqual([
          size.width,
          size.width,
        ]);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('.title button, .head button, .ask button, .transport button')]
            .filter((button) => button.offsetParent !== null && button.getBoundingClientRect().right > innerWidth + 1)
            .map((button) => button.textContent),
        );
        expect(cut, `${screen} at ${size.width}`).toEqual([]);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
  });
}

test('in glove density what must be pressed is large', async ({ page, fake }) => {
  await fake.core.api.calls['settings.set']({ density: 'glove' }, { signal: new AbortController().signal, door: 'web', client: 'test' });
  await page.goto(fake.url);
  await expect(page.locator('.gr:not(.th)').first()).toBeVisible();
  for (const name of [/^Stop/, /^Writing locked/, 'Send', 'New conversation'])
    expect((await page.getByRole('button', { name }).boundingBox())!.height).toBeGreaterThanOrEqual(40);
  expect((await page.locator('.gr:not(.th)').first().boundingBox())!.height).toBeGreaterThanOrEqual(44);
});
