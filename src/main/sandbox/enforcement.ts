import type { Enforcement, RunLevel } from '../../shared/contracts/sandbox.ts';
import type { Bilingual } from '../../shared/errors.ts';

const b = (en: string, zh: string): Bilingual => ({ en, zh });
const none = b('none exist', '不存在');
const deadlineOnly = b('not enforced; the deadline bounds the time', '不限制；由截止时间约束');
const cpuTime = b('not enforced; RLIMIT_CPU and the deadline bound the time', '不限制；由 RLIMIT_CPU 和截止时间约束');

/** What bounds a run on each level and by which means; shown with the health, so that nothing is claimed that is not enforced. */
export const enforcement: Readonly<Record<RunLevel, Enforcement>> = {
  kernel: {
    files: b('mount namespace, tmpfs of 16 MB and 1,024 entries', '挂载命名空间，16 MB、1,024 个条目的 tmpfs'),
    network: b('network namespace and filter', '网络命名空间和过滤器'),
    processes: b('filter, pid namespace, RLIMIT_NPROC 32', '过滤器、进程命名空间、RLIMIT_NPROC 32'),
    memory: b('RLIMIT_AS (SQL: RLIMIT_DATA) and a watch every 25 ms', 'RLIMIT_AS（SQL：RLIMIT_DATA），每 25 毫秒检查'),
    processorShare: cpuTime,
  },
  'kernel-lite': {
    files: b('Landlock; names and sizes of host files can be asked for', 'Landlock；可查到主机文件的名称和大小'),
    network: b('filter and Landlock', '过滤器和 Landlock'),
    processes: b('filter', '过滤器'),
    memory: b('RLIMIT_AS and a watch every 25 ms', 'RLIMIT_AS，每 25 毫秒检查'),
    processorShare: cpuTime,
  },
  'wasm-renderer': {
    files: none,
    network: none,
    processes: none,
    memory: b('WebAssembly maximum', 'WebAssembly 上限'),
    processorShare: deadlineOnly,
  },
  wasm: {
    files: b('none exist (Python: in memory, 16 MB and 1,024 entries)', '不存在（Python：内存中，16 MB、1,024 个条目）'),
    network: none,
    processes: none,
    memory: b('WebAssembly maximum and, on Linux, a watch every 25 ms', 'WebAssembly 上限；Linux 上每 25 毫秒检查'),
    processorShare: deadlineOnly,
  },
  engine: {
    files: b('locked setting of the engine', '引擎的锁定设置'),
    network: b('locked setting of the engine', '引擎的锁定设置'),
    processes: b('none can be named in SQL', 'SQL 中无法启动进程'),
    memory: b('setting of the engine; on Linux RLIMIT_DATA and a watch every 25 ms', '引擎设置；Linux 上 RLIMIT_DATA，每 25 毫秒检查'),
    processorShare: b('two threads of the engine; the deadline bounds the time', '引擎两个线程；由截止时间约束'),
  },
};
