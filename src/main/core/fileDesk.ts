import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HandrailError } from '../../shared/errors.ts';

export type FileDesk = {
  /** The work folder: the only place the file tools see. */
  readonly root: string;
  put(name: string, bytes: Uint8Array): { file: string; name: string; size: number; sha256: string };
  /** Brings a file the person named on the command line into the work folder. Throws ARGS_UNREADABLE_FILE. */
  bring(path: string): string;
  names(): string[];
};

const windowsDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** A file name that is safe on every system; the person's own name stays readable, Chinese included. */
export function safeFileName(name: string): string {
  const bare = basename(name.replaceAll('\\', '/'))
    .normalize('NFC')
    // eslint-disable-next-line no-control-regex -- control characters are what must go
    .replace(/[\u0000-\u001f\u007f<>:"|?*]/g, '_')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/^\.+|[. ]+$/g, '');
  const named = bare === '' || windowsDevice.test(bare) ? `_${bare}` : bare;
  return named.slice(0, 120);
}

/** Files that a person dropped or named. Each lands in the work folder under its own name; another file of that name gets a number. */
export function openFileDesk(root: string): FileDesk {
  const ensure = (): void => void mkdirSync(root, { recursive: true });
  const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const freeName = (wanted: string): string => {
    const dot = wanted.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
    let name = wanted;
    for (let n = 2; existsSync(join(root, name)); n++) name = `${stem}-${n}${ending}`;
    return name;
  };
  return {
    root,
    put(name, bytes) {
      ensure();
      const file = freeName(safeFileName(name));
      writeFileSync(join(root, file), bytes, { flag: 'wx' });
      return { file, name, size: bytes.length, sha256: digest(bytes) };
    },
    bring(path) {
      ensure();
      const wanted = safeFileName(path);
      try {
        const source = statSync(path);
        if (!source.isFile()) throw new Error('not a regular file');
        const present = join(root, wanted);
        const same = existsSync(present) && statSync(present).size === source.size && statSync(present).mtimeMs >= source.mtimeMs;
        const file = same ? wanted : freeName(wanted);
        if (!same) copyFileSync(path, join(root, file));
        return file;
      } catch (cause) {
        throw new HandrailError('ARGS_UNREADABLE_FILE', {
          detail: { file: path, reason: cause instanceof Error ? cause.message : String(cause) },
          cause,
        });
      }
    },
    names: () => (existsSync(root) ? readdirSync(root).sort() : []),
  };
}
