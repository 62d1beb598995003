// `npm test`: sets up, then runs every check and suite and closes with the line `tests: N passed, N failed, N skipped`.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { requireNode, root, run, say } from './common.mjs';

const setup = await run(process.execPath, [join(root, 'scripts', 'setup.mjs')]);
if (setup.code !== 0) process.exit(setup.code);

const node = requireNode();
const reports = join(root, '.cache', 'reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const total = { passed: 0, failed: 0, skipped: 0 };
const skippedWhy = [];
const tool = (...path) => join(root, 'node_modules', ...path);

/** A check without tests of its own counts as one. */
async function check(name, args) {
  say(`${name} …`);
  const { code } = await run(node, args);
  total[code === 0 ? 'passed' : 'failed'] += 1;
  if (code !== 0) say(`${name} FAILED`);
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

async function vitest(project) {
  say(`${project} tests …`);
  const file = join(reports, `${project}.json`);
  const { code } = await run(node, [
    tool('vitest', 'vitest.mjs'),
    'run',
    '-c',
    'test/vitest.config.ts',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const report = readReport(file);
  if (!report) {
    total.failed += 1;
    say(`${project} tests gave no report`);
    return;
  }
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  for (const suite of report.testResults)
    for (const t of suite.assertionResults) if (t.status === 'skipped' || t.status === 'pending') skippedWhy.push(t.fullName);
  const fileFailures = report.testResults.filter((s) => s.status === 'failed' && s.assertionResults.every((t) => t.status !== 'failed'));
  total.failed += fileFailures.length;
  for (const suite of fileFailures) say(`${suite.name}: ${suite.message}`);
  if (code !== 0 && report.numFailedTests === 0 && fileFailures.length === 0) {
    total.failed += 1;
    say(`${project} tests ended with code ${code}`);
  }
}

async function playwright() {
  say('browser tests …');
  const file = join(reports, 'browser.json');
  const { code } = await run(node, [tool('@playwright', 'test', 'cli.js'), 'test', '-c', 'test/playwright.config.ts'], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file, CI: '1' },
  });
  const report = readReport(file);
  if (!report) {
    total.failed += 1;
    say('browser tests gave no report');
    return;
  }
  total.passed += report.stats.expected;
  total.failed += report.stats.unexpected + report.stats.flaky;
  total.skipped += report.stats.skipped;
  const visit = (suite) => {
    for (const spec of suite.specs ?? [])
      for (const t of spec.tests)
        if (t.status === 'skipped') skippedWhy.push(`${spec.title}: ${t.annotations.map((a) => a.description).join('; ')}`);
    for (const inner of suite.suites ?? []) visit(inner);
  };
  for (const suite of report.suites) visit(suite);
  if (code !== 0 && report.stats.unexpected === 0) total.failed += 1;
}

await check('types', [tool('typescript', 'bin', 'tsc'), '-b']);
await check('lint', [tool('eslint', 'bin', 'eslint.js'), '-c', 'test/eslint.config.mjs', '.', '--max-warnings', '0']);
await check('format', [tool('prettier', 'bin', 'prettier.cjs'), '--check', '.', '--log-level', 'warn']);
await vitest('unit');
await vitest('integration');
await playwright();

for (const reason of skippedWhy) say(`skipped: ${reason}`);
process.stdout.write(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed === 0 ? 0 : 1);
