/** How often one session may run programs: a bucket that refills evenly, so that a burst passes and a spinning loop does not. */
export function createRateLimit(options: { runs: number; perMs: number; now: () => number }) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** Takes one run; gives the milliseconds to wait when there is none, else null. */
    take(session: string): number | null {
      const now = options.now();
      const bucket = buckets.get(session) ?? { left: options.runs, at: now };
      bucket.left = Math.min(options.runs, bucket.left + ((now - bucket.at) / options.perMs) * options.runs);
      bucket.at = now;
      buckets.delete(session);
      buckets.set(session, bucket);
      if (buckets.size > 1_000) buckets.delete(buckets.keys().next().value!);
      if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / options.runs) * options.perMs);
      bucket.left -= 1;
      return null;
    },
  };
}
