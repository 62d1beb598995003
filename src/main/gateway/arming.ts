import { HandrailError } from '../../shared/errors.ts';
import type { Armed, Arming } from '../../shared/contracts/approvals.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

export const armingLimits = { minMinutes: 1, maxMinutes: 15, devices: 32, clockJumpMs: 5000 };

type Entry = Armed & { untilElapsed: number; forget: () => void };

/**
 * Which devices a person has opened for writing, and until when. Nothing is armed at start; time runs on the monotonic
 * clock, and a wall clock that jumps locks everything, because then nobody can say what "until 10:15" means.
 */
export function createArming(deps: { clock: Clock; record: { armed(devices: Armed[]): void; locked(why: string): void } }): Arming {
  const { clock } = deps;
  const armed = new Map<string, Entry>();
  const listeners = new Set<(armed: Armed[]) => void>();
  let skew = clock.now() - clock.elapsed();

  const list = (): Armed[] => [...armed.values()].map(({ device, until, by, reason }) => ({ device, until, by, reason }));
  const changed = (): void => {
    for (const listener of listeners) listener(list());
  };
  const lock = (why: string): void => {
    if (armed.size === 0) return;
    const devices = [...armed.keys()].join(', ');
    for (const entry of armed.values()) entry.forget();
    armed.clear();
    changed();
    deps.record.locked(`${why} (${devices})`);
  };
  const watchClock = (): void => {
    const now = clock.now() - clock.elapsed();
    const jumped = Math.abs(now - skew) > armingLimits.clockJumpMs;
    skew = now;
    if (jumped) lock('the clock of this machine jumped');
  };

  return {
    arm(devices, minutes, by, reason) {
      if (!Number.isFinite(minutes) || minutes < armingLimits.minMinutes || minutes > armingLimits.maxMinutes) {
        throw invalid(
          `minutes must be ${armingLimits.minMinutes} to ${armingLimits.maxMinutes}`,
          `分钟数须为 ${armingLimits.minMinutes}–${armingLimits.maxMinutes}`,
        );
      }
      if (devices.length === 0 || devices.length > armingLimits.devices || devices.some((d) => d === '' || d === '*')) {
        throw invalid('name the devices to open, one by one', '请逐个指明要开放的设备');
      }
      if (by.trim() === '') throw invalid('name who opens writing', '请注明开放写入的人员');
      watchClock();
      const until = new Date(clock.now() + minutes * 60_000).toISOString();
      // The record comes first: writing that nobody can trace is not opened.
      deps.record.armed(devices.map((device) => ({ device, until, by, reason })));
      for (const device of devices) {
        armed.get(device)?.forget();
        const forget = clock.after(minutes * 60_000, () => {
          armed.delete(device);
          changed();
          deps.record.locked(`the time is over (${device})`);
        });
        armed.set(device, { device, until, by, reason, untilElapsed: clock.elapsed() + minutes * 60_000, forget });
      }
      changed();
      return list();
    },
    lock,
    list() {
      watchClock();
      return list();
    },
    isArmed(device) {
      watchClock();
      const entry = armed.get(device);
      return entry !== undefined && clock.elapsed() < entry.untilElapsed;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const invalid = (en: string, zh: string): HandrailError =>
  new HandrailError('ARGS_INVALID', {
    detail: { reason: en },
    message: { en: `The arguments do not fit: ${en}.`, zh: `参数不符合要求：${zh}。` },
  });
