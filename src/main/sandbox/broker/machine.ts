/** What this machine has: the interpreter, bubblewrap, the folders an interpreter needs. Looked up once, by trying. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program found on PATH may be a version manager's script without numpy: only fixed places count. */
const places = ['/usr/bin', '/bin', '/usr/local/bin'];
export const program = (name: string): string | null => places.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;

export type Python = { path: string; real: string; version: string; folders: string[]; sitePackages: string[]; hasData: boolean };

let python: Python | null | undefined;
export function findPython(): Python | null {
  if (python !== undefined) return python;
  const path = process.platform === 'linux' ? program('python3') : null;
  if (path === null) return (python = null);
  const ask = `import sys, sysconfig, json, site
p = sysconfig.get_paths()
print(json.dumps({'version': '%d.%d' % sys.version_info[:2], 'folders': sorted({p['stdlib'], p['platstdlib']}), 'site': site.getsitepackages()}))`;
  try {
    const told = JSON.parse(
      execFileSync(path, ['-I', '-c', ask], { encoding: 'utf8', env: {}, timeout: 20_000, stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as { version: string; folders: string[]; site: string[] };
    const sitePackages = told.site.filter((folder) => existsSync(folder));
    python = {
      path,
      real: realpathSync(path),
      version: told.version,
      folders: told.folders,
      sitePackages,
      hasData: sitePackages.some((f) => existsSync(join(f, 'numpy'))),
    };
  } catch {
    python = null;
  }
  return python;
}

/** `sandbox/` lies beside `src` and `out`; a packaged program names its place itself. */
export function sandboxFolder(): string {
  const named = process.env['HANDRAIL_SANDBOX_DIR'];
  return named ?? fileURLToPath(new URL(import.meta.url.replace(/\/(out|src)\/main\/.*$/, '/sandbox')));
}

export const isRoot = (): boolean => process.getuid?.() === 0;
const nobody = 65534;

/** Root gives up its user before anything else: the kernel's own root is not bound by process limits and reads every file. */
export const dropped = (): { uid?: number; gid?: number } => (isRoot() ? { uid: nobody, gid: nobody } : {});

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};

/** The arguments that show a folder of shared libraries under the names the loader looks for. */
export function libraryBinds(): string[] {
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const out: string[] = [];
  for (const folder of [`/usr/lib/${triplet}`, '/usr/lib64'])
    if (existsSync(folder) && !isLink(folder)) out.push('--ro-bind', folder, folder);
  for (const name of ['lib', 'lib64']) {
    if (isLink(`/${name}`)) out.push('--symlink', `usr/${name}`, `/${name}`);
    else if (name === 'lib64' && existsSync('/lib64')) out.push('--ro-bind', '/lib64', '/lib64');
    else if (existsSync(`/lib/${triplet}`)) out.push('--ro-bind', `/lib/${triplet}`, `/lib/${triplet}`);
  }
  if (process.arch === 'arm64' && existsSync('/usr/lib/ld-linux-aarch64.so.1'))
    out.push('--ro-bind', '/usr/lib/ld-linux-aarch64.so.1', '/usr/lib/ld-linux-aarch64.so.1');
  return out;
}

/** Read-only binds of what exists, each at its own place. */
export const bindExisting = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]);

/** A package's folder, searched upwards as Node does. */
export function packageFolder(name: string): string | null {
  for (let folder = sandboxFolder(); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (dirname(folder) === folder) return null;
  }
}

export const readText = (...path: string[]): string => readFileSync(join(sandboxFolder(), ...path), 'utf8');
export const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
