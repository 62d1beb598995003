/** The processes of a run: how they are ended, and through /proc the tree below one and the memory it holds. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const text = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

function childrenOf(pid: number): number[] {
  const listed = text(`/proc/${pid}/task/${pid}/children`);
  if (listed !== null) return listed.split(' ').filter(Boolean).map(Number);
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((other) => Number(/\) \S (\d+)/.exec(text(`/proc/${other}/stat`) ?? '')?.[1] ?? -1) === pid);
  } catch {
    return [];
  }
}

export function processTree(pid: number): number[] {
  const all = [pid];
  for (let i = 0; i < all.length && all.length < 200; i++) all.push(...childrenOf(all[i]!));
  return all;
}

export type TreeMemory = { rssMb: number; peakMb: number } | null;

/** Resident memory now, summed over the tree, and the greatest peak of one process in it. */
export function treeMemory(pid: number): TreeMemory {
  let rss = 0;
  let peak = 0;
  let seen = false;
  for (const each of processTree(pid)) {
    const status = text(`/proc/${each}/status`);
    if (status === null) continue;
    seen = true;
    rss += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }
  return seen ? { rssMb: rss / 1024, peakMb: peak / 1024 } : null;
}

/**
 * A process group of its own for what starts an interpreter. Windows has no groups, and would open a console.
 * Ended as a group because bubblewrap's inner process waits without end for an outer one that was killed while both were starting.
 */
export const ownGroup: { detached?: boolean } = process.platform === 'win32' ? {} : { detached: true };

export function killGroup(child: Pick<ChildProcess, 'pid'> & { kill(signal: 'SIGKILL'): boolean }): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL'); // the group is gone, or this process left it
  }
}

/**
 * Jails of a broker that was itself killed while one was starting: a first process of its namespace, with our arguments, whose
 * bubblewrap is gone. Gives the process ids; ending them is the caller's.
 */
export function abandonedJails(): number[] {
  const isJail = (pid: number): boolean => {
    const [path, ...args] = (text(`/proc/${pid}/cmdline`) ?? '').split('\0');
    return basename(path!) === 'bwrap' && args.some((arg, i) => arg === '--hostname' && args[i + 1] === jailName);
  };
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        const status = isJail(pid) ? (text(`/proc/${pid}/status`) ?? '') : '';
        return /^NSpid:.*\t1$/m.test(status) && !isJail(Number(/^PPid:\t(\d+)/m.exec(status)?.[1] ?? 0));
      });
  } catch {
    return [];
  }
}

export const jailName = 'jail';
