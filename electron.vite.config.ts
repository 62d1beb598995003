import { resolve } from 'node:path';
import { defineConfig } from 'electron-vite';
import react from '@vitejs/plugin-react';
import { entries } from './src/main/entries.ts';

const inputs = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, resolve('src/main', file)]));

export default defineConfig({
  main: {
    // Node 22 syntax: the page host and the command line run on the machine's Node, not on Electron's.
    build: { target: 'node22', rolldownOptions: { input: inputs, output: { format: 'es', entryFileNames: '[name].js' } } },
  },
  preload: {
    // A sandboxed preload must be one CommonJS file without requires other than electron.
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: resolve('src/preload/index.ts'), run: resolve('src/preload/run.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    build: {
      minify: 'oxc',
      rolldownOptions: {
        input: {
          index: resolve('src/renderer/index.html'),
          // What runs in a hidden page: the sandbox's level wasm-renderer.
          'run-page': resolve('sandbox/renderer/page.mjs'),
          'run-worker': resolve('sandbox/renderer/worker.mjs'),
        },
        output: { entryFileNames: ({ name }) => (name.startsWith('run-') ? '[name].js' : 'assets/[name]-[hash].js') },
      },
    },
  },
});
