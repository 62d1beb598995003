// `npm run -s handrail|eval|bench -- …`: makes sure that packages and build are there, then runs the program on Node 24.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, requireNode, root, run, say } from './common.mjs';

const programs = { handrail: ['out', 'main', 'cli.js'], eval: ['test', 'eval', 'main.ts'], bench: ['test', 'bench', 'main.ts'] };
const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(programs, name ?? '')) {
  say(`usage: run.mjs ${Object.keys(programs).join('|')} …`);
  process.exit(1);
}
await ensureInstalled();
await ensureBuilt();
const workFolder = process.env.INIT_CWD ?? process.cwd(); // paths in arguments are meant from where the person stands
process.exit(
  (await run(requireNode(), ['--disable-warning=ExperimentalWarning', join(root, ...programs[name]), ...args], { cwd: workFolder })).code,
);
