import { spawn } from 'node:child_process';

/** Hands an address to the system's browser. Where there is none nothing happens: the address was printed. */
export function openInBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return;
  const [command, ...args] =
    platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : platform === 'darwin' ? ['open', url] : ['xdg-open', url];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // no browser here; the person has the address
  child.unref();
}
