import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handrailVersion } from '../entries.ts';
import { plantProblems } from '../plant/index.ts';
import type { ApprovalNews, CoreApi, FilePreview, ModelChoice, TrafficBatch } from '../../shared/contracts/api.ts';
import type { Armed } from '../../shared/contracts/approvals.ts';
import type { CallNews } from '../../shared/contracts/calls.ts';
import type { TurnEvent } from '../../shared/contracts/agent.ts';
import type { FrameRecord } from '../../shared/contracts/devices.ts';
import { channel } from './channel.ts';
import { watchHealth, type HealthWatch } from './health.ts';
import type { CoreParts } from './parts.ts';
import { readingBatches } from './readingsApi.ts';
import { createMarks, trendSeries } from './trendApi.ts';

/** What the core borrows from rooms that answer a page's question in one piece. */
export type ApiRooms = {
  pcap(frames: readonly FrameRecord[]): Uint8Array;
  preview(file: string, offset: number, limit: number): Promise<Omit<FilePreview, 'file'>>;
  listModels(kind: 'ollama' | 'openai', baseUrl: string): Promise<ModelChoice[]>;
};

const slowReader = { frames: 5000, events: 5000 };

/** The one table of window and page, answered by the joined rooms. */
export function createApi(parts: CoreParts, rooms: ApiRooms): { api: CoreApi; healthReport: HealthWatch['report']; close(): void } {
  const health = watchHealth(parts);
  const marks = createMarks(parts);
  const lastHealthMs = 1000;

  const api: CoreApi = {
    calls: {
      'app.info': async (_params, context) => ({
        version: handrailVersion(),
        door: context.door,
        operator: parts.operator(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        dataFolder: parts.dataFolder,
        readOnly: parts.settings.get().readOnly,
      }),
      'session.start': async (_params, context) => ({
        sessionId: parts.agent.startSession({ door: context.door, operator: parts.operator() }),
      }),
      'session.list': async (options) => parts.record.sessions(options),
      'session.events': async ({ sessionId, ...options }) => parts.record.events(sessionId, options),
      'session.calls': async ({ sessionId }) => parts.record.calls(sessionId),
      'session.export': async ({ sessionId }) => {
        const folder = mkdtempSync(join(tmpdir(), 'handrail-export-'));
        try {
          const file = join(folder, 'session.jsonl');
          const made = await parts.record.exportSession(sessionId, file);
          return { fileName: `handrail-${sessionId}.jsonl`, text: readFileSync(file, 'utf8'), ...made };
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
      'record.verify': async (_params, context) => {
        const report = await parts.record.verify({ signal: context.signal });
        health.verified(report);
        return report;
      },

      'record.unknown': async () => parts.record.unknownWrites(),

      'turn.ask': (request) => parts.agent.ask(request),
      'turn.stop': async ({ sessionId }) => {
        await parts.agent.stop(sessionId); // cancels the calls of this session, and with them the cards that wait for them
        return null;
      },

      'approval.decide': async ({ how, ...answer }) => {
        const approved = answer.approved && (how === 'hold' || how === 'typed');
        parts.desk.decide({ ...answer, approved, how: approved ? how : 'reject' }, parts.operator());
        return null;
      },
      'arming.arm': async ({ devices, minutes, reason, operator }) => {
        parts.settings.set({ operator });
        return parts.arming.arm(devices, minutes, operator, reason);
      },
      'arming.lock': async ({ why }) => {
        parts.arming.lock(why);
        parts.desk.closeAll();
        return null;
      },

      'plant.get': async () => parts.plant.file,
      'plant.source': async () => parts.plants.source(),
      'plant.use': ({ name }) => parts.plants.use(name),
      'plant.open': ({ name, text }) => parts.plants.open(name, text),
      'plant.check': async ({ file }) => plantProblems(file),
      'plant.save': ({ file, base }) => parts.plants.save(file, base),
      'plant.test': ({ connection, units }, { signal }) => parts.plants.test(connection, units, signal),
      'plant.world': async () => parts.world(),
      'trend.series': async (request) => trendSeries(parts, request),
      'trend.marks': async ({ tags, from, to }) => marks.within(tags, from, to),
      'tool.call': ({ sessionId, tool, args, lang, dryRun }, context) =>
        parts.gateway.call({
          tool,
          args,
          caller: `person:${parts.operator()}`,
          sessionId,
          lang,
          dryRun: dryRun ?? false,
          signal: context.signal,
        }),
      'tool.contracts': async () => [...parts.gateway.contracts()],

      'traffic.export': async ({ connection, faultsOnly }) => {
        const frames = parts.devices.recentFrames(connection ?? undefined).filter((frame) => !faultsOnly || frame.verdict !== 'ok');
        return {
          fileName: `handrail-traffic-${new Date().toISOString().replaceAll(':', '')}.pcap`,
          bytes: rooms.pcap(frames),
          frames: frames.length,
        };
      },
      'file.put': async ({ name, bytes }) => parts.files.put(name, bytes),
      'file.preview': async ({ file, offset, limit }) => ({ file, ...(await rooms.preview(file, offset, limit)) }),

      'health.report': ({ sessionId }) => health.report(sessionId),

      'settings.get': async () => parts.settings.get(),
      'settings.set': async (change) => parts.settings.set(change),
      'model.list': ({ kind, baseUrl }) => rooms.listModels(kind, baseUrl),
    },
    streams: {
      'turn.events': (_params, { signal }) => channel<TurnEvent>(signal, (push) => parts.agent.onEvent(push), { most: slowReader.events }),
      'call.news': (_params, { signal }) => channel<CallNews>(signal, (push) => parts.gateway.onNews(push), { most: slowReader.events }),
      approvals: (_params, { signal }) =>
        channel<ApprovalNews>(signal, (push) => parts.desk.onNews(push), {
          first: parts.desk.waiting().map((card) => ({ type: 'waiting', card })),
        }),
      arming: (_params, { signal }) => channel<Armed[]>(signal, (push) => parts.arming.onChange(push), { first: [parts.arming.list()] }),
      readings: (request, { signal }) => readingBatches(parts, request, signal),
      traffic: async function* ({ backlog }, { signal }): AsyncGenerator<TrafficBatch, void> {
        let dropped = 0;
        const first = backlog > 0 ? [parts.devices.recentFrames().slice(-backlog)] : [];
        const batches = channel<readonly FrameRecord[]>(signal, (push) => parts.devices.onFrames(push), {
          first,
          most: 100,
          onDrop: (batch) => (dropped += batch.length),
        });
        for await (const batch of batches) {
          yield { frames: [...batch].slice(-slowReader.frames), dropped: dropped + Math.max(0, batch.length - slowReader.frames) };
          dropped = 0;
        }
      },
      health: (_params, { signal }) =>
        channel(
          signal,
          (push) => {
            const timer = setInterval(() => push(health.now()), lastHealthMs);
            const stop = health.onChange(() => push(health.now()));
            return () => {
              clearInterval(timer);
              stop();
            };
          },
          { first: [health.now()], most: 2 },
        ),
      changes: (_params, { signal }) =>
        channel<{ what: 'plant' | 'settings' }>(signal, (push) => {
          const ends = [parts.settings.onChange(() => push({ what: 'settings' })), parts.plants.onChange(() => push({ what: 'plant' }))];
          return () => ends.forEach((end) => end());
        }),
    },
  };
  return {
    api,
    healthReport: health.report,
    close() {
      marks.close();
      health.close();
    },
  };
}
