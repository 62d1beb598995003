/**
 * Which level protects a run is found by attempts, never by the name of the system: on each level a program tries to get out
 * and another has to work. A level counts only if everything was refused and the work was done.
 */
import type { RunLang, RunLevel } from '../../shared/contracts/sandbox.ts';
import type { BrokerRun, RawRun } from './protocol.ts';
import { readReport } from './untrusted.ts';

export const levelOrder: Record<RunLang, readonly RunLevel[]> = {
  python: ['kernel', 'kernel-lite', 'wasm-renderer', 'wasm'],
  javascript: ['wasm-renderer', 'wasm'],
  sql: ['kernel', 'engine'],
  shell: ['kernel'],
};

export type LevelState = { level: RunLevel; works: boolean; reason: string | null };

const pythonAttempts = `
import os
got = []
def attempt(name, what):
    try:
        what()
        got.append(name)
    except BaseException:
        pass
def fork():
    if os.fork() == 0:
        os._exit(0)
def connect():
    import socket
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
attempt('read a host file', lambda: open('/etc/passwd').read())
attempt('write outside the workspace', lambda: open('/usr/handrail-probe', 'w'))
attempt('start a process', fork)
attempt('start a program', lambda: os.execv('/usr/bin/python3', ['python3', '-c', '0']))
attempt('open a socket', connect)
attempt('signal its parent', lambda: os.kill(os.getppid(), 0) if os.getppid() else os.kill(1, 0))
with open('probe.txt', 'w') as file:
    file.write('works')
result = {'got': got, 'works': open('probe.txt').read() == 'works' and 1 + 1 == 2}
`;
const javascriptAttempts = `
const got = ['process', 'require', 'fetch', 'WebSocket', 'XMLHttpRequest', 'importScripts', 'Deno', 'Bun', 'WebAssembly'].filter((name) => typeof globalThis[name] !== 'undefined');
try { if (print.constructor('return typeof process')() !== 'undefined') got.push('the host through a function'); } catch { /* refused */ }
result = { got, works: [1, 2, 3].map((x) => x * 2).join() === '2,4,6' };
`;
/** One statement each: what must not succeed, and last what must. */
const sqlAttempts = [
  "SELECT content FROM read_text('/etc/passwd')",
  "SELECT * FROM glob('/*')",
  "COPY (SELECT 1) TO '/tmp/handrail-probe'",
  'INSTALL httpfs',
  'SET enable_external_access = true',
];
const shellAttempts = `
got=
if cat /etc/passwd >/dev/null 2>&1; then got="$got read-a-host-file"; fi
if printf x > /usr/handrail-probe 2>/dev/null; then got="$got write-outside"; fi
if /usr/bin/python3 -c 0 2>/dev/null; then got="$got start-another-program"; fi
if kill -0 2 2>/dev/null && test -e /proc/2; then got="$got see-host-processes"; fi
printf 'a\\nb\\n' > probe.txt
echo "got:$got works:$(wc -l < probe.txt)"
`;

type Run = (run: BrokerRun) => Promise<RawRun>;
const base = { check: false, defines: [], inputs: [], timeoutMs: 10_000, memoryMb: 512, tools: false };
const escaped = (list: string): string => `the self-test could ${list}`;

function judgeReport(raw: RawRun): string | null {
  if (raw.end !== 'reported' || raw.report === null) {
    const said = Buffer.from(raw.stderr.bytes).toString('utf8').trim().slice(-200);
    return raw.reason ?? `the self-test ended with ${raw.end}${said === '' ? '' : `: ${said}`}`;
  }
  const { report } = readReport(raw.report);
  if (report.kind === 'error') return `the self-test failed: ${report.error.message}`;
  if (report.kind !== 'result' || report.output?.type !== 'json') return `the self-test ended with ${report.kind}`;
  const data = report.output.data as { got?: unknown; works?: unknown };
  if (!Array.isArray(data.got) || data.got.length > 0) return escaped(String(data.got));
  return data.works === true ? null : 'the self-test could not do its work';
}

async function trySql(level: RunLevel, run: Run): Promise<string | null> {
  for (const code of sqlAttempts) {
    const raw = await run({ ...base, lang: 'sql', level, code });
    if (raw.end !== 'reported') return raw.reason ?? `the self-test ended with ${raw.end}`;
    const { report } = readReport(raw.report ?? '');
    if (report.kind === 'result') return escaped(`run ${code}`);
  }
  const raw = await run({ ...base, lang: 'sql', level, code: 'SELECT 1 + 1 AS two' });
  if (raw.end !== 'reported') return raw.reason ?? `the self-test ended with ${raw.end}`;
  const { report } = readReport(raw.report ?? '');
  return report.kind === 'result' && report.output?.type === 'table' && report.output.data.rows[0]?.[0] === 2
    ? null
    : 'the self-test could not do its work';
}

async function tryShell(run: Run): Promise<string | null> {
  const raw = await run({ ...base, lang: 'shell', level: 'kernel', code: shellAttempts });
  const said = Buffer.from(raw.stdout.bytes).toString('utf8').trim();
  if (said === 'got: works:2') return null;
  const complaint = Buffer.from(raw.stderr.bytes).toString('utf8').trim().slice(-200);
  return raw.reason ?? (said.startsWith('got: ') || said === '' ? `the self-test could not do its work ${complaint}` : escaped(said));
}

export async function tryLevel(lang: RunLang, level: RunLevel, run: Run): Promise<LevelState> {
  let reason: string | null;
  try {
    if (lang === 'sql') reason = await trySql(level, run);
    else if (lang === 'shell') reason = await tryShell(run);
    else reason = judgeReport(await run({ ...base, lang, level, code: lang === 'python' ? pythonAttempts : javascriptAttempts }));
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  return { level, works: reason === null, reason };
}
