import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, startServe, stopServe, test } from './harness.ts';

/** A device of unit 1 and 3 whose holding registers hold 100 plus their address; other units do not answer. */
async function device(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (frame) => {
      if (frame[6] !== 1 && frame[6] !== 3) return;
      if (frame[7] !== 3) {
        socket.write(Buffer.from([...frame.subarray(0, 4), 0, 3, frame[6], frame[7]! | 0x80, 1]));
        return;
      }
      const [address, quantity] = [frame.readUInt16BE(8), frame.readUInt16BE(10)];
      const head = Buffer.from(frame.subarray(0, 9));
      head.writeUInt16BE(3 + 2 * quantity, 4);
      head[8] = 2 * quantity;
      const body = Buffer.alloc(2 * quantity);
      for (let i = 0; i < quantity; i++) body.writeUInt16BE(100 + address + i, 2 * i);
      socket.write(Buffer.concat([head, body]));
    });
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

async function axe(page: Page, what: string): Promise<void> {
  for (const theme of ['light', 'dark', 'contrast']) {
    await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), theme);
    const found = await new AxeBuilder({ page }).analyze();
    expect(
      found.violations.map(
        (violation) => `${what} ${theme}: ${violation.id} ${violation.nodes.map((node) => node.target.join(' ')).join(' | ')}`,
      ),
    ).toEqual([]);
  }
}

test('a plant grows in the editor from nothing to a live tag: connection tested, units scanned, tag made of a register', async ({
  page,
}) => {
  const plc = await device();
  const data = mkdtempSync(join(tmpdir(), 'handrail-editor-'));
  const { child, url } = await startServe(data);
  try {
    await page.goto(url);
    await page.getByRole('button', { name: 'Edit connections and devices' }).click();
    const sheet = page.getByRole('complementary', { name: 'Connections and devices' });
    await expect(sheet.getByRole('heading', { name: 'Connections and devices' })).toBeFocused();
    await sheet.getByRole('button', { name: 'New plant with a connection' }).click();

    // What is wrong stands at its field, in words, and nothing can be saved with it.
    await expect(sheet.getByText('this must not be empty')).toBeVisible();
    await sheet.getByLabel('TCP port').fill('70000');
    await expect(sheet.getByText('at most 65535')).toBeVisible();
    await expect(sheet.getByRole('button', { name: 'Save' })).toBeDisabled();
    await axe(page, 'editor with problems');
    await sheet.getByLabel('Host or address').fill('127.0.0.1');
    await sheet.getByLabel('TCP port').fill(String(plc.port));
    await expect(sheet.getByText('at most 65535')).toHaveCount(0);

    await sheet.getByRole('button', { name: 'Test connection' }).click();
    await expect(sheet.getByText('The line works.')).toBeVisible();
    await expect(sheet.getByText('Unit 1 answers')).toBeVisible();
    await expect(sheet.getByText('Save first').first()).toBeVisible();

    await sheet.getByRole('button', { name: 'Add device' }).click();
    await sheet.getByRole('button', { name: 'Save' }).click();
    await expect(sheet.getByText('Saved. The plant runs with these settings now.')).toBeVisible();
    await expect(page.getByRole('tree', { name: 'Plant' })).toContainText('Unit 1');

    await sheet.getByLabel('To unit').fill('4');
    await sheet.getByRole('group', { name: 'Scan for units' }).getByRole('button', { name: 'Start scan' }).click();
    await expect(sheet.getByText('2 of 4 answered.')).toBeVisible({ timeout: 30_000 });
    await expect(sheet.getByText('in the plant file')).toBeVisible();
    await sheet.getByRole('group', { name: 'Scan for units' }).getByRole('button', { name: 'Add' }).click();
    await expect(sheet.getByRole('button', { name: /^Unit 3/ })).toBeVisible();

    await sheet.getByRole('button', { name: /^Unit 1/ }).click();
    await sheet.getByLabel('From wire address').fill('7');
    await sheet.getByRole('button', { name: 'Read ten' }).click();
    await expect(sheet.getByText('40008 · 7')).toBeVisible();
    await sheet.getByRole('button', { name: 'Add tag at 40008' }).click();
    await sheet.getByRole('button', { name: /^unit1_holding_7/ }).click();
    await expect(sheet.getByText('40008 → FC03 wire 7 (0x0007)')).toBeVisible();
    await sheet.getByLabel('Engineering unit').fill('Hz');
    await axe(page, 'editor with a tag');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await expect(sheet.getByText('Saved. The plant runs with these settings now.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    await expect(page.locator('#row-unit1_holding_7 .c-value')).toHaveText('107');

    const [name] = readdirSync(join(data, 'plants')).filter((file) => file.endsWith('.json'));
    expect(JSON.parse(readFileSync(join(data, 'plants', name!), 'utf8'))).toMatchObject({
      connections: [{ id: 'net', kind: 'tcp', host: '127.0.0.1', port: plc.port }],
      devices: [{ unitId: 1 }, { unitId: 3 }],
      tags: [{ id: 'unit1_holding_7', address: 7, unit: 'Hz' }],
    });
  } finally {
    await page.goto('about:blank');
    await stopServe(child);
    await plc.close();
    rmSync(data, { recursive: true, force: true });
  }
});

test('a connection that does not work says what is wrong and what to do, in the language of the window', async ({ page, fake }) => {
  fake.core.api.calls['plant.test'] = async () => ({
    healthy: false,
    findings: [
      {
        severity: 'fault',
        title: { en: 'Nobody answers', zh: '无人应答' },
        cause: { en: 'No unit answered.', zh: '没有站号应答。' },
        remedy: { en: 'Check A/B wires.', zh: '请检查 A/B 线。' },
        count: 2,
        evidence: ['unit 1: no answer in 800 ms'],
        proof: null,
      },
    ],
    probes: [{ unit: 1, ok: false, failure: 'NO_ANSWER', exception: null, durationMs: null }],
  });
  fake.core.api.calls['plant.check'] = async () => [
    { pointer: '/connections/0/host', why: { en: 'this must not be empty', zh: '此项不能为空' } },
  ];
  await fake.core.api.calls['settings.set']({ lang: 'zh' }, { signal: new AbortController().signal, door: 'web', client: 'test' });
  await page.goto(fake.url);
  await page.getByRole('button', { name: '编辑连接与设备' }).click();
  const sheet = page.getByRole('complementary', { name: '连接与设备' });
  await sheet.getByRole('button', { name: '新建工厂并添加连接' }).click();
  await expect(sheet.getByText('此项不能为空')).toBeVisible();
  await expect(sheet.getByLabel('主机或地址')).toHaveAttribute('aria-invalid', 'true');
  await sheet.getByRole('button', { name: '测试连接' }).click();
  await expect(sheet.getByText('线路尚不正常。')).toBeVisible();
  await expect(sheet.getByText('请检查 A/B 线。')).toBeVisible();
  await sheet.getByRole('button', { name: '移除连接' }).click();
  await expect(sheet.getByText('移除 net 及其 0 台设备、0 个标签？')).toBeVisible();
  await axe(page, 'editor in Chinese');
  await page.setViewportSize({ width: 1024, height: 768 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1024);
  await expect(page.locator('#message')).toBeVisible(); // the conversation stays usable beside it
});
