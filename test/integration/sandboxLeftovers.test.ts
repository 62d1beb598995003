import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createSandbox } from '../../src/main/sandbox/index.ts';
import { abandonedJails, jailName, killGroup, ownGroup, processTree } from '../../src/main/sandbox/broker/processes.ts';

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** bubblewrap whose inner process is held where it does not end with the outer one: it reads a descriptor that stays silent. */
async function startingJail(options: { detached?: boolean }): Promise<{ outer: ChildProcess; inner: number }> {
  const args = ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--unshare-uts', '--hostname', jailName, '--block-fd', '3'];
  const outer = spawn('bwrap', [...args, '--', 'true'], { ...options, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  await expect.poll(() => processTree(outer.pid!).length, { timeout: 10_000 }).toBe(2);
  return { outer, inner: processTree(outer.pid!)[1]! };
}

test.runIf(process.platform === 'linux')('a jail that is ended while it starts is ended with its inner process', async () => {
  const { outer, inner } = await startingJail(ownGroup);
  killGroup(outer);
  await once(outer, 'exit');
  await expect.poll(() => alive(inner), { timeout: 10_000 }).toBe(false);
});

test.runIf(process.platform === 'linux')('the jail of a broker that was killed is found, and a living one is not', async () => {
  const { outer, inner } = await startingJail({});
  expect(abandonedJails()).not.toContain(inner);
  outer.kill('SIGKILL');
  await once(outer, 'exit');
  try {
    await expect.poll(abandonedJails, { timeout: 10_000 }).toContain(inner);
  } finally {
    process.kill(inner, 'SIGKILL');
  }
});

test.runIf(process.platform === 'linux')(
  'a sandbox closed at any moment of its start leaves no jail behind',
  async () => {
    for (let round = 0; round < 12; round++) {
      const sandbox = createSandbox({ warm: 2 });
      const started = (['sql', 'shell', 'python'] as const).map((lang) => sandbox.levelStates(lang).catch(() => undefined));
      await new Promise((resolve) => setTimeout(resolve, 60 + round * 40));
      await sandbox.close();
      await Promise.all(started);
    }
    await expect.poll(abandonedJails, { timeout: 10_000 }).toEqual([]);
  },
  120_000,
);
