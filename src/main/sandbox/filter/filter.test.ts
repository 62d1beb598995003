import { expect, test } from 'vitest';
import { assemble, interpret, type Call } from './bpf.ts';
import { nodeStage, pythonStage1, pythonStage2, shellStage } from './policies.ts';
import { systemCalls, type SystemCall } from './sysno.ts';

const EPERM = { errno: 1 };
const ENOSYS = { errno: 38 };
const programs = { stage1: assemble(pythonStage1), stage2: assemble(pythonStage2), shell: assemble(shellStage), node: assemble(nodeStage) };
const column = { x86_64: 0, aarch64: 1 } as const;

function ask(program: Uint8Array, name: SystemCall, args: bigint[] = []): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const arch of ['x86_64', 'aarch64'] as const) {
    const nr = systemCalls[name][column[arch]];
    if (nr !== null) out[arch] = interpret(program, { arch, nr, args });
  }
  return out;
}
const both = (verdict: unknown, name: SystemCall): Record<string, unknown> =>
  Object.fromEntries((['x86_64', 'aarch64'] as const).filter((a) => systemCalls[name][column[a]] !== null).map((a) => [a, verdict]));

test.each(['read', 'write', 'mmap', 'futex', 'openat', 'getrandom', 'exit_group', 'clock_gettime', 'tgkill'] as const)(
  '%s is allowed to Python on both processors',
  (name) => {
    expect(ask(programs.stage2, name)).toEqual(both('allow', name));
  },
);

test.each([
  'socket',
  'connect',
  'bind',
  'listen',
  'accept4',
  'sendto',
  'sendmsg',
  'recvmsg',
  'execve',
  'execveat',
  'fork',
  'vfork',
  'kill',
  'tkill',
  'ptrace',
  'mount',
  'umount2',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'bpf',
  'keyctl',
  'userfaultfd',
  'personality',
  'memfd_create',
  'shmget',
  'seccomp',
  'unshare',
  'setns',
  'process_vm_readv',
  'pidfd_open',
  'pidfd_getfd',
  'sched_setaffinity',
  'arch_prctl',
  'chroot',
  'mknodat',
  'setuid',
  'landlock_restrict_self',
  'symlink',
  'link',
] as const)('%s is refused to Python with EPERM on both processors', (name) => {
  expect(ask(programs.stage2, name)).toEqual(both(EPERM, name));
});

test('clone3 answers ENOSYS, so that glibc falls back and threads start', () => {
  for (const program of Object.values(programs)) expect(ask(program, 'clone3')).toEqual(both(ENOSYS, 'clone3'));
});

test('clone makes threads and nothing else', () => {
  const thread = 0x3d0f00n;
  expect(ask(programs.stage2, 'clone', [thread])).toEqual(both('allow', 'clone'));
  expect(ask(programs.stage2, 'clone', [17n])).toEqual(both(EPERM, 'clone')); // fork by another name
  for (const namespace of [0x00020000n, 0x02000000n, 0x04000000n, 0x08000000n, 0x10000000n, 0x20000000n, 0x40000000n]) {
    expect(ask(programs.stage2, 'clone', [thread | namespace])).toEqual(both(EPERM, 'clone'));
    expect(ask(programs.shell, 'clone', [17n | namespace])).toEqual(both(EPERM, 'clone'));
  }
  expect(ask(programs.shell, 'clone', [17n])).toEqual(both('allow', 'clone'));
});

test('limits can be read but not set, save the one on file sizes that the runner lowers', () => {
  expect(ask(programs.stage2, 'prlimit64', [0n, 7n, 0n, 0x7ffdn])).toEqual(both('allow', 'prlimit64'));
  expect(ask(programs.stage2, 'prlimit64', [0n, 7n, 0x7ffdn, 0n])).toEqual(both(EPERM, 'prlimit64'));
  expect(ask(programs.stage2, 'prlimit64', [0n, 7n, 0x1_0000_0000n, 0n])).toEqual(both(EPERM, 'prlimit64')); // lower half zero is not null
  expect(ask(programs.stage2, 'setrlimit', [1n])).toEqual(both('allow', 'setrlimit'));
  expect(ask(programs.stage2, 'setrlimit', [9n])).toEqual(both(EPERM, 'setrlimit'));
});

test('socketpair is for the event loop only, ioctl asks and never types', () => {
  expect(ask(programs.stage2, 'socketpair', [1n])).toEqual(both('allow', 'socketpair'));
  expect(ask(programs.stage2, 'socketpair', [2n])).toEqual(both(EPERM, 'socketpair'));
  expect(ask(programs.stage2, 'ioctl', [0n, 0x5401n])).toEqual(both('allow', 'ioctl'));
  expect(ask(programs.stage2, 'ioctl', [0n, 0x5412n])).toEqual(both(EPERM, 'ioctl')); // TIOCSTI
});

test('other doors into the kernel are shut: x32 numbers, 32-bit calls, unknown processors, unknown numbers', () => {
  const cases: Call[] = [
    { arch: 'x86_64', nr: 0x40000000 },
    { arch: 'x86_64', nr: 0x40000000 | 39 },
    { arch: 0x40000003, nr: 20 },
    { arch: 0x40000028, nr: 20 },
    { arch: 0, nr: 0 },
    { arch: 'x86_64', nr: 9_999 },
    { arch: 'aarch64', nr: 9_999 },
    { arch: 'x86_64', nr: -1 },
  ];
  for (const program of Object.values(programs)) for (const call of cases) expect(interpret(program, call)).toEqual(EPERM);
});

test('stage 1 lets the interpreter start and lock itself, stage 2 takes that away', () => {
  for (const name of ['execve', 'seccomp', 'prctl', 'prlimit64'] as const) {
    expect(ask(programs.stage1, name, [99n, 0n, 5n])).toEqual(both('allow', name));
    expect(ask(programs.stage2, name, [99n, 0n, 5n])).toEqual(both(EPERM, name));
  }
  expect(ask(programs.stage1, 'socket')).toEqual(both(EPERM, 'socket'));
});

test('Node is told that io_uring does not exist, and still gets no socket', () => {
  expect(ask(programs.node, 'io_uring_setup')).toEqual(both(ENOSYS, 'io_uring_setup'));
  for (const name of ['socket', 'connect', 'ptrace', 'bpf', 'mount'] as const) expect(ask(programs.node, name)).toEqual(both(EPERM, name));
});

test('every program fits the kernel, and a rule too long for a jump is refused when it is written', () => {
  for (const program of Object.values(programs)) expect(program.length / 8).toBeLessThanOrEqual(4096);
  expect(() => assemble({ read: { when: [{ arg: 0, oneOf: Array.from({ length: 300 }, (_, i) => i) }] } })).toThrow(RangeError);
});
