import { HandrailError } from '../../shared/errors.ts';

export type SchedulerLimits = { running: number; perWire: number; waiting: number };
export const defaultSchedulerLimits: SchedulerLimits = { running: 32, perWire: 4, waiting: 20_000 };

type Waiting = { wires: readonly string[]; nested: boolean; start(): void; signal: AbortSignal; onAbort: () => void };

/**
 * Places for running calls: first come, first served, except that a call whose wire is full lets others pass. A child of
 * a running call takes no place of its own (its parent holds one and waits for it), only one on its wire.
 */
export function createScheduler(limits: SchedulerLimits = defaultSchedulerLimits) {
  let running = 0;
  const onWire = new Map<string, number>();
  // One queue a wire list, so that 10,000 calls for a dead wire cost nothing to step over.
  const queues = new Map<string, Waiting[]>();
  const heads = new Map<string, number>();
  let waiting = 0;

  const fits = (w: Pick<Waiting, 'wires' | 'nested'>): boolean =>
    (w.nested || running < limits.running) && w.wires.every((wire) => (onWire.get(wire) ?? 0) < limits.perWire);
  const occupy = (w: Pick<Waiting, 'wires' | 'nested'>): (() => void) => {
    if (!w.nested) running++;
    for (const wire of w.wires) onWire.set(wire, (onWire.get(wire) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      if (!w.nested) running--;
      for (const wire of w.wires) {
        const left = (onWire.get(wire) ?? 1) - 1;
        if (left === 0) onWire.delete(wire);
        else onWire.set(wire, left);
      }
      next();
    };
  };
  const headOf = (key: string): Waiting | undefined => {
    const queue = queues.get(key)!;
    let head = heads.get(key) ?? 0;
    while (head < queue.length && queue[head]!.signal.aborted) head++;
    if (head > 1024 && head * 2 > queue.length) {
      queue.splice(0, head);
      head = 0;
    }
    heads.set(key, head);
    return queue[head];
  };
  const next = (): void => {
    for (let again = true; again;) {
      again = false;
      for (const key of [...queues.keys()]) {
        const first = headOf(key);
        if (first === undefined) {
          queues.delete(key);
          heads.delete(key);
        } else if (fits(first)) {
          heads.set(key, heads.get(key)! + 1);
          first.signal.removeEventListener('abort', first.onAbort);
          waiting--;
          first.start();
          again = true;
        }
      }
    }
  };

  return {
    /** A place, and the way to give it back. Rejects with the signal's reason while it waits. */
    enter(wires: readonly string[], nested: boolean, signal: AbortSignal): Promise<() => void> {
      const wanted = { wires: [...new Set(wires)], nested };
      const key = `${nested ? 'n' : ''}|${wanted.wires.join('|')}`;
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (!queues.has(key) && fits(wanted)) return Promise.resolve(occupy(wanted));
      if (waiting >= limits.waiting) return Promise.reject(new HandrailError('TOOL_BUSY', { detail: { waiting } }));
      return new Promise((done, failed) => {
        const onAbort = (): void => {
          waiting--;
          failed(signal.reason as Error);
          next();
        };
        const entry: Waiting = { ...wanted, signal, onAbort, start: () => done(occupy(wanted)) };
        waiting++;
        const queue = queues.get(key) ?? [];
        queue.push(entry);
        queues.set(key, queue);
        signal.addEventListener('abort', onAbort, { once: true });
        next();
      });
    },
    state: () => ({ running, waiting, wires: onWire.size, queues: queues.size }),
  };
}
