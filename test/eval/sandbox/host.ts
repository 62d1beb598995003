/** Looks at the host from outside: memory of a run's processes, left-over processes, traces in the file system. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

function tree(root: number): number[] {
  const all = [root];
  for (let i = 0; i < all.length; i++) {
    all.push(...read(`/proc/${all[i]}/task/${all[i]}/children`).split(' ').filter(Boolean).map(Number));
  }
  return all;
}

const rssMb = (root: number): number =>
  tree(root).reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0), 0) / 1024;

/** The greatest resident memory of a run's processes together, looked at every 20 ms. */
export function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, rssMb(pid));
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

export function anyProcessWith(text: string): boolean {
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid && read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').includes(text),
  );
}

export const tracesOutside = (): string[] => readdirSync('/tmp').filter((name) => name.startsWith('hr_'));
export function removeTraces(): void {
  for (const name of tracesOutside()) rmSync(`/tmp/${name}`, { recursive: true, force: true });
}
export function objectsArePolluted(): boolean {
  for (const key in {}) return key.length >= 0;
  return false;
}
