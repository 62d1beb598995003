import { spawn, type ChildProcess } from 'node:child_process';
import { access, mkdtemp, chmod, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A serial line for tests: socat makes the pty, its standard streams are the far end. `down` ends socat, which is what
 * pulling the plug looks like from the near end; `up` brings the same path back.
 */
export type PtyLine = {
  readonly path: string;
  onBytes: (bytes: Buffer) => void;
  send(bytes: Uint8Array): void;
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
};

export async function openPtyLine(): Promise<PtyLine> {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-line-'));
  await chmod(folder, 0o755);
  const path = join(folder, 'line');
  let child: ChildProcess | null = null;
  let isClosed = false;

  const line: PtyLine = {
    path,
    onBytes: () => undefined,
    send: (bytes) => {
      if (child?.stdin?.writable) child.stdin.write(bytes);
    },
    async up() {
      if (isClosed) return; // a script that runs on after its case
      const started = spawn('socat', [`pty,raw,echo=0,link=${path}`, 'STDIO'], { stdio: ['pipe', 'pipe', 'ignore'] });
      child = started;
      keepPace(started.pid);
      started.stdin.on('error', () => undefined); // the line was pulled while bytes were on their way
      started.stdout.on('data', (bytes: Buffer) => line.onBytes(bytes));
      await new Promise<void>((resolve, reject) => {
        started.once('error', () => reject(new Error('socat is not installed; it makes the serial lines of these tests')));
        started.once('spawn', resolve);
      });
      for (let i = 0; i < 400; i++) {
        if (
          await access(path).then(
            () => true,
            () => false,
          )
        )
          return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      throw new Error('socat made no pty');
    },
    async down() {
      const ending = child;
      child = null;
      if (!ending || ending.exitCode !== null) return;
      const gone = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGTERM'); // removes its link, too
      await gone;
    },
    async close() {
      isClosed = true;
      await line.down();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await line.up();
  return line;
}

/**
 * A wire has no load average. The relay that plays it goes before everything else where that is allowed: starved, it hands
 * over a byte when the next question is already out, and the case would be another one than the script says.
 */
function keepPace(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, -15);
  } catch {
    // without the right to do so the line is as quick as the machine
  }
}

/** Two ttys joined, for peers that want a path of their own. */
export async function openPtyPair(): Promise<{ a: string; b: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-pair-'));
  const [a, b] = [join(folder, 'a'), join(folder, 'b')];
  const child = spawn('socat', [`pty,raw,echo=0,link=${a}`, `pty,raw,echo=0,link=${b}`], { stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error('socat is not installed; it makes the serial lines of these tests')));
    child.once('spawn', resolve);
  });
  for (let i = 0; i < 400; i++) {
    if (
      await Promise.all([access(a), access(b)]).then(
        () => true,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    a,
    b,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
