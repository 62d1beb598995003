import type { FrameRecord } from '../../shared/contracts/devices.ts';

/** Ten minutes, and never more than this: 25,000 answers a second would otherwise fill the memory. */
const keepMs = 600_000;
const slots = 1 << 16;
const ringBytes = 1 << 24;
const batchMs = 50;
const verdicts: readonly FrameRecord['verdict'][] = ['ok', 'crc', 'garbage', 'stray', 'exception', 'incomplete'];

/**
 * Every frame of every wire passes here. Recording one copies its bytes into a ring and makes no object: kept as objects,
 * the last fifty thousand frames cost the collector as much as the whole exchange. Records are made when somebody looks.
 */
export class FrameTap {
  private readonly bytes = new Uint8Array(ringBytes);
  private readonly start = new Uint32Array(slots);
  private readonly length = new Uint32Array(slots);
  private readonly t = new Float64Array(slots);
  /** Verdict in the low bits, direction, crc verdict, connection above. */
  private readonly kind = new Uint32Array(slots);
  private readonly notes = new Map<number, string>();
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();
  /** Frames ever recorded; frame n lies in slot n % slots. */
  private count = 0;
  private oldest = 0;
  private at = 0;
  private shownUpTo = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly listeners = new Set<(frames: readonly FrameRecord[]) => void>();

  /** A number for a connection's name, so that the hot path carries no text. */
  connection(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.numbers.set(name, number);
    }
    return number;
  }

  add(
    connection: number,
    direction: 'tx' | 'rx',
    frame: Uint8Array,
    from: number,
    to: number,
    verdict: FrameRecord['verdict'],
    crcValid: boolean | null,
    now: number,
    note?: string,
  ): void {
    const size = to - from;
    if (this.at + size > ringBytes) this.at = 0;
    const begin = this.at;
    this.at += size;
    // What this one overwrites is gone: the oldest frames, in bytes or in slots.
    while (this.oldest < this.count && (this.count - this.oldest >= slots || this.overlaps(this.oldest & (slots - 1), begin, this.at))) {
      if (this.notes.size > 0) this.notes.delete(this.oldest);
      this.oldest++;
    }
    for (let i = from, p = begin; i < to; i++, p++) this.bytes[p] = frame[i]!;
    const slot = this.count & (slots - 1);
    this.start[slot] = begin;
    this.length[slot] = size;
    this.t[slot] = now;
    this.kind[slot] =
      verdicts.indexOf(verdict) | (direction === 'tx' ? 8 : 0) | ((crcValid === null ? 0 : crcValid ? 1 : 2) << 4) | (connection << 8);
    if (note !== undefined) this.notes.set(this.count, note);
    this.count++;
    if (this.listeners.size > 0) this.timer ??= setTimeout(() => this.flush(), batchMs);
  }

  private overlaps(slot: number, from: number, to: number): boolean {
    return this.start[slot]! < to && this.start[slot]! + this.length[slot]! > from;
  }

  /** `wallMs`: clock time of the monotonic zero, as the clock stands now. */
  private record(index: number, wallMs: number): FrameRecord {
    const slot = index & (slots - 1);
    const kind = this.kind[slot]!;
    const crc = (kind >> 4) & 3;
    const note = this.notes.get(index);
    return {
      at: new Date(wallMs + this.t[slot]!).toISOString(),
      t: this.t[slot]!,
      connection: this.names[kind >>> 8]!,
      direction: kind & 8 ? 'tx' : 'rx',
      bytes: this.bytes.slice(this.start[slot], this.start[slot]! + this.length[slot]!),
      verdict: verdicts[kind & 7]!,
      crcValid: crc === 0 ? null : crc === 1,
      ...(note === undefined ? {} : { note }),
    };
  }

  private flush(): void {
    this.timer = null;
    if (this.listeners.size === 0) return;
    const frames: FrameRecord[] = [];
    const wallMs = Date.now() - performance.now();
    for (let i = Math.max(this.shownUpTo, this.oldest); i < this.count; i++) frames.push(this.record(i, wallMs));
    this.shownUpTo = this.count;
    if (frames.length > 0) for (const listener of this.listeners) listener(frames);
  }

  listen(listener: (frames: readonly FrameRecord[]) => void): () => void {
    if (this.listeners.size === 0) this.shownUpTo = this.count;
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  recent(connection?: string): FrameRecord[] {
    const since = performance.now() - keepMs;
    const wanted = connection === undefined ? -1 : (this.numbers.get(connection) ?? -2);
    const out: FrameRecord[] = [];
    const wallMs = Date.now() - performance.now();
    for (let i = this.oldest; i < this.count; i++) {
      const slot = i & (slots - 1);
      if (this.t[slot]! >= since && (wanted === -1 || this.kind[slot]! >>> 8 === wanted)) out.push(this.record(i, wallMs));
    }
    return out;
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.flush();
    this.listeners.clear();
  }
}
