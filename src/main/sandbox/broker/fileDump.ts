/** Reads what the shell's wrapper hands over at the end: "SIZE NAME\0" for each file, one empty entry, then all contents in that order. */
import { createHash, type Hash } from 'node:crypto';

export type DumpedFile = { name: string; size: number; sha256: string };

export function createFileDump(onEnd: (files: DumpedFile[]) => void) {
  let head = Buffer.alloc(0);
  let listed: { name: string; size: number }[] | null = null;
  const files: DumpedFile[] = [];
  let left = 0;
  let digest: Hash | null = null;
  let ended = false;

  function nextFile(): void {
    while (!ended) {
      const file = listed![files.length];
      if (file === undefined) {
        ended = true;
        onEnd(files);
        return;
      }
      digest = createHash('sha256');
      left = file.size;
      if (left > 0) return;
      files.push({ ...file, sha256: digest.digest('hex') });
    }
  }

  return {
    push(chunk: Buffer): void {
      if (ended) return;
      let rest = chunk;
      if (listed === null) {
        head = Buffer.concat([head, rest]);
        const end = head[0] === 0 ? 0 : head.indexOf('\0\0');
        if (end < 0) return;
        listed = head
          .subarray(0, end)
          .toString('utf8')
          .split('\0')
          .filter(Boolean)
          .map((entry) => ({ size: Number(/^\d+/.exec(entry)?.[0] ?? 0), name: entry.replace(/^\d+ /, '') }));
        rest = head.subarray(end === 0 ? 1 : end + 2);
        nextFile();
      }
      while (rest.length > 0 && !ended) {
        const piece = rest.subarray(0, left);
        digest!.update(piece);
        left -= piece.length;
        rest = rest.subarray(piece.length);
        if (left === 0) {
          files.push({ ...listed[files.length]!, sha256: digest!.digest('hex') });
          nextFile();
        }
      }
    },
  };
}
