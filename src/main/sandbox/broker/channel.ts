/** Reads the result channel of a run: lines that carry the run's mark count, everything else is only counted. */
export function createChannelReader(onMessage: (text: string) => void, maxBytes: number, onTooMuch: () => void) {
  let mark = '';
  let parts: Buffer[] = [];
  let total = 0;
  let foreign = 0;
  let limit = maxBytes;
  let raw: ((chunk: Buffer) => void) | null = null;
  const line = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    const prefix = `${mark} `;
    const head = bytes.subarray(0, prefix.length).toString('latin1');
    if (head === prefix) onMessage(bytes.subarray(prefix.length).toString('utf8'));
    else foreign += bytes.length;
  };
  return {
    setMark(value: string): void {
      mark = value;
    },
    /** From here on the channel carries bytes, not lines. */
    passOn(to: (chunk: Buffer) => void, most: number): void {
      raw = to;
      limit = total + most;
    },
    foreignBytes: (): number => foreign,
    push(chunk: Buffer): void {
      total += chunk.length;
      if (total > limit) {
        parts = [];
        onTooMuch();
        return;
      }
      if (raw !== null) {
        raw(chunk);
        return;
      }
      let from = 0;
      for (let at = chunk.indexOf(10, from); at >= 0; at = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, at);
        line(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
        parts = [];
        from = at + 1;
        if (raw !== null) {
          this.push(chunk.subarray(from));
          return;
        }
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
    },
  };
}

/** Keeps the first bytes of a stream and counts the rest, so that a flood costs no memory. */
export function createKeeper(keptBytes: number, killBytes: number, onFlood: () => void) {
  const parts: Buffer[] = [];
  let kept = 0;
  let total = 0;
  return {
    push(chunk: Buffer): void {
      total += chunk.length;
      if (kept < keptBytes) {
        const piece = chunk.subarray(0, keptBytes - kept);
        parts.push(piece);
        kept += piece.length;
      }
      if (total > killBytes) onFlood();
    },
    take: (): { bytes: Uint8Array; total: number } => ({ bytes: Buffer.concat(parts), total }),
  };
}
