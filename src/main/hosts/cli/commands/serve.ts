import { join } from 'node:path';
import { projectRoot } from '../../../entries.ts';
import { startWebHost } from '../../web/index.ts';
import type { Command } from './index.ts';
import { exitCodes } from '../print.ts';
import { coreOptions } from '../withCore.ts';
import { createCore, openInBrowser } from '../../../core.ts';

/** The page on 127.0.0.1, until a signal ends it. Prints one line with the address and its token. */
export const serve: Command = async (options, printer) => {
  const core = await createCore({ ...coreOptions(options, printer.lang), door: 'web' });
  try {
    const host = await startWebHost({ core, rendererRoot: join(projectRoot(), 'out', 'renderer'), port: options.port ?? 0 });
    printer.result({ url: host.url, port: host.port }, `Handrail: ${host.url}`);
    if (options.open && !printer.json) openInBrowser(host.url);
    await new Promise<void>((done) => {
      process.once('SIGINT', () => done());
      process.once('SIGTERM', () => done());
    });
    await host.close();
  } finally {
    await core.close();
  }
  return exitCodes.ok;
};
