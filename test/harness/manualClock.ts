import type { Clock } from '../../src/shared/contracts/tools.ts';

export type ManualClock = Clock & {
  /** Lets time pass: every timer that falls due is called in order, with a turn of the event loop between. */
  pass(ms: number): Promise<void>;
  /** The wall clock is set by somebody; monotonic time goes on as it was. */
  setWall(now: number): void;
  timers(): number;
};

/** Time that a test owns. With `auto`, a timer fires as soon as nothing else has happened for some turns of the event loop. */
export function createManualClock(options: { auto?: boolean; start?: number } = {}): ManualClock {
  let elapsed = 0;
  let wall = options.start ?? Date.parse('2026-03-18T10:30:00Z');
  let timers: { at: number; callback: () => void; id: number }[] = [];
  let ids = 0;
  let watching = false;

  const settle = async (turns: number): Promise<void> => {
    for (let i = 0; i < turns; i++) await new Promise((done) => setImmediate(done));
  };
  const fireNext = (): void => {
    const [next] = timers.sort((a, b) => a.at - b.at || a.id - b.id);
    if (next === undefined) return;
    timers = timers.filter((t) => t !== next);
    wall += Math.max(0, next.at - elapsed);
    elapsed = Math.max(elapsed, next.at);
    next.callback();
  };
  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    while (timers.length > 0) {
      const before = ids;
      await settle(12);
      if (before === ids) fireNext();
    }
    watching = false;
  };

  return {
    now: () => wall,
    elapsed: () => elapsed,
    after(ms, callback) {
      const timer = { at: elapsed + ms, callback, id: ++ids };
      timers.push(timer);
      if (options.auto === true) void watch();
      return () => {
        timers = timers.filter((t) => t !== timer);
      };
    },
    async pass(ms) {
      const end = elapsed + ms;
      await settle(6);
      for (;;) {
        const due = timers.filter((t) => t.at <= end);
        if (due.length === 0) break;
        fireNext();
        await settle(6);
      }
      wall += end - elapsed;
      elapsed = end;
      await settle(6);
    },
    setWall(now) {
      wall = now;
    },
    timers: () => timers.length,
  };
}
