import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type PtyPair = {
  path: string;
  write(bytes: Uint8Array): void;
  onData(listener: (bytes: Uint8Array) => void): void;
  close(): Promise<void>;
};

/**
 * A serial line out of nothing, by socat: one end is a pseudo-terminal that any Modbus program can open, the other is ours,
 * over socat's standard streams. Rejects with a plain reason where there is no socat or no pty.
 */
export async function startPtyPair({ link, socat = 'socat' }: { link?: string; socat?: string } = {}): Promise<PtyPair> {
  const folder = link === undefined ? mkdtempSync(join(tmpdir(), 'handrail-line-')) : null;
  const path = link ?? join(folder!, 'line');
  const child = spawn(socat, [`pty,raw,echo=0,link=${path}`, 'stdio'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const tidy = (): void => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  };
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-500);
  });
  child.stdin.on('error', () => undefined); // the line has gone; 'exit' says so
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    await waitForLink(path, ended, () => errors);
  } catch (cause) {
    child.kill();
    tidy();
    throw cause;
  }
  return {
    path,
    write(bytes) {
      if (child.stdin.writable) child.stdin.write(bytes);
    },
    onData(listener) {
      child.stdout.on('data', (chunk: Buffer) => listener(new Uint8Array(chunk)));
    },
    async close() {
      child.kill();
      await ended;
      tidy();
    },
  };
}

async function waitForLink(path: string, ended: Promise<void>, errors: () => string): Promise<void> {
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  for (let waited = 0; waited < 3000; waited += 10) {
    if (isEnded) throw new Error(`no serial line could be made by socat: ${errors().trim() || 'it is not installed'}`);
    if (existsSync(path)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('no serial line could be made by socat: it took too long');
}
