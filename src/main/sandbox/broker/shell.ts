/** Starts a POSIX shell in the jail in which a handful of tools exist and nothing else can be executed. */
import { existsSync, realpathSync } from 'node:fs';
import type { BrokerRun } from '../protocol.ts';
import { filters } from '../filter/policies.ts';
import { libraryBinds, program, readText } from './machine.ts';
import { startJail } from './jail.ts';
import type { Started } from './member.ts';

export const shellTools = ['cat', 'head', 'tail', 'wc', 'sort', 'uniq', 'cut', 'tr', 'grep', 'sed', 'awk', 'printf', 'ls', 'find'] as const;

/** Every tool under its own name in /usr/bin, whatever the machine keeps behind the name. */
function toolBinds(): string[] {
  const shell = ['/bin/dash', '/bin/sh'].find((path) => existsSync(path));
  if (shell === undefined) throw new Error('there is no /bin/sh');
  const out = ['--ro-bind', realpathSync(shell), '/usr/bin/sh', '--symlink', 'usr/bin', '/bin'];
  for (const name of shellTools) {
    const path = program(name);
    if (path === null) throw new Error(`${name} is not installed`);
    out.push('--ro-bind', realpathSync(path), `/usr/bin/${name}`);
  }
  return out;
}

function request(run: BrokerRun, mark: string): Uint8Array[] {
  const code = Buffer.from(run.code);
  const files = run.inputs.flatMap((input) => [Buffer.from(`file ${input.bytes.byteLength} ${input.name}\n`), Buffer.from(input.bytes)]);
  return [Buffer.from(`mark ${mark}\n`), ...files, Buffer.from(`code ${code.length}\n`), code];
}

export function startShell(): Started {
  const child = startJail({
    binds: [...libraryBinds(), ...toolBinds()],
    env: { LC_ALL: 'C.UTF-8' },
    filter: filters.shell(),
    texts: [{ path: '/wrapper', content: readText('shell', 'wrapper.sh') }],
    command: ['/usr/bin/sh', '/wrapper'],
  });
  return { child, runtime: 'shell', request, memorySource: 'vmhwm', watchMb: (run) => run.memoryMb, dumpsFiles: true };
}
