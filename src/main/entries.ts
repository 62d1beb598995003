import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Every file of main that starts a process of its own; the build makes one output file of each. Paths are relative to src/main. */
export const entries = {
  index: 'hosts/electron/index.ts',
  cli: 'hosts/cli/index.ts',
  sandboxBroker: 'sandbox/broker/broker.child.ts',
  recordWorker: 'store/recordWorker.ts',
  logWorker: 'logs/logWorker.ts',
} as const;

export type EntryName = keyof typeof entries;

/**
 * The file to give to `fork` or `new Worker` for an entry: the built one beside us in `out/main`, or the source when we
 * run from source (Node 24 strips the types). A bundled module cannot find its neighbours by relative source paths.
 */
export function entryFile(name: EntryName): string {
  const here = import.meta.url;
  const built = /\/out\/main\//.test(here);
  const url = built ? new URL(here.replace(/\/out\/main\/.*$/, `/out/main/${name}.js`)) : new URL(entries[name], here);
  return fileURLToPath(url);
}

/** The checkout's (or the package's) root folder: where `sandbox/` and `out/` lie. */
export function projectRoot(): string {
  return fileURLToPath(new URL(import.meta.url.replace(/\/(out|src)\/main\/.*$/, '/')));
}

/** The version of package.json, the one place where it stands. */
export function handrailVersion(): string {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
