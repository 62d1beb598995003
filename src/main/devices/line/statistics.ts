/** Counters, latency and load of one wire; cheap enough for every answer. */
export class LineStatistics {
  readonly counters = { requests: 0, answers: 0, timeouts: 0, crcErrors: 0, exceptions: 0, strays: 0 };
  private readonly latencies = new Float64Array(256);
  private latencyCount = 0;
  /** Busy milliseconds of each of the last ten seconds. */
  private readonly busy = new Float64Array(10);
  private busySecond = 0;

  took(durationMs: number, now: number): void {
    this.latencies[this.latencyCount++ & 255] = durationMs;
    this.busyFor(durationMs, now);
  }

  busyFor(ms: number, now: number): void {
    this.advance(now);
    this.busy[this.busySecond % 10]! += ms;
  }

  private advance(now: number): void {
    const second = Math.floor(now / 1000);
    if (second - this.busySecond >= 10) this.busy.fill(0);
    else for (let s = this.busySecond + 1; s <= second; s++) this.busy[s % 10] = 0;
    this.busySecond = second;
  }

  load(now: number): number {
    this.advance(now);
    return Math.min(1, this.busy.reduce((sum, ms) => sum + ms, 0) / 10_000);
  }

  latency(): { p50: number; p99: number } | null {
    const count = Math.min(256, this.latencyCount);
    if (count === 0) return null;
    const sorted = this.latencies.slice(0, count).sort();
    return { p50: sorted[Math.floor(count * 0.5)]!, p99: sorted[Math.min(count - 1, Math.floor(count * 0.99))]! };
  }
}
