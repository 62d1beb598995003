/**
 * WASI preview 1 for one program, in plain JavaScript: files in memory, a clock, random bytes and the streams it is handed.
 * There is no way from here to a file, a socket or a process of the host; runs in Node and in a browser's worker alike.
 */
import { fail, WasiError } from './memoryFiles.mjs';
import { descriptorFlag, errno, fileType, openFlag } from './wasiNumbers.mjs';

export class WasiExit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}
const ALL_RIGHTS = 0x1fffffffn;
const MAX_OPEN = 200;

/**
 * streams: descriptor -> { read?(bytes wanted) -> Uint8Array, write?(Uint8Array) }, devices: the same under a name in the workspace,
 * because the file system embedded in the build passes on no descriptor that it did not open itself. It also panics on any
 * answer but EBADF to fd_prestat_get of a descriptor that is no preopened folder.
 */
export function createWasi({ args, env, files, streams, devices = {}, sleep, random }) {
  let memory;
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
  const text = (at, length) => new TextDecoder('utf-8', { fatal: false }).decode(bytes(at, length).slice());
  const open = new Map(Object.entries(streams).map(([fd, stream]) => [Number(fd), { stream, node: null, at: 0, flags: 0 }]));
  open.set(3, { node: files.root, at: 0, flags: 0, preopen: '/workspace' });
  const descriptor = (fd) => open.get(fd) ?? fail(errno.BADF);
  const folder = (fd) => {
    const { node } = descriptor(fd);
    return node?.type === fileType.folder ? node : fail(errno.NOTDIR);
  };
  const file = (fd) => {
    const entry = descriptor(fd);
    if (entry.node?.type !== fileType.file) fail(entry.node === null ? errno.SPIPE : errno.ISDIR);
    return entry;
  };
  const vectors = (at, count) => {
    const v = view();
    return Array.from({ length: count }, (_, i) => bytes(v.getUint32(at + i * 8, true), v.getUint32(at + i * 8 + 4, true)));
  };
  const strings = (list) => list.map((item) => new TextEncoder().encode(`${item}\0`));
  const argBytes = strings(args);
  const envBytes = strings(Object.entries(env).map(([name, value]) => `${name}=${value}`));
  const giveSizes = (list) => (countAt, sizeAt) => {
    view().setUint32(countAt, list.length, true);
    view().setUint32(
      sizeAt,
      list.reduce((sum, item) => sum + item.length, 0),
      true,
    );
  };
  const giveStrings = (list) => (pointersAt, bufferAt) => {
    for (const item of list) {
      view().setUint32(pointersAt, bufferAt, true);
      bytes(bufferAt, item.length).set(item);
      pointersAt += 4;
      bufferAt += item.length;
    }
  };
  function giveStat(at, node) {
    const v = view();
    bytes(at, 64).fill(0);
    v.setBigUint64(at + 8, node?.inode ?? 1n, true);
    v.setUint8(at + 16, node?.type ?? fileType.character);
    v.setBigUint64(at + 24, 1n, true);
    v.setBigUint64(at + 32, BigInt(node?.size ?? 0), true);
    for (const offset of [40, 48, 56]) v.setBigUint64(at + offset, node?.changed ?? 0n, true);
  }
  const readFrom = (entry, into, at) => {
    const piece = entry.node.data.subarray(Math.min(at, entry.node.size), Math.min(at + into.length, entry.node.size));
    into.set(piece);
    return piece.length;
  };
  const number = (value) => {
    const n = Number(value);
    return Number.isSafeInteger(n) && n >= 0 ? n : fail(errno.INVAL);
  };
  function firstFree() {
    for (let fd = 4; fd < MAX_OPEN; fd++) if (!open.has(fd)) return fd;
    return fail(errno.MFILE);
  }

  const calls = {
    args_sizes_get: giveSizes(argBytes),
    args_get: giveStrings(argBytes),
    environ_sizes_get: giveSizes(envBytes),
    environ_get: giveStrings(envBytes),
    clock_res_get: (_id, at) => view().setBigUint64(at, 1_000_000n, true),
    clock_time_get: (id, _precision, at) =>
      view().setBigUint64(at, id === 0 ? BigInt(Date.now()) * 1_000_000n : BigInt(Math.round(performance.now() * 1e6)), true),
    random_get: (at, length) => {
      for (let done = 0; done < length; done += 65536) random(bytes(at + done, Math.min(65536, length - done)));
    },
    sched_yield: () => undefined,
    proc_exit: (code) => {
      throw new WasiExit(code);
    },
    fd_advise: (fd) => void descriptor(fd),
    fd_datasync: (fd) => void descriptor(fd),
    fd_sync: (fd) => void descriptor(fd),
    fd_allocate: (fd, offset, length) => {
      const entry = file(fd);
      const end = number(offset) + number(length);
      if (end > entry.node.size) files.resize(entry.node, end);
    },
    fd_close: (fd) => {
      descriptor(fd);
      if (fd > 3 && streams[fd] === undefined) open.delete(fd);
    },
    fd_fdstat_get: (fd, at) => {
      const entry = descriptor(fd);
      bytes(at, 24).fill(0);
      view().setUint8(at, entry.node?.type ?? fileType.character);
      view().setUint16(at + 2, entry.flags, true);
      view().setBigUint64(at + 8, ALL_RIGHTS, true);
      view().setBigUint64(at + 16, ALL_RIGHTS, true);
    },
    fd_fdstat_set_flags: (fd, flags) => {
      descriptor(fd).flags = flags;
    },
    fd_filestat_get: (fd, at) => giveStat(at, descriptor(fd).node),
    fd_filestat_set_size: (fd, size) => files.resize(file(fd).node, number(size)),
    fd_filestat_set_times: (fd) => void descriptor(fd),
    fd_prestat_get: (fd, at) => {
      const { preopen } = descriptor(fd);
      if (preopen === undefined) fail(errno.BADF);
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, preopen.length, true);
    },
    fd_prestat_dir_name: (fd, at, length) =>
      bytes(at, length).set(new TextEncoder().encode(descriptor(fd).preopen ?? fail(errno.BADF)).subarray(0, length)),
    fd_read: (fd, vectorsAt, count, sizeAt) => {
      const entry = descriptor(fd);
      let total = 0;
      if (entry.stream !== undefined) {
        const into = vectors(vectorsAt, count).find((each) => each.length > 0);
        if (entry.stream.read === undefined) fail(errno.BADF);
        const got = into === undefined ? new Uint8Array(0) : entry.stream.read(into.length);
        into?.set(got);
        total = got.length;
      } else {
        for (const into of vectors(vectorsAt, count)) {
          const got = readFrom(file(fd), into, entry.at);
          entry.at += got;
          total += got;
        }
      }
      view().setUint32(sizeAt, total, true);
    },
    fd_pread: (fd, vectorsAt, count, offset, sizeAt) => {
      let total = 0;
      for (const into of vectors(vectorsAt, count)) total += readFrom(file(fd), into, number(offset) + total);
      view().setUint32(sizeAt, total, true);
    },
    fd_write: (fd, vectorsAt, count, sizeAt) => {
      const entry = descriptor(fd);
      let total = 0;
      for (const chunk of vectors(vectorsAt, count)) {
        if (entry.stream !== undefined) {
          if (entry.stream.write === undefined) fail(errno.BADF);
          entry.stream.write(chunk.slice());
          total += chunk.length;
          continue;
        }
        if (entry.flags & descriptorFlag.append) entry.at = file(fd).node.size;
        const done = files.write(file(fd).node, entry.at, chunk);
        entry.at += done;
        total += done;
        if (done < chunk.length) break;
      }
      view().setUint32(sizeAt, total, true);
    },
    fd_pwrite: (fd, vectorsAt, count, offset, sizeAt) => {
      let total = 0;
      for (const chunk of vectors(vectorsAt, count)) total += files.write(file(fd).node, number(offset) + total, chunk);
      view().setUint32(sizeAt, total, true);
    },
    fd_seek: (fd, offset, whence, at) => {
      const entry = file(fd);
      const from = whence === 0 ? 0 : whence === 1 ? entry.at : entry.node.size;
      entry.at = number(BigInt(from) + offset);
      view().setBigUint64(at, BigInt(entry.at), true);
    },
    fd_tell: (fd, at) => view().setBigUint64(at, BigInt(file(fd).at), true),
    fd_readdir: (fd, at, length, cookie, sizeAt) => {
      const names = [...folder(fd).entries];
      let used = 0;
      for (let i = number(cookie); i < names.length && used < length; i++) {
        const [name, node] = names[i];
        const encoded = new TextEncoder().encode(name);
        const record = new Uint8Array(24 + encoded.length);
        const v = new DataView(record.buffer);
        v.setBigUint64(0, BigInt(i + 1), true);
        v.setBigUint64(8, node.inode, true);
        v.setUint32(16, encoded.length, true);
        v.setUint8(20, node.type);
        record.set(encoded, 24);
        const piece = record.subarray(0, length - used); // a cut last record says: ask again with a bigger buffer
        bytes(at + used, piece.length).set(piece);
        used += piece.length;
      }
      view().setUint32(sizeAt, used, true);
    },
    path_create_directory: (fd, at, length) => files.createFolder(folder(fd), text(at, length)),
    path_filestat_get: (fd, _flags, at, length, statAt) => giveStat(statAt, files.find(folder(fd), text(at, length))),
    path_filestat_set_times: (fd, _flags, at, length) => void files.find(folder(fd), text(at, length)),
    path_open: (fd, _lookup, at, length, flags, _rights, _inheriting, descriptorFlags, fdAt) => {
      const base = folder(fd);
      const free = firstFree();
      const device = devices[text(at, length)];
      if (device !== undefined) {
        open.set(free, { stream: device, node: null, at: 0, flags: 0 });
        view().setUint32(fdAt, free, true);
        return;
      }
      const node = files.open(base, text(at, length), {
        create: (flags & openFlag.create) !== 0,
        exclusive: (flags & openFlag.exclusive) !== 0,
        truncate: (flags & openFlag.truncate) !== 0,
        wantFolder: (flags & openFlag.folder) !== 0,
      });
      open.set(free, { node, at: 0, flags: descriptorFlags });
      view().setUint32(fdAt, free, true);
    },
    path_remove_directory: (fd, at, length) => files.unlink(folder(fd), text(at, length), true),
    path_unlink_file: (fd, at, length) => files.unlink(folder(fd), text(at, length), false),
    path_rename: (fd, at, length, toFd, toAt, toLength) => files.rename(folder(fd), text(at, length), folder(toFd), text(toAt, toLength)),
    path_link: () => fail(errno.PERM),
    path_symlink: () => fail(errno.PERM),
    path_readlink: () => fail(errno.INVAL),
    sock_accept: () => fail(errno.NOTSUP),
    sock_recv: () => fail(errno.NOTSUP),
    sock_send: () => fail(errno.NOTSUP),
    sock_shutdown: () => fail(errno.NOTSUP),
    poll_oneoff: (subscriptions, events, count, countAt) => {
      const v = view();
      let done = 0;
      let shortest = null;
      const give = (at, type) => {
        bytes(events + done * 32, 32).fill(0);
        v.setBigUint64(events + done * 32, v.getBigUint64(at, true), true);
        v.setUint8(events + done * 32 + 10, type);
        done += 1;
      };
      for (let i = 0; i < count; i++) {
        const at = subscriptions + i * 48;
        const type = v.getUint8(at + 8);
        if (type !== 0) give(at, type);
        else {
          const absolute = (v.getUint16(at + 40, true) & 1) !== 0;
          const wall = v.getUint32(at + 16, true) === 0;
          const ms = Number(v.getBigUint64(at + 24, true)) / 1e6 - (absolute ? (wall ? Date.now() : performance.now()) : 0);
          if (shortest === null || ms < shortest.ms) shortest = { at, ms };
        }
      }
      if (done === 0 && shortest !== null) {
        sleep(Math.max(0, shortest.ms));
        give(shortest.at, 0);
      }
      v.setUint32(countAt, done, true);
    },
  };

  const guarded = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (...given) => {
        try {
          call(...given);
          return errno.OK;
        } catch (error) {
          if (error instanceof WasiError) return error.code;
          throw error;
        }
      },
    ]),
  );
  return {
    imports: { wasi_snapshot_preview1: guarded },
    /** Runs the program to its end and gives its exit code. */
    start(instance) {
      memory = instance.exports.memory;
      try {
        instance.exports._start();
        return 0;
      } catch (error) {
        if (error instanceof WasiExit) return error.code;
        throw error;
      }
    },
  };
}
