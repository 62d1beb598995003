import type { FrameRecord } from '../../shared/contracts/devices.ts';

type Entry = Omit<FrameRecord, 'at'> & { wall: number };

/** Ten minutes, and never more than this many frames: 25,000 answers a second would otherwise fill the memory. */
const keepMs = 600_000;
const keepFrames = 50_000;
const batchMs = 50;

/** Every frame of every wire passes here. Recording one is a push; times become text only when somebody looks. */
export class FrameTap {
  private ring: Entry[] = [];
  private first = 0;
  private batch: Entry[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly listeners = new Set<(frames: readonly FrameRecord[]) => void>();

  add(
    connection: string,
    direction: 'tx' | 'rx',
    bytes: Uint8Array,
    verdict: FrameRecord['verdict'],
    crcValid: boolean | null,
    note?: string,
  ): void {
    const entry: Entry = {
      wall: Date.now(),
      t: performance.now(),
      connection,
      direction,
      bytes,
      verdict,
      crcValid,
      ...(note === undefined ? {} : { note }),
    };
    this.ring.push(entry);
    if (this.ring.length - this.first > keepFrames) this.first++;
    if (this.first > keepFrames) {
      this.ring = this.ring.slice(this.first);
      this.first = 0;
    }
    if (this.listeners.size === 0) return;
    this.batch.push(entry);
    this.timer ??= setTimeout(() => this.flush(), batchMs);
  }

  private flush(): void {
    this.timer = null;
    const frames = this.batch.map(shown);
    this.batch = [];
    if (frames.length > 0) for (const listener of this.listeners) listener(frames);
  }

  listen(listener: (frames: readonly FrameRecord[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  recent(connection?: string): FrameRecord[] {
    const oldest = performance.now() - keepMs;
    const out: FrameRecord[] = [];
    for (let i = this.first; i < this.ring.length; i++) {
      const entry = this.ring[i]!;
      if (entry.t >= oldest && (connection === undefined || entry.connection === connection)) out.push(shown(entry));
    }
    return out;
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.flush();
    this.listeners.clear();
  }
}

const shown = ({ wall, ...entry }: Entry): FrameRecord => ({ at: new Date(wall).toISOString(), ...entry });
