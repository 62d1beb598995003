/**
 * The Linux jail: bubblewrap with every namespace, an empty root with read-only binds, one small tmpfs as workspace, our filter.
 * The tmpfs is mounted before bubblewrap starts, in a user namespace of its own, because bubblewrap cannot bound inodes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { runLimits } from '../limits.ts';
import { dropped, program } from './machine.ts';
import { jailName, ownGroup } from './processes.ts';

export type JailPlan = {
  binds: string[];
  env: Record<string, string>;
  filter: Uint8Array;
  /** Files made inside from memory: path and content. */
  texts: { path: string; content: string | Uint8Array }[];
  command: string[];
  workspaceBytes?: number;
  /** Programs that set limits before the jail starts, as prlimit does. */
  before?: string[];
};

/** Any empty folder that always exists does: the mount is seen by this jail only. */
const mountPoint = (): string =>
  ['/mnt', '/media', '/srv'].find((path) => {
    try {
      return statSync(path).isDirectory();
    } catch {
      return false;
    }
  }) ?? '/tmp';

export function jailMissing(): string | null {
  if (process.platform !== 'linux') return 'the kernel jail exists on Linux only';
  for (const name of ['bwrap', 'unshare', 'mount', 'sh']) {
    if (program(name) === null && name !== 'sh') return name === 'bwrap' ? 'bubblewrap is not installed' : `${name} is not installed`;
  }
  return null;
}

export function startJail(plan: JailPlan): ChildProcess {
  const work = mountPoint();
  const options = `size=${plan.workspaceBytes ?? runLimits.workspaceBytes},nr_inodes=${runLimits.workspaceFiles},mode=0777,nosuid,nodev,noexec`;
  const filterFd = 5;
  const texts = plan.texts.flatMap(({ path }, i) => ['--perms', '0444', '--ro-bind-data', String(6 + i), path]);
  const args = [
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--uid',
    '65534',
    '--gid',
    '65534',
    '--hostname',
    jailName,
    '--disable-userns',
    '--cap-drop',
    'ALL',
    '--clearenv',
    ...Object.entries({ PATH: '/usr/bin', LANG: 'C.UTF-8', HOME: '/workspace', ...plan.env }).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
    '--die-with-parent',
    '--new-session',
    ...plan.binds,
    '--dev-bind',
    '/dev/null',
    '/dev/null',
    '--dev-bind',
    '/dev/urandom',
    '/dev/urandom',
    '--dir',
    '/proc',
    ...texts,
    '--bind',
    work,
    '/workspace',
    '--chdir',
    '/workspace',
    '--remount-ro',
    '/',
    '--seccomp',
    String(filterFd),
    '--',
    ...plan.command,
  ];
  const script = `mount -t tmpfs -o ${options} none ${work} && exec "$0" "$@"`;
  const command = [...(plan.before ?? []), program('unshare')!];
  const child = spawn(
    command[0]!,
    [...command.slice(1), '-Urm', '--propagation', 'private', '/bin/sh', '-c', script, program('bwrap')!, ...args],
    {
      ...dropped(),
      ...ownGroup,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...plan.texts.map(() => 'pipe' as const)],
    },
  );
  child.on('error', () => undefined);
  [plan.filter, ...plan.texts.map((t) => t.content)].forEach((content, i) => {
    const stream = child.stdio[filterFd + i] as Writable | null;
    stream?.on('error', () => undefined);
    stream?.end(content);
  });
  return child;
}
