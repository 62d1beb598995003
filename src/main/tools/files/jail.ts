import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { HandrailError } from '../../../shared/errors.ts';

/** Names that mean a device on Windows, with or without an ending; refused everywhere, so that a plant's files can move. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

const refuse = (path: string, en: string, zh: string): HandrailError =>
  new HandrailError('POLICY_PATH', {
    detail: { path: path.slice(0, 300), reason: en },
    message: {
      en: `${JSON.stringify(path.slice(0, 120))} may not be used: ${en}.`,
      zh: `不可使用 ${JSON.stringify(path.slice(0, 120))}：${zh}。`,
    },
  });

/** The segments of a path inside the work folder. Pure: what a path says is judged before the disk is asked. */
export function segmentsOf(path: string): string[] {
  if (path === '' || path.length > 400) throw refuse(path, 'it is empty or too long', '路径为空或过长');
  if (!path.isWellFormed()) throw refuse(path, 'it is not well-formed text', '路径文本不合法');
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path)) throw refuse(path, 'it holds control characters', '路径含控制字符');
  if (/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(path)) throw refuse(path, 'it holds invisible characters', '路径含不可见字符');
  const text = path.normalize('NFC');
  if (/^[/\\]/.test(text) || /^[a-z]:/i.test(text) || text.startsWith('~')) throw refuse(path, 'it is absolute', '它是绝对路径');
  if (text.includes('\\')) throw refuse(path, 'folders are separated by /', '文件夹须以 / 分隔');
  if (/[<>:"|?*]/.test(text)) throw refuse(path, 'it holds a character that no file name may have', '路径含文件名不允许的字符');
  const segments = text.split('/').filter((s, i, all) => !(s === '' && i === all.length - 1));
  for (const segment of segments) {
    if (segment === '..') throw refuse(path, 'it leaves the folder', '它越出文件夹');
    if (segment === '' || segment === '.') throw refuse(path, 'it has an empty part', '路径有空的部分');
    if (windowsDevice.test(segment)) throw refuse(path, `${segment} is a device name`, `${segment} 是设备名`);
    if (/[. ]$/.test(segment)) throw refuse(path, 'a part ends with a dot or a space', '某部分以点或空格结尾');
    if (Buffer.byteLength(segment) > 255) throw refuse(path, 'a part is too long', '某部分过长');
  }
  return segments;
}

export type Jail = ReturnType<typeof createJail>;

/**
 * The work folder, the only place the file tools see. No part of a path may be a link: a link inside the folder that
 * points outside is the classic way out. The file that was opened is compared with the one that was judged.
 */
export function createJail(root: string) {
  async function rootPath(): Promise<string> {
    await mkdir(root, { recursive: true });
    return realpath(root);
  }
  /** Walks down; every folder on the way must be one, and none may be a link. */
  async function walk(path: string): Promise<{ base: string; full: string; shown: string; parents: string[] }> {
    const segments = segmentsOf(path);
    const base = await rootPath();
    let at = base;
    const parents: string[] = [];
    for (const segment of segments.slice(0, -1)) {
      at = join(at, segment);
      parents.push(at);
      const found = await lstat(at).catch(() => null);
      if (found === null) continue;
      if (found.isSymbolicLink()) throw refuse(path, `${segment} is a link`, `${segment} 是链接`);
      if (!found.isDirectory()) throw refuse(path, `${segment} is not a folder`, `${segment} 不是文件夹`);
    }
    return { base, full: join(at, segments[segments.length - 1] ?? ''), shown: segments.join('/'), parents };
  }

  /** Opens a regular file for reading. The caller closes it. */
  async function openForReading(path: string): Promise<{ handle: FileHandle; size: number; shown: string }> {
    const { base, full, shown } = await walk(path);
    const found = await lstat(full).catch(() => null);
    if (found === null) throw new HandrailError('ARGS_UNREADABLE_FILE', { detail: { file: shown, reason: 'it does not exist' } });
    if (found.isSymbolicLink()) throw refuse(path, 'it is a link', '它是链接');
    if (!found.isFile()) throw refuse(path, 'it is not a regular file', '它不是普通文件');
    // Without O_NONBLOCK a pipe that took the file's place would hold us for ever.
    const handle = await open(full, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
      (cause: unknown) => {
        const { code } = cause as { code?: string };
        if (code === 'ELOOP') throw refuse(path, 'it is a link', '它是链接');
        throw new HandrailError('ARGS_UNREADABLE_FILE', { detail: { file: shown, reason: code ?? String(cause) }, cause });
      },
    );
    try {
      const opened = await handle.stat();
      const real = await realpath(full);
      const there = await stat(real);
      const isInside = real.startsWith(base.endsWith(sep) ? base : base + sep);
      if (!opened.isFile() || !isInside || opened.ino !== there.ino || opened.dev !== there.dev) {
        throw refuse(path, 'it changed while it was opened', '打开时它已变化');
      }
      return { handle, size: opened.size, shown };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The place of a file to be written; its folders are made. Nothing is opened. */
  async function placeForWriting(path: string): Promise<{ full: string; shown: string; exists: boolean }> {
    const { base, full, shown, parents } = await walk(path);
    for (const parent of parents) await mkdir(parent, { recursive: true });
    const folder = await realpath(parents[parents.length - 1] ?? base);
    if (folder !== base && !folder.startsWith(base + sep)) throw refuse(path, 'its folder changed', '其文件夹已变化');
    const found = await lstat(full).catch(() => null);
    if (found?.isSymbolicLink()) throw refuse(path, 'it is a link', '它是链接');
    if (found !== null && !found.isFile()) throw refuse(path, 'it is not a regular file', '它不是普通文件');
    return { full, shown, exists: found !== null };
  }

  async function folderOf(path: string | undefined): Promise<{ full: string; shown: string }> {
    if (path === undefined || path === '' || path === '.') return { full: await rootPath(), shown: '' };
    const { full, shown } = await walk(path);
    const found = await lstat(full).catch(() => null);
    if (found === null) throw new HandrailError('ARGS_UNREADABLE_FILE', { detail: { file: shown, reason: 'it does not exist' } });
    if (!found.isDirectory()) throw refuse(path, 'it is not a folder', '它不是文件夹');
    return { full, shown };
  }

  return { openForReading, placeForWriting, folderOf };
}

/** Tools without a work folder refuse rather than look around. */
export function jailOf(root: string | undefined): Jail {
  if (root === undefined)
    throw new HandrailError('POLICY_PATH', {
      detail: { path: '' },
      message: { en: 'There is no work folder in this start.', zh: '本次启动没有工作文件夹。' },
    });
  return createJail(root);
}
