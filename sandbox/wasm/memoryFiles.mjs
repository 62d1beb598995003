/** Files that exist in memory only, with quotas: what a WebAssembly program finds as /workspace. */
import { errno, fileType } from './wasiNumbers.mjs';

export class WasiError extends Error {
  constructor(code) {
    super(`wasi errno ${code}`);
    this.code = code;
  }
}
export const fail = (code) => {
  throw new WasiError(code);
};

let lastInode = 1n;
const now = () => BigInt(Date.now()) * 1_000_000n;
const newFolder = () => ({ type: fileType.folder, entries: new Map(), inode: ++lastInode, changed: now() });
const newFile = () => ({ type: fileType.file, data: new Uint8Array(0), size: 0, inode: ++lastInode, changed: now(), links: 1 });

export function createMemoryFiles(limits) {
  const root = newFolder();
  let bytes = 0;
  let entries = 0;

  function walk(folder, path, keepLast) {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    if (path.length > 4096) fail(errno.NAMETOOLONG);
    const trail = [folder];
    const last = keepLast ? parts.pop() : undefined;
    for (const part of parts) {
      const here = trail.at(-1);
      if (here.type !== fileType.folder) fail(errno.NOTDIR);
      if (part === '..') {
        if (trail.length === 1) fail(errno.NOTCAPABLE); // above the workspace there is nothing
        trail.pop();
        continue;
      }
      trail.push(here.entries.get(part) ?? fail(errno.NOENT));
    }
    const parent = trail.at(-1);
    if (last !== undefined && parent.type !== fileType.folder) fail(errno.NOTDIR);
    if (last === '..') fail(errno.NOTCAPABLE);
    if (last !== undefined && new TextEncoder().encode(last).length > 255) fail(errno.NAMETOOLONG);
    return { parent, last };
  }

  function add(parent, name, node) {
    if (entries >= limits.files) fail(errno.NOSPC);
    entries += 1;
    parent.entries.set(name, node);
    parent.changed = now();
    return node;
  }
  function remove(parent, name) {
    const node = parent.entries.get(name);
    parent.entries.delete(name);
    entries -= 1;
    if (node.type === fileType.file) bytes -= node.size;
  }

  return {
    root,
    find(folder, path) {
      const { parent, last } = walk(folder, path, true);
      return last === undefined ? parent : (parent.entries.get(last) ?? fail(errno.NOENT));
    },
    open(folder, path, { create, exclusive, truncate, wantFolder }) {
      const { parent, last } = walk(folder, path, true);
      let node = last === undefined ? parent : parent.entries.get(last);
      if (node === undefined) {
        if (!create) fail(errno.NOENT);
        node = add(parent, last, newFile());
      } else if (exclusive) fail(errno.EXIST);
      if (wantFolder && node.type !== fileType.folder) fail(errno.NOTDIR);
      if (truncate) {
        if (node.type === fileType.folder) fail(errno.ISDIR);
        this.resize(node, 0);
      }
      return node;
    },
    createFolder(folder, path) {
      const { parent, last } = walk(folder, path, true);
      if (last === undefined || parent.entries.has(last)) fail(errno.EXIST);
      add(parent, last, newFolder());
    },
    unlink(folder, path, wantFolder) {
      const { parent, last } = walk(folder, path, true);
      const node = parent.entries.get(last) ?? fail(errno.NOENT);
      if (wantFolder && node.type !== fileType.folder) fail(errno.NOTDIR);
      if (!wantFolder && node.type === fileType.folder) fail(errno.ISDIR);
      if (wantFolder && node.entries.size > 0) fail(errno.NOTEMPTY);
      remove(parent, last);
    },
    rename(fromFolder, fromPath, toFolder, toPath) {
      const from = walk(fromFolder, fromPath, true);
      const to = walk(toFolder, toPath, true);
      const node = from.parent.entries.get(from.last) ?? fail(errno.NOENT);
      if (to.last === undefined) fail(errno.EXIST);
      const inside = (folder) =>
        folder === to.parent || [...folder.entries.values()].some((each) => each.type === fileType.folder && inside(each));
      if (node.type === fileType.folder && inside(node)) fail(errno.INVAL);
      const old = to.parent.entries.get(to.last);
      if (old === node) return;
      if (old !== undefined) {
        if (old.type === fileType.folder && (node.type !== fileType.folder || old.entries.size > 0)) fail(errno.NOTEMPTY);
        remove(to.parent, to.last);
      }
      from.parent.entries.delete(from.last);
      to.parent.entries.set(to.last, node);
    },
    resize(file, size) {
      if (size > limits.fileBytes && size > file.size) fail(errno.FBIG);
      if (bytes + size - file.size > limits.bytes) fail(errno.NOSPC);
      bytes += size - file.size;
      if (size > file.data.length) {
        const bigger = new Uint8Array(Math.max(size, Math.min(limits.fileBytes, file.data.length * 2)));
        bigger.set(file.data.subarray(0, file.size));
        file.data = bigger;
      }
      if (size < file.size) file.data.fill(0, size, file.size);
      file.size = size;
      file.changed = now();
    },
    write(file, at, chunk) {
      const end = Math.min(at + chunk.length, Math.max(limits.fileBytes, file.size));
      if (end <= at && chunk.length > 0) fail(errno.FBIG);
      if (end > file.size) this.resize(file, end);
      file.data.set(chunk.subarray(0, end - at), at);
      file.changed = now();
      return end - at;
    },
    /** Written by the host before the program starts. */
    place(name, data) {
      const file = add(root, name, newFile());
      this.resize(file, Math.min(data.length, limits.fileBytes));
      file.data.set(data.subarray(0, file.size));
    },
  };
}
