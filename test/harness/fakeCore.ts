import { createHash, randomUUID } from 'node:crypto';
import type { ApprovalNews, CoreApi, Health, TrafficBatch } from '../../src/shared/contracts/api.ts';
import type { TurnEvent, TurnReport } from '../../src/shared/contracts/agent.ts';
import type { ApprovalCard, Armed } from '../../src/shared/contracts/approvals.ts';
import type { CallEnvelope, CallNews, ResultEnvelope } from '../../src/shared/contracts/calls.ts';
import type { FrameRecord, Reading } from '../../src/shared/contracts/devices.ts';
import type { RecordEvent, SessionRow } from '../../src/shared/contracts/record.ts';
import { defaultSettings, type Settings } from '../../src/shared/contracts/settings.ts';
import { HandrailError, type Lang } from '../../src/shared/errors.ts';
import { channel } from '../../src/main/core/channel.ts';
import { viewOf } from '../../src/shared/ledger.ts';
import { packReadings } from '../../src/shared/readingBatch.ts';
import { fakePlant } from './fakePlant.ts';

export type FakeCore = {
  api: CoreApi;
  approvals: { approved: boolean; how: string }[];
  asked: string[];
  setSilent(device: string, silent: boolean): void;
  ended: string[];
  close(): void;
};

/** Stands in for the core in tests of hosts and page. Everything it says is made up; no test of the core may use it. */
export function createFakeCore(): FakeCore {
  let settings: Settings = { ...defaultSettings, operator: 'wang.lei' };
  const armed: Armed[] = [];
  const silent = new Set<string>(['flow']);
  const started = Date.now();
  let setpoint = 38;
  const feeds = {
    turns: new Set<(item: TurnEvent) => void>(),
    approvals: new Set<(item: ApprovalNews) => void>(),
    arming: new Set<(item: Armed[]) => void>(),
    news: new Set<(item: CallNews) => void>(),
  };
  const waiting = new Map<string, { card: ApprovalCard; decide(approved: boolean, how: string): void }>();
  const running = new Map<string, AbortController>();
  const core: FakeCore = {
    api: null as unknown as CoreApi,
    approvals: [],
    asked: [],
    ended: [],
    setSilent: (device, on) => void (on ? silent.add(device) : silent.delete(device)),
    close: () => running.forEach((abort) => abort.abort()),
  };

  const value = (tag: string, ms: number): number => {
    const s = ms / 1000;
    const wave = (period: number, by: number): number =>
      Math.sin((s / period) * 2 * Math.PI) * by + Math.sin((s / (period * 0.37)) * 2 * Math.PI) * by * 0.3;
    switch (tag) {
      case 'drum_pressure':
        return 1.108 + wave(60, 0.02);
      case 'drum_level':
        return Math.round(-18 + wave(240, 45));
      case 'steam_flow':
        return 12.2 + wave(90, 0.8);
      case 'feedwater_flow':
        return 11.4 + wave(110, 0.5);
      case 'feedwater_temp':
        return 104.2 + wave(200, 0.6);
      case 'boiler_temp':
        return 119.4 + wave(150, 2);
      case 'total_power':
        return 218.4 + wave(45, 6);
      case 'flue_o2':
        return 4.1 + wave(30, 0.3);
      case 'boiler_temp_sp':
        return 120;
      case 'p202_speed_sp':
        return setpoint;
      case 'p202_speed':
        return setpoint - 0.1;
      case 'p202_current':
        return 15.8 + wave(20, 0.2);
      case 'energy':
        return 1_284_906 + (Math.floor(s / 16) % 1000);
      default:
        return 0;
    }
  };
  const reading = (id: string, now: number): Reading => {
    const tag = fakePlant.tags.find((t) => t.id === id)!;
    if (silent.has(tag.device))
      return {
        tag: id,
        quality: 'bad',
        value: null,
        unit: tag.unit,
        readAt: null,
        lastTriedAt: new Date(now).toISOString(),
        raw: null,
        reason: 'no reply',
        error: new HandrailError('DEVICE_NO_ANSWER', { detail: { unit: 5, timeout_ms: 800 } }),
      };
    if (tag.type === 'bool')
      return { tag: id, quality: 'good', value: true, unit: '', readAt: new Date(now - 300).toISOString(), raw: [true] };
    const v = Number(value(id, now).toFixed(tag.decimals));
    const old = id === 'total_power';
    const words =
      tag.type === 'float32'
        ? float32(v, tag.order === 'CDAB')
        : tag.type === 'uint32'
          ? [v >>> 16, v & 0xffff]
          : [Math.round(v / tag.scale) & 0xffff];
    return {
      tag: id,
      quality: old ? 'stale' : 'good',
      value: v,
      unit: tag.unit,
      readAt: new Date(old ? started - 14_000 : now - 100).toISOString(),
      raw: words,
    };
  };

  const emit = <T>(set: Set<(item: T) => void>, item: T): void => set.forEach((push) => push(item));
  const subscribe = <T>(set: Set<(item: T) => void>, signal: AbortSignal, first: T[] = []): AsyncIterable<T> =>
    channel<T>(
      signal,
      (push) => {
        set.add(push);
        return () => set.delete(push);
      },
      { first },
    );
  const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new HandrailError('CANCELLED'));
      });
    });
  async function* every<T>(ms: number, signal: AbortSignal, name: string, make: () => T): AsyncGenerator<T> {
    try {
      while (!signal.aborted) {
        yield make();
        await sleep(ms, signal);
      }
    } catch {
      /* the page left */
    } finally {
      core.ended.push(name);
    }
  }

  async function ask(sessionId: string, text: string, lang: Lang): Promise<TurnReport> {
    const turnId = randomUUID();
    core.asked.push(text);
    const abort = new AbortController();
    running.set(sessionId, abort);
    const report: TurnReport = {
      turn_id: turnId,
      session_id: sessionId,
      answer: '',
      grounded: true,
      needs_clarification: false,
      clarification: null,
      marks: [],
      states: [],
      calls: [],
      tokens: { sent: 0, received: 0, classic: null },
      shows: [],
      notice: null,
      diagnosis: null,
      planner: 'builtin',
      taint: [],
      error: null,
    };
    const say = (event: TurnEvent): void => emit(feeds.turns, event);
    const state = (name: 'PLANNING' | 'TOOL_CALLING' | 'VERIFICATION' | 'IDLE', fuseMs: number | null): void =>
      say({ type: 'state', turnId, state: name, why: '', fuseMs, at: new Date().toISOString() });
    const answer = async (words: string): Promise<void> => {
      report.answer = words;
      for (const piece of words.match(/.{1,6}/gsu) ?? []) {
        say({ type: 'text', turnId, delta: piece });
        await sleep(10, abort.signal);
      }
    };
    const call = async (tool: string, args: Record<string, unknown>, result: unknown, ms: number): Promise<void> => {
      const envelope: CallEnvelope = {
        call_id: randomUUID(),
        parent_call_id: null,
        session_id: sessionId,
        turn_id: turnId,
        tool,
        args,
        depends_on: [],
        expected_output_schema: null,
        timeout_ms: 3000,
        meta: { timestamp: new Date().toISOString(), caller: 'agent:builtin' },
      };
      say({ type: 'call', turnId, call: envelope, phase: 'running', result: null });
      await sleep(ms, abort.signal);
      const done: ResultEnvelope = {
        call_id: envelope.call_id,
        ok: true,
        result,
        error: null,
        meta: {
          timestamp: new Date().toISOString(),
          duration_ms: ms,
          exit_code: null,
          status_code: null,
          crc_valid: true,
          truncated: false,
          fallback: null,
          attempts: 1,
          cached: false,
        },
      };
      report.calls.push({ call: envelope, result: done });
      say({ type: 'call', turnId, call: envelope, phase: 'ended', result: done });
    };
    say({ type: 'turn-started', sessionId, turnId, text, planner: 'builtin', at: new Date().toISOString() });
    try {
      state('PLANNING', 8000);
      await sleep(40, abort.signal);
      if (/slow/i.test(text)) await sleep(30_000, abort.signal);
      if (/setpoint|设到|42/i.test(text)) {
        if (!armed.length) throw new HandrailError('POLICY_LOCKED', { detail: { device: 'pump2', tag: 'p202_speed_sp' } });
        await approve(sessionId, text, abort.signal);
        setpoint = 42;
        await call('tag_write', { tag: 'p202_speed_sp', value: 42 }, { verdict: 'confirmed', before: 38, value: 42 }, 60);
        await answer(lang === 'zh' ? 'P-202 转速设定现读为 42.0 Hz（原 38.0）。' : 'P-202 speed setpoint now reads 42.0 Hz (was 38.0).');
      } else if (/pump\?|which|泵？/i.test(text)) {
        report.needs_clarification = true;
        report.clarification = {
          question: lang === 'zh' ? '哪一台泵？' : 'Which pump?',
          candidates: [
            { value: 'P-201', label: 'P-201' },
            { value: 'P-202', label: 'P-202' },
          ],
          reason: 'ambiguous',
        };
        report.answer = report.clarification.question;
      } else {
        state('TOOL_CALLING', 3000);
        const v = Number(value('boiler_temp', Date.now()).toFixed(1));
        await call(
          'tag_read',
          { tags: ['boiler_temp'] },
          { readings: [{ tag: 'boiler_temp', value: v, unit: '°C', quality: 'good' }] },
          12,
        );
        state('VERIFICATION', 5000);
        const words = lang === 'zh' ? `锅炉温度是 ${v} °C。` : `Boiler temperature is ${v} °C.`;
        await answer(words);
        const start = words.indexOf(String(v));
        report.marks = [{ start, end: start + `${v} °C`.length, text: `${v} °C`, source: report.calls[0]!.call.call_id, kind: 'sourced' }];
      }
    } catch (error) {
      report.error = (error instanceof HandrailError ? error : new HandrailError('INTERNAL', { detail: { reason: String(error) } })).toWire(
        lang,
      );
      report.answer ||= report.error.message;
    }
    running.delete(sessionId);
    state('IDLE', null);
    say({ type: 'turn-ended', turnId, report });
    return report;
  }

  function approve(sessionId: string, words: string, signal: AbortSignal): Promise<void> {
    const items: ApprovalCard['items'] = [
      {
        tag: 'p202_speed_sp',
        label: { en: 'P-202 speed setpoint', zh: 'P-202 转速设定' },
        device: 'pump2',
        connection: 'line-1',
        unitId: 22,
        table: 'holding',
        address: 1,
        reference: '40002',
        now: setpoint,
        after: 42,
        unit: 'Hz',
        direction: 'raises',
        range: { min: 20, max: 50, maxStep: 5 },
        raw: { before: [3800], after: [4200] },
        functionCode: 6,
        undo: { en: 'writes 38.0 Hz, while the drive still holds 42.0', zh: '写回 38.0 Hz，仅当变频器仍为 42.0 时可用' },
      },
    ];
    const card: ApprovalCard = {
      cardId: randomUUID(),
      callId: randomUUID(),
      sessionId,
      title: { en: 'Write 1 value?', zh: '写入 1 个值？' },
      items,
      digest: createHash('sha256').update(JSON.stringify(items)).digest('hex'),
      createdAt: new Date().toISOString(),
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
      words,
      taint: [],
    };
    return new Promise((resolve, reject) => {
      const decide = (approved: boolean, how: string): void => {
        waiting.delete(card.cardId);
        core.approvals.push({ approved, how });
        emit(feeds.approvals, { type: 'settled', cardId: card.cardId, approved, how, by: settings.operator });
        if (approved) resolve();
        else reject(new HandrailError('APPROVAL_DECLINED', { detail: { target: 'P-202' } }));
      };
      waiting.set(card.cardId, { card, decide });
      signal.addEventListener('abort', () => decide(false, 'closed'));
      emit(feeds.approvals, { type: 'waiting', card });
    });
  }

  const held = {
    files: { en: 'mount namespace', zh: '挂载命名空间' },
    network: { en: 'filter', zh: '过滤器' },
    processes: { en: 'filter', zh: '过滤器' },
    memory: { en: 'RLIMIT_AS', zh: 'RLIMIT_AS' },
    processorShare: { en: 'not enforced', zh: '不限制' },
  };
  const ledger = viewOf({
    turns: 3,
    sent: 984,
    received: 200,
    classic: 9730,
    programTurns: { spent: 600, classic: 8000 },
    programCalls: 4,
    runs: { ok: 3, failed: 1, byStatus: { ok: 3, error: 1 } },
  });
  const health = (): Health => ({
    at: new Date().toISOString(),
    lines: [
      {
        connection: 'line-1',
        state: 'open',
        since: new Date(started).toISOString(),
        error: null,
        nextTryAt: null,
        load: 0.38,
        latencyMs: { p50: 37, p99: 55 },
        counters: { requests: 912, answers: 900, timeouts: 11, crcErrors: 1, exceptions: 0, strays: 0 },
      },
      {
        connection: 'plc-net',
        state: 'open',
        since: new Date(started).toISOString(),
        error: null,
        nextTryAt: null,
        load: 0.04,
        latencyMs: { p50: 4, p99: 9 },
        counters: { requests: 2400, answers: 2400, timeouts: 0, crcErrors: 0, exceptions: 0, strays: 0 },
      },
    ],
    model: { planner: 'builtin', state: 'ready', error: null },
    sandbox: [
      { lang: 'python', level: 'kernel', reason: null, by: held },
      { lang: 'javascript', level: 'wasm', reason: null, by: held },
    ],
    pools: [{ key: 'python:kernel:plain', waiting: 1, running: 0, queued: 0, started: 9, failedStarts: 0, lastError: null }],
    history: null,
    record: { events: 48_377, bytes: 12_400_000, lastVerify: { at: new Date(started).toISOString(), ok: true }, blocked: null },
    tokens: { sent: 984, received: 200, classic: 9730 },
    ledger: { overall: ledger, sessions: [{ session: 's-drum', ...ledger }], lastTurn: null },
  });
  const session: SessionRow = {
    id: 's-drum',
    startedAt: new Date(started - 900_000).toISOString(),
    endedAt: null,
    title: 'Drum level drop',
    turns: 2,
    calls: 31,
    writes: 1,
    door: 'web',
    operator: 'wang.lei',
  };
  const events: RecordEvent[] = [
    'turn-started',
    'state',
    'call',
    'result',
    'approval-asked',
    'approval-decided',
    'intent',
    'result',
    'turn-ended',
  ].map((kind, i) => ({
    seq: 101 + i,
    at: new Date(started - 900_000 + i * 700).toISOString(),
    session: session.id,
    turn: 't1',
    call: null,
    kind: kind as RecordEvent['kind'],
    payload: JSON.stringify({ step: i, text: 'Why is the drum level dropping?' }),
    prev_hash: 'a'.repeat(64),
    hash: String(i).repeat(64),
  }));

  core.api = {
    calls: {
      'app.info': async () => ({
        version: '0.1.0',
        door: 'web',
        operator: settings.operator,
        timeZone: 'UTC',
        dataFolder: 'fake',
        readOnly: false,
      }),
      'session.start': async () => ({ sessionId: randomUUID() }),
      'session.list': async ({ search }) => [session].filter((row) => row.title.toLowerCase().includes((search ?? '').toLowerCase())),
      'session.events': async ({ afterSeq }) => events.filter((event) => event.seq > (afterSeq ?? 0)),
      'session.calls': async () => [],
      'session.export': async ({ sessionId }) => ({
        fileName: `${sessionId}.jsonl`,
        text: events.map((e) => JSON.stringify(e)).join('\n'),
        events: events.length,
        sha256: 'f'.repeat(64),
      }),
      'record.unknown': async () => [],
      'record.verify': async () => ({ ok: true, events: 48_377, firstBroken: null, headHash: 'e'.repeat(64), headSeq: 48_377, cut: 0 }),
      'turn.ask': ({ sessionId, text, lang }) => ask(sessionId, text, lang ?? (/\p{Script=Han}/u.test(text) ? 'zh' : 'en')),
      'turn.stop': async ({ sessionId }) => {
        running.get(sessionId)?.abort();
        return null;
      },
      'approval.decide': async ({ cardId, digest, approved, how }) => {
        const entry = waiting.get(cardId);
        if (!entry) throw new HandrailError('APPROVAL_EXPIRED', { detail: { target: cardId } });
        if (entry.card.digest !== digest) throw new HandrailError('APPROVAL_MISMATCH', { detail: { reason: 'digest' } });
        entry.decide(approved, how);
        return null;
      },
      'arming.arm': async ({ devices, minutes, operator, reason }) => {
        armed.splice(
          0,
          armed.length,
          ...devices.map((device) => ({ device, until: new Date(Date.now() + minutes * 60_000).toISOString(), by: operator, reason })),
        );
        emit(feeds.arming, [...armed]);
        return [...armed];
      },
      'arming.lock': async () => {
        armed.length = 0;
        emit(feeds.arming, []);
        waiting.forEach((entry) => entry.decide(false, 'closed'));
        return null;
      },
      'plant.source': async () => ({ kind: 'simulated', path: null, digest: '0'.repeat(64), known: [] }),
      'plant.use': async () => ({ kind: 'simulated', path: null, digest: '0'.repeat(64), known: [] }),
      'plant.open': async ({ name }) => ({ kind: 'file', path: name, digest: '0'.repeat(64), known: [name] }),
      'plant.check': async () => [],
      'plant.save': async () => ({ kind: 'file', path: 'plant.json', digest: '1'.repeat(64), known: ['plant.json'] }),
      'plant.test': async () => ({ healthy: true, findings: [], probes: [] }),
      'plant.get': async () => fakePlant,
      'plant.world': async () => ({
        now: '2026-11-30T08:00:00',
        serial_ports: [],
        devices: [],
        tags: fakePlant.tags.map((t) => ({ name: t.id, unit: t.unit, write: t.write.allowed, aliases: [t.name.en, t.name.zh] })),
      }),
      'trend.series': async ({ tags, from, to, buckets }) =>
        tags.map((tag) => {
          const at: number[] = [];
          for (let t = from; t < to; t += Math.max(1000, (to - from) / buckets))
            if (t < to - 900_000 || t > to - 780_000 || tag !== 'p202_speed') at.push(t);
          const avg = Float64Array.from(at, (t) => value(tag, t));
          return { tag, gapMs: 30_000, at: Float64Array.from(at), min: avg, max: avg, avg, bad: new Float64Array(0) };
        }),
      'trend.marks': async ({ to }) => [
        { at: to - 420_000, kind: 'write', tag: 'p202_speed_sp', text: { en: 'P-202 36→38', zh: 'P-202 36→38' }, callId: 'c1' },
      ],
      'tool.call': async ({ tool, args, sessionId }) => {
        await ask(sessionId, tool, 'en');
        return {
          call_id: randomUUID(),
          ok: true,
          result: args,
          error: null,
          meta: {
            timestamp: new Date().toISOString(),
            duration_ms: 1,
            exit_code: null,
            status_code: null,
            crc_valid: null,
            truncated: false,
            fallback: null,
            attempts: 1,
            cached: false,
          },
        };
      },
      'tool.contracts': async () => [],
      'traffic.export': async () => ({ fileName: 'traffic.pcap', bytes: new Uint8Array([0xd4, 0xc3, 0xb2, 0xa1]), frames: 0 }),
      'file.put': async ({ name, bytes }) => ({
        file: 'f1',
        name,
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }),
      'file.preview': async () => ({
        file: 'f1',
        name: 'night.csv',
        dialect: 'csv, comma',
        encoding: 'GBK',
        confidence: 0.98,
        columns: ['time', 'temperature'],
        rows: [
          ['2026-11-30 01:00:00', '118.4'],
          ['2026-11-30 01:01:00', '<b>x</b>'],
        ],
        offset: 0,
        totalRows: 2,
        unread: { count: 1, first: { line: 7, reason: 'three fields instead of two' } },
      }),
      'health.report': async () => ({ version: '0.0.0', health: health(), ledger: { overall: ledger, sessions: [], turns: [] } }),
      'settings.get': async () => settings,
      'settings.set': async (patch) => (settings = { ...settings, ...patch }),
      'model.list': async () => {
        throw new HandrailError('MODEL_OFFLINE', { detail: { url: 'http://127.0.0.1:11434', reason: 'connection refused' } });
      },
    },
    streams: {
      'turn.events': (_p, { signal }) => subscribe(feeds.turns, signal),
      'call.news': (_p, { signal }) => subscribe(feeds.news, signal),
      approvals: (_p, { signal }) =>
        subscribe(
          feeds.approvals,
          signal,
          [...waiting.values()].map(({ card }) => ({ type: 'waiting', card })),
        ),
      arming: (_p, { signal }) => subscribe(feeds.arming, signal, [[...armed]]),
      readings: ({ tags, hz }, { signal }) => {
        const indexOf = new Map(tags.map((t, i) => [t, i]));
        return every(1000 / hz, signal, 'readings', () => {
          const now = Date.now();
          return packReadings(
            tags.map((t) => reading(t, now)),
            indexOf,
            now,
          );
        });
      },
      traffic: (_p, { signal }) => {
        let n = 0;
        return every(500, signal, 'traffic', () => traffic(n++));
      },
      health: (_p, { signal }) => every(1000, signal, 'health', health),
      changes: (_p, { signal }) => channel<never>(signal, () => () => undefined),
    },
  };
  return core;
}

function float32(value: number, lowFirst: boolean): number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const words = [view.getUint16(0), view.getUint16(2)];
  return lowFirst ? words.reverse() : words;
}

function traffic(n: number): TrafficBatch {
  const at = Date.now();
  const frame = (direction: 'tx' | 'rx', hex: string, delay: number, verdict: FrameRecord['verdict'], note?: string): FrameRecord => ({
    at: new Date(at + delay).toISOString(),
    t: n * 500 + delay,
    connection: 'line-1',
    direction,
    bytes: Uint8Array.from(hex.split(' '), (b) => parseInt(b, 16)),
    verdict,
    crcValid: verdict === 'ok' ? true : verdict === 'crc' ? false : null,
    ...(note ? { note } : {}),
  });
  const bad = n % 7 === 3;
  return {
    dropped: 0,
    frames: [
      frame('tx', '16 03 00 00 00 04 47 2E', 0, 'ok'),
      bad
        ? frame('rx', '16 03 08 0E CE 0E D8 00 9E 34 38 77', 37, 'crc', 'With 11 put back after 00 9E it is right: XON/XOFF eats bytes.')
        : frame('rx', '16 03 08 0E CE 0E D8 00 9E 01 2C 38 77', 37, 'ok'),
    ],
  };
}
