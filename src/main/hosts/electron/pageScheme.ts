import { protocol } from 'electron';
import { pageHeaders, readPageFile } from '../pageFiles.ts';
import { runScheme } from './hiddenRenderer.ts';

export const pageOrigin = 'handrail://app';

/** Schemes of our own instead of file://, so that origin, content policy and message targets are real. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'handrail', privileges: { standard: true, secure: true, supportFetchAPI: true } },
    { scheme: runScheme, privileges: { standard: true, secure: true } },
  ]);
}

export function servePage(root: string): void {
  protocol.handle('handrail', async (request) => {
    const url = new URL(request.url);
    const file = url.host === 'app' && request.method === 'GET' ? await readPageFile(root, url.pathname) : null;
    if (!file)
      return new Response('There is no such file.', {
        status: 404,
        headers: { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' },
      });
    return new Response(new Uint8Array(file.body), { headers: { ...pageHeaders, 'content-type': file.type } });
  });
}
