// `npm start`: everything a fresh machine needs, then the window, or the page where Electron cannot be had.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, requireNode, root, run, say } from './common.mjs';

const args = process.argv.slice(2);
const take = (flag) => {
  const at = args.indexOf(flag);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
};
const pageOnly = take('--web');
const insist = take('--electron');
const downloadLimitMs = Number(process.env.HANDRAIL_ELECTRON_TIMEOUT_MS ?? 180_000);
const missed = join(root, '.cache', 'electron-not-fetched');
const retryAfterMs = 24 * 3600_000;

/** The binary beside the electron package. Never `require('electron')`: that starts the download. */
function electronBinary() {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH)
    return join(process.env.ELECTRON_OVERRIDE_DIST_PATH, process.platform === 'win32' ? 'electron.exe' : 'electron');
  const folder = join(root, 'node_modules', 'electron');
  const pointer = join(folder, 'path.txt');
  if (!existsSync(pointer)) return undefined;
  const binary = join(folder, 'dist', readFileSync(pointer, 'utf8'));
  return existsSync(binary) ? binary : undefined;
}

function whyNot({ timedOut, output }) {
  if (timedOut)
    return `the download gave no result within ${downloadLimitMs / 1000} s (behind a proxy set ELECTRON_GET_USE_PROXY=1 and HTTPS_PROXY, or ELECTRON_MIRROR)`;
  if (/checksum/.test(output)) return 'the downloaded file does not match the published checksum (a proxy answered instead of the server?)';
  const status = /Response code (\d+)/.exec(output);
  if (status) return `the download server answered ${status[1]}`;
  if (/fetch failed|ENOTFOUND|ECONNREFUSED|EAI_AGAIN/.test(output)) return 'the download server cannot be reached from this machine';
  return (output.split('\n').find((line) => /Error/.test(line)) ?? 'the reason is not known').trim();
}

/** The Electron binary, fetched once; or the reason why there is none. */
async function findElectron() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return { reason: 'there is no display here' };
  if (process.platform === 'linux' && process.getuid?.() === 0) return { reason: 'its sandbox does not run as root' };
  const present = electronBinary();
  if (present) return { binary: present };
  if (!insist && existsSync(missed) && Date.now() - statSync(missed).mtimeMs < retryAfterMs)
    return { reason: readFileSync(missed, 'utf8') };
  say('fetching the Electron runtime once');
  const result = await run(process.execPath, [join(root, 'node_modules', 'electron', 'install.js')], {
    capture: true,
    timeoutMs: downloadLimitMs,
  });
  const binary = electronBinary();
  if (binary) {
    rmSync(missed, { force: true });
    return { binary };
  }
  const reason = whyNot(result);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(missed, reason);
  return { reason };
}

await ensureInstalled();
await ensureBuilt();
const electron = pageOnly ? { reason: undefined } : await findElectron();
if (electron.binary) process.exit((await run(electron.binary, ['.', ...args])).code);
if (electron.reason) {
  say(`No Electron window: ${electron.reason}. Serving the same program as a page instead.`);
  if (insist) process.exit(3);
}
process.exit((await run(requireNode(), [join(root, 'out', 'main', 'cli.js'), 'serve', ...args])).code);
