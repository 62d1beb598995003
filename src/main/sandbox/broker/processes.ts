/** Looks at processes through /proc: the tree below a run and the memory it holds. Elsewhere nothing is known. */
import { readdirSync, readFileSync } from 'node:fs';

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
