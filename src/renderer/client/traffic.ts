import { create } from 'zustand';
import type { TrafficBatch } from '../../shared/contracts/api.ts';
import type { FrameRecord } from '../../shared/contracts/devices.ts';

export type ShownFrame = FrameRecord & { id: number; deltaMs: number | null };
/** What the page keeps; the core's ring of ten minutes has them all and exports them. */
export const mostFrames = 2000;
type TrafficState = { frames: readonly ShownFrame[]; dropped: number; perSecond: Readonly<Record<string, number>> };
export const useTraffic = create<TrafficState>()(() => ({ frames: [], dropped: 0, perSecond: {} }));

export const isFault = (frame: FrameRecord): boolean => frame.verdict !== 'ok';
let nextId = 1;

export function afterTraffic(state: TrafficState, batch: TrafficBatch): TrafficState {
  const lastAt = new Map<string, number>();
  for (let i = state.frames.length - 1; i >= 0 && lastAt.size < 8; i -= 1)
    if (!lastAt.has(state.frames[i]!.connection)) lastAt.set(state.frames[i]!.connection, state.frames[i]!.t);
  const added = batch.frames.map((frame): ShownFrame => {
    const before = lastAt.get(frame.connection);
    lastAt.set(frame.connection, frame.t);
    return { ...frame, id: nextId++, deltaMs: before === undefined ? null : Math.max(0, frame.t - before) };
  });
  const frames = [...state.frames, ...added].slice(-mostFrames);
  const newest = frames.at(-1)?.t ?? 0;
  const perSecond: Record<string, number> = {};
  for (let i = frames.length - 1; i >= 0 && frames[i]!.t > newest - 5000; i -= 1)
    perSecond[frames[i]!.connection] = (perSecond[frames[i]!.connection] ?? 0) + 0.2;
  return { frames, dropped: state.dropped + batch.dropped, perSecond };
}
export const takeTraffic = (batch: TrafficBatch): void => useTraffic.setState((state) => afterTraffic(state, batch));
