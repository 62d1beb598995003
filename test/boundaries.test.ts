import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Who may import whom. Arrows point one way; a wrong arrow fails the build. */
export const mayImport: Record<string, readonly string[]> = {
  shared: [],
  devices: ['shared'],
  sandbox: ['shared'],
  model: ['shared'],
  store: ['shared'],
  agent: ['shared'],
  gateway: ['shared'],
  workers: ['shared'],
  plant: ['shared', 'devices'],
  logs: ['shared', 'workers'],
  tools: ['shared', 'devices', 'plant', 'logs', 'sandbox', 'store'],
  core: ['shared', 'agent', 'gateway', 'tools', 'devices', 'plant', 'logs', 'sandbox', 'model', 'store', 'workers'],
  hosts: ['shared', 'core'],
  preload: ['shared'],
  renderer: ['shared'],
};
/** Each risky library has one home. */
const homes: Record<string, readonly string[]> = {
  serialport: ['devices'],
  'better-sqlite3': ['store'],
  'node:child_process': ['sandbox', 'workers'],
  electron: ['hosts', 'preload'],
  'modbus-serial': ['devices', 'plant'],
  '@duckdb/node-api': ['sandbox'],
  'quickjs-emscripten-core': ['sandbox'],
  '@jitl/quickjs-wasmfile-release-sync': ['sandbox'],
};
const root = fileURLToPath(new URL('../src', import.meta.url));

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sources(path);
    return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) ? [path] : [];
  });
}

function roomOf(path: string): string {
  const [side, room] = relative(root, path).split(sep);
  if (side !== 'main') return side ?? '';
  return room === 'core.ts' ? 'core' : room === 'entries.ts' ? 'shared' : (room ?? '');
}

const imports = sources(root).flatMap((file) =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => ({ file, target: fileName })),
);

test('the import scan sees the sources', () => {
  expect(imports.length).toBeGreaterThan(20);
});

test('every import follows the table of who may import whom', () => {
  const wrong = imports.filter(({ file, target }) => {
    if (!target.startsWith('.')) return false;
    const from = roomOf(file);
    const to = roomOf(resolve(dirname(file), target));
    return from !== to && !(mayImport[from] ?? []).includes(to);
  });
  expect(wrong.map((w) => `${relative(root, w.file)} -> ${w.target}`)).toEqual([]);
});

test('each risky library is imported in its home only', () => {
  const wrong = imports.filter(({ file, target }) => {
    const bare = Object.keys(homes).find((name) => target === name || target.startsWith(`${name}/`));
    return bare !== undefined && !homes[bare]!.includes(roomOf(file));
  });
  expect(wrong.map((w) => `${relative(root, w.file)} -> ${w.target}`)).toEqual([]);
});
