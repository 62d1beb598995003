import { runCases } from './runner.ts';

process.exit(await runCases(process.argv.slice(2)));
