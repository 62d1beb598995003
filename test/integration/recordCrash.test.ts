import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStore } from '../../src/main/store/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The sources are run as they are, which Node can do from version 24 on.
const own = join(root, 'node_modules/.bin/node');
const node = Number(process.versions.node.split('.')[0]) >= 24 || !existsSync(own) ? process.execPath : own;

/** Starts the writer, kills it once it has told `lines` durable events, and answers all that it told. */
function writeAndKill(folder: string, lines: number, meanwhile: () => void): Promise<{ seq: number; hash: string }[]> {
  const child = spawn(node, [join(root, 'test/harness/recordWriter.child.ts'), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    let looked = false;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!looked && text.includes('\n')) {
        looked = true;
        meanwhile();
      }
      if (text.split('\n').length > lines + 1) child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('close', () => {
      const whole = text.slice(0, text.lastIndexOf('\n')).split('\n').slice(1);
      resolve(whole.map((line) => ({ seq: Number(line.split(' ')[0]), hash: line.split(' ')[1]! })));
    });
  });
}

test('whatever was said to be on the disk is there after kill -9, the chain holds, and the folder is free again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-crash-'));
  const open = (readOnly = false) => openStore({ folder, clock: { now: Date.now }, ids: () => 'x', lang: 'en', readOnly });
  try {
    let lastSeq = 0;
    for (const lines of [1, 2, 7, 40, 150, 333]) {
      const told = await writeAndKill(folder, lines, () => {
        expect(() => open()).toThrow(expect.objectContaining({ code: 'STORE_LOCKED' }) as Error); // held while the writer lives
      });
      expect(told.length).toBeGreaterThanOrEqual(lines);
      const store = open();
      const report = await store.record.verify({ anchor: told.at(-1)! });
      expect(report).toMatchObject({ ok: true, firstBroken: null });
      for (const anchor of told.filter((_, i) => i % 25 === 0)) expect((await store.record.verify({ anchor })).ok).toBe(true);
      expect(report.headSeq).toBeGreaterThan(lastSeq);
      lastSeq = report.headSeq;
      expect(store.rebuild()).toBe(report.events);
      store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
