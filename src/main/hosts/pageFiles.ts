import { readFile } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';

/** No network, no inline code, no frames: the page speaks to its own host only. The window's scheme has no socket at all. */
export const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), serial=(), usb=(), hid=()',
  'cache-control': 'no-store',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** A file of the built page, or null for anything that is not one: outside the folder, unknown kind, missing. */
export async function readPageFile(root: string, pathname: string): Promise<{ body: Buffer; type: string } | null> {
  let wanted: string;
  try {
    wanted = decodeURIComponent(pathname);
  } catch {
    return null; // broken percent signs
  }
  if (wanted.includes('\0') || wanted.includes('\\')) return null;
  const file = resolve(root, `.${wanted === '/' ? '/index.html' : wanted}`);
  const type = types[extname(file)];
  if (!type || !file.startsWith(resolve(root) + sep)) return null;
  try {
    return { body: await readFile(file), type };
  } catch {
    return null;
  }
}
