import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryFile } from '../../src/main/entries.ts';

export type CliRun = { code: number | null; stdout: string; stderr: string; json: unknown };

export const freshFolder = (): string => mkdtempSync(join(tmpdir(), 'handrail-cli-'));

/** The command line as a person runs it: a process of its own, from source. */
export function handrail(args: readonly string[], env: Record<string, string> = {}): Promise<CliRun> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entryFile('cli'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LANG: 'en_US.UTF-8', ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    child.once('error', failed);
    child.once('close', (code) => {
      let json: unknown;
      if (args.includes('--json') && stdout.trim() !== '') json = JSON.parse(stdout);
      done({ code, stdout, stderr, json });
    });
  });
}
