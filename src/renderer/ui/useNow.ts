import { useSyncExternalStore } from 'react';

/** The wall clock in whole steps, shared by all who show one: one timer for each step in use. */
const clocks = new Map<number, { listeners: Set<() => void>; timer: ReturnType<typeof setInterval> | null }>();

export function useNow(stepMs: number): number {
  return useSyncExternalStore(
    (listener) => {
      const clock = clocks.get(stepMs) ?? { listeners: new Set(), timer: null };
      clocks.set(stepMs, clock);
      clock.listeners.add(listener);
      clock.timer ??= setInterval(() => clock.listeners.forEach((tell) => tell()), stepMs);
      return () => {
        clock.listeners.delete(listener);
        if (clock.listeners.size > 0 || clock.timer === null) return;
        clearInterval(clock.timer);
        clock.timer = null;
      };
    },
    () => Math.floor(Date.now() / stepMs) * stepMs,
  );
}
