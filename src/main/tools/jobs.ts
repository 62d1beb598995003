import { asHandrailError, HandrailError, type Lang } from '../../shared/errors.ts';
import type { WireError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

export type JobState = 'running' | 'done' | 'failed' | 'stopped';
export type JobView = {
  job_id: string;
  kind: string;
  state: JobState;
  progress: { done: number; total: number } | null;
  result: unknown;
  error: WireError | null;
  age_ms: number;
};

type Entry = {
  kind: string;
  sessionId: string;
  state: JobState;
  progress: JobView['progress'];
  result: unknown;
  error: HandrailError | null;
  startedAt: number;
  stop: AbortController;
  ended: Promise<void>;
};
const kept = 50;

/** Work that outlives its call. A job ends by itself, by `stop`, or with the person's Stop; its result waits to be fetched. */
export function createJobs(deps: { clock: Clock; ids(): string }) {
  const jobs = new Map<string, Entry>();

  const view = (id: string, entry: Entry, lang: Lang): JobView => ({
    job_id: id,
    kind: entry.kind,
    state: entry.state,
    progress: entry.progress,
    result: entry.result,
    error: entry.error?.toWire(lang) ?? null,
    age_ms: Math.round(deps.clock.elapsed() - entry.startedAt),
  });

  function prune(): void {
    for (const [id, entry] of jobs) {
      if (jobs.size <= kept) return;
      if (entry.state !== 'running') jobs.delete(id);
    }
  }

  return {
    start(
      kind: string,
      sessionId: string,
      stopped: AbortSignal,
      work: (signal: AbortSignal, progress: (done: number, total: number) => void) => Promise<unknown>,
    ): string {
      const running = [...jobs.values()].filter((j) => j.state === 'running');
      if (running.length >= 4) throw new HandrailError('TOOL_BUSY', { detail: { waiting: running.length } });
      const id = deps.ids();
      const stop = new AbortController();
      const onStop = (): void => stop.abort(stopped.reason);
      if (stopped.aborted) onStop();
      else stopped.addEventListener('abort', onStop, { once: true });
      const entry: Entry = {
        kind,
        sessionId,
        state: 'running',
        progress: null,
        result: null,
        error: null,
        startedAt: deps.clock.elapsed(),
        stop,
        ended: Promise.resolve(),
      };
      entry.ended = work(stop.signal, (done, total) => (entry.progress = { done, total }))
        .then(
          (result) => {
            entry.state = 'done';
            entry.result = result;
          },
          (thrown: unknown) => {
            entry.error = asHandrailError(stop.signal.aborted ? stop.signal.reason : thrown);
            entry.state = stop.signal.aborted ? 'stopped' : 'failed';
          },
        )
        .finally(() => stopped.removeEventListener('abort', onStop));
      jobs.set(id, entry);
      prune();
      return id;
    },
    /** The job as it stands; after `waitMs` at the latest, or when it ends, or when the caller is stopped. */
    async look(id: string, lang: Lang, waitMs: number, signal: AbortSignal): Promise<JobView> {
      const entry = jobs.get(id);
      if (entry === undefined) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'job', id } });
      if (entry.state === 'running' && waitMs > 0) {
        await new Promise<void>((done) => {
          const forget = deps.clock.after(waitMs, done);
          const end = (): void => {
            forget();
            done();
          };
          signal.addEventListener('abort', end, { once: true });
          void entry.ended.then(end);
        });
        signal.throwIfAborted();
      }
      return view(id, entry, lang);
    },
    async stop(id: string): Promise<void> {
      const entry = jobs.get(id);
      if (entry === undefined) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'job', id } });
      entry.stop.abort(new HandrailError('CANCELLED', { detail: { reason: 'stopped by a person' } }));
      await entry.ended;
    },
    async close(): Promise<void> {
      for (const entry of jobs.values()) entry.stop.abort(new HandrailError('CANCELLED', { detail: { reason: 'Handrail ends' } }));
      await Promise.all([...jobs.values()].map((j) => j.ended));
    },
  };
}
export type Jobs = ReturnType<typeof createJobs>;
