import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const exec = promisify(execFile);
export type CProgram = 'modbusServer' | 'modbusClient' | 'uart';

/** Compiles the independent peers written in C; null with a reason where gcc or libmodbus is missing. */
export async function compileC(
  programs: readonly CProgram[],
): Promise<{ path(program: CProgram): string; close: () => Promise<void> } | { missing: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-c-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    for (const program of programs) {
      const source = fileURLToPath(new URL(`c/${program}.c`, import.meta.url));
      const flags = program === 'uart' ? [] : (await exec('pkg-config', ['--cflags', '--libs', 'libmodbus'])).stdout.trim().split(/\s+/);
      await exec('gcc', ['-O2', source, '-o', join(folder, program), ...flags]);
    }
  } catch (error) {
    await close();
    return { missing: `gcc and libmodbus are needed: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}` };
  }
  return { path: (program) => join(folder, program), close };
}

/** Starts a program and waits for its first line of output. */
export async function startPeer(
  command: string,
  args: readonly string[],
  isReady: (line: string) => boolean = (line) => line.startsWith('ready'),
): Promise<{ child: ChildProcess; line: string; stop(): Promise<void> }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${errors}`)));
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      const ready = text.split('\n').find((one, index, all) => index < all.length - 1 && isReady(one));
      if (ready !== undefined) resolve(ready);
    });
  });
  return {
    child,
    line,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}
