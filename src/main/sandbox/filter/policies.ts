/**
 * What each kind of jail may ask of the kernel; everything else answers EPERM. Two stages, because bubblewrap installs a
 * filter before it executes the interpreter: stage 1 must still allow that execve and the interpreter's own lock-down,
 * stage 2 is put on by the interpreter itself and takes those away. Filters stack, so stage 2 cannot be loosened.
 */
import { assemble, type Policy } from './bpf.ts';
import type { SystemCall } from './sysno.ts';

const ENOSYS = 38;
const ENOTSUP = 95;
const AF_UNIX = 1;
const CLONE_THREAD = 0x10000;
/** CLONE_NEWTIME (0x80) is no flag of clone (it lies in the signal byte); the other CLONE_NEW* are here. */
const CLONE_NEW = 0x02000000 | 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000;
const ioctls = { TCGETS: 0x5401, TIOCGWINSZ: 0x5413, FIONREAD: 0x541b, FIONCLEX: 0x5450, FIOCLEX: 0x5451, FIONBIO: 0x5421 };
const RLIMIT_FSIZE = 1;
const PR_SET_NAME = 15;
const PR_GET_NAME = 16;

const allowAll = (names: readonly SystemCall[]): Policy => Object.fromEntries(names.map((name) => [name, 'allow' as const]));

const files: Policy = allowAll([
  'read',
  'write',
  'readv',
  'writev',
  'pread64',
  'pwrite64',
  'preadv',
  'pwritev',
  'preadv2',
  'pwritev2',
  'open',
  'openat',
  'close',
  'close_range',
  'lseek',
  'fstat',
  'stat',
  'lstat',
  'newfstatat',
  'statx',
  'statfs',
  'fstatfs',
  'access',
  'faccessat',
  'faccessat2',
  'readlink',
  'readlinkat',
  'getdents',
  'getdents64',
  'fcntl',
  'dup',
  'dup2',
  'dup3',
  'pipe',
  'pipe2',
  'getcwd',
  'chdir',
  'fchdir',
  'mkdir',
  'mkdirat',
  'rename',
  'renameat',
  'renameat2',
  'unlink',
  'unlinkat',
  'rmdir',
  'truncate',
  'ftruncate',
  'fallocate',
  'fadvise64',
  'fsync',
  'fdatasync',
  'flock',
  'chmod',
  'fchmod',
  'fchmodat',
  'utimensat',
  'umask',
  'copy_file_range',
  'sendfile',
]);
const memoryAndTime: Policy = allowAll([
  'mmap',
  'munmap',
  'mprotect',
  'mremap',
  'madvise',
  'msync',
  'brk',
  'nanosleep',
  'clock_nanosleep',
  'clock_gettime',
  'clock_getres',
  'gettimeofday',
  'time',
  'times',
  'getrandom',
]);
const selfAndThreads: Policy = allowAll([
  'rt_sigaction',
  'rt_sigprocmask',
  'rt_sigreturn',
  'rt_sigpending',
  'sigaltstack',
  'poll',
  'ppoll',
  'select',
  'pselect6',
  'epoll_create',
  'epoll_create1',
  'epoll_ctl',
  'epoll_wait',
  'epoll_pwait',
  'eventfd2',
  'getpid',
  'gettid',
  'getppid',
  'getuid',
  'geteuid',
  'getgid',
  'getegid',
  'getgroups',
  'getpgrp',
  'getpgid',
  'uname',
  'sysinfo',
  'sched_yield',
  'sched_getaffinity',
  'sched_getparam',
  'sched_getscheduler',
  'getcpu',
  'getrlimit',
  'getrusage',
  'futex',
  'set_tid_address',
  'set_robust_list',
  'get_robust_list',
  'rseq',
  'membarrier',
  'exit',
  'exit_group',
  'tgkill',
  'restart_syscall',
]);

/** `ls -l` and file copies ask for access lists and go on without them when told that there are none. */
const noAttributes: Policy = Object.fromEntries(
  (['getxattr', 'lgetxattr', 'fgetxattr', 'listxattr', 'llistxattr', 'flistxattr'] as const).map((name) => [name, { errno: ENOTSUP }]),
);

/** The Python runner after its lock-down: threads yes; processes, programs, signals to others, sockets no. */
export const pythonStage2: Policy = {
  ...files,
  ...noAttributes,
  ...memoryAndTime,
  ...selfAndThreads,
  clone: { when: [{ arg: 0, maskedEquals: [CLONE_THREAD | CLONE_NEW, CLONE_THREAD] }] },
  clone3: { errno: ENOSYS }, // with EPERM glibc does not fall back to clone and no thread starts
  ioctl: { when: [{ arg: 1, oneOf: [ioctls.TCGETS, ioctls.TIOCGWINSZ, ioctls.FIONREAD, ioctls.FIONCLEX, ioctls.FIOCLEX] }] },
  prctl: { when: [{ arg: 0, oneOf: [PR_SET_NAME, PR_GET_NAME] }] },
  prlimit64: { when: [{ arg: 2, isNull: true }] },
  setrlimit: { when: [{ arg: 0, oneOf: [RLIMIT_FSIZE] }] }, // the runner lowers it once the given files are written; nobody can raise it
  socketpair: { when: [{ arg: 0, oneOf: [AF_UNIX] }] }, // asyncio wakes itself through one
};

/** What bubblewrap's first process, the dynamic loader and the runner's own lock-down need on top. */
export const pythonStage1: Policy = {
  ...pythonStage2,
  ...allowAll([
    'execve',
    'arch_prctl',
    'prctl',
    'seccomp',
    'setrlimit',
    'prlimit64',
    'wait4',
    'waitid',
    'landlock_create_ruleset',
    'landlock_add_rule',
    'landlock_restrict_self',
  ]),
};

/** The shell and its few tools: they start each other, so processes stay; the mount namespace decides which programs exist. */
export const shellStage: Policy = {
  ...pythonStage2,
  ...allowAll([
    'execve',
    'arch_prctl',
    'wait4',
    'waitid',
    'fork',
    'vfork',
    'kill',
    'setpgid',
    'setrlimit',
    'prlimit64',
    'getpriority',
    'rt_sigsuspend',
    'getsid',
    'statfs',
    'symlink',
    'symlinkat',
  ]),
  clone: { when: [{ arg: 0, maskedEquals: [CLONE_NEW, 0] }] },
};

/** Node with DuckDB: V8 and libuv ask for more, io_uring answers ENOSYS so that libuv falls back to its threads. */
export const nodeStage: Policy = {
  ...pythonStage2,
  ...allowAll([
    'execve',
    'arch_prctl',
    'prlimit64',
    'wait4',
    'waitid',
    'pkey_alloc',
    'pkey_free',
    'pkey_mprotect',
    'recvmsg',
    'sendmsg',
    'sendto',
    'recvfrom',
    'getsockopt',
    'shutdown',
    'epoll_pwait2',
    'capget',
    'mincore',
    'getpriority',
    'timerfd_create',
    'timerfd_settime',
    'prctl',
    'mlock',
    'munlock',
  ]),
  ioctl: { when: [{ arg: 1, oneOf: Object.values(ioctls) }] },
  io_uring_setup: { errno: ENOSYS },
};

export const filters = {
  pythonStage1: () => assemble(pythonStage1),
  pythonStage2: () => assemble(pythonStage2),
  shell: () => assemble(shellStage),
  node: () => assemble(nodeStage),
} as const;
