// `npm run setup`: what tests, eval and bench need: packages, system packages where that may be done, and the build.
import { existsSync } from 'node:fs';
import { ensureBuilt, ensureInstalled, run, say } from './common.mjs';

/** Debian package and the file that shows it is there. Without one, the tests that need it are counted as skipped. */
const systemPackages = [
  ['chromium-headless-shell', '/usr/bin/chromium-headless-shell', 'browser tests'],
  ['fonts-dejavu-core', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 'page layout'],
  ['fonts-noto-cjk', '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', 'Chinese page layout'],
  ['bubblewrap', '/usr/bin/bwrap', 'sandbox level kernel'],
  ['python3-numpy', '/usr/lib/python3/dist-packages/numpy', 'sandbox'],
  ['python3-pandas', '/usr/lib/python3/dist-packages/pandas', 'sandbox'],
  ['python3-matplotlib', '/usr/lib/python3/dist-packages/matplotlib', 'sandbox'],
  ['socat', '/usr/bin/socat', 'serial lines as pty pairs'],
  ['mbpoll', '/usr/bin/mbpoll', 'independent Modbus peer'],
  ['libmodbus-dev', '/usr/include/modbus/modbus.h', 'independent Modbus peer'],
  ['pkg-config', '/usr/bin/pkg-config', 'building that peer'],
  ['gcc', '/usr/bin/gcc', 'building that peer'],
  ['libc6-dev', '/usr/include/stdio.h', 'building that peer'],
  ['python3-pymodbus', '/usr/lib/python3/dist-packages/pymodbus', 'independent Modbus peer'],
  ['python3-serial', '/usr/lib/python3/dist-packages/serial', 'independent Modbus peer'],
  ['python3-serial-asyncio', '/usr/lib/python3/dist-packages/serial_asyncio', 'independent Modbus peer'],
  ['tshark', '/usr/bin/tshark', 'judge of our traffic export'],
];

async function ensureSystemPackages() {
  const missing = systemPackages.filter(([, file]) => !existsSync(file));
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ['sudo', '-n'];
  if (!existsSync('/usr/bin/apt-get') || (!root && (await run('sudo', ['-n', 'true'], { capture: true })).code !== 0)) {
    say(
      `these system packages are missing, tests that need them are skipped: ${missing.map(([name, , use]) => `${name} (${use})`).join(', ')}`,
    );
    return;
  }
  say(`installing system packages for the tests: ${names.join(' ')}`);
  const apt = (...args) =>
    run([...prefix, 'apt-get'][0], [...[...prefix, 'apt-get'].slice(1), ...args], {
      quiet: true,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  await apt('update');
  const result = await apt('install', '-y', '--no-install-recommends', ...names);
  if (result.code !== 0) say('some system packages could not be installed; tests that need them are skipped.');
}

await ensureInstalled();
await ensureSystemPackages();
await ensureBuilt();
say('set up.');
