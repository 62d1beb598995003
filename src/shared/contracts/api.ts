import { Type, type Static, type TSchema } from 'typebox';
import type { Bilingual, ErrorCode } from '../errors.ts';
import type { ReadingBatch } from '../readingBatch.ts';
import type { TurnEvent, TurnReport } from './agent.ts';
import type { ApprovalCard, Armed } from './approvals.ts';
import type { CallNews, ResultEnvelope, ToolContract } from './calls.ts';
import type { FrameRecord, LineState } from './devices.ts';
import type { PlantFile, PlantProblem } from './plant.ts';
import type { CallRow, RecordEvent, SessionRow, VerifyReport } from './record.ts';
import type { Enforcement, PoolHealth, RunLang, RunLevel } from './sandbox.ts';
import type { LedgerReport, LedgerView } from '../ledger.ts';
import { settingsPatch, type Settings } from './settings.ts';
import type { World } from '../planner/types.ts';

/**
 * The one table between page and core. Window and page are both built from it: what is not in here does not exist for
 * either. Parameters are schemas that the host checks before anything runs; results are types (our own core made them).
 */
const returns = <R>(): R => undefined as R;
const call = <P extends TSchema, R>(params: P, result: R) => ({ params, result });
const stream = <P extends TSchema, I>(params: P, item: I) => ({ params, item });

const closed = { additionalProperties: false };
const id = Type.String({ minLength: 1, maxLength: 128 });
const sessionId = id;
const text = Type.String({ minLength: 1, maxLength: 32_000 });
const lang = Type.Union([Type.Literal('zh'), Type.Literal('en')]);
const tagIds = (most: number) => Type.Array(id, { maxItems: most, uniqueItems: true });
const epochMs = Type.Number({ minimum: 0 });
/** Raw bytes cross both wires as they are; `typedArray` is a keyword of our validator (JSON Schema has no such type). */
const bytes = (most: number) => Type.Unsafe<Uint8Array>({ typedArray: 'Uint8Array', maxBytes: most });
const none = Type.Object({}, closed);

export const maxFileBytes = 64 * 1024 * 1024;

export const calls = {
  'app.info': call(none, returns<AppInfo>()),

  'session.start': call(none, returns<{ sessionId: string }>()),
  'session.list': call(
    Type.Object(
      { search: Type.Optional(Type.String({ maxLength: 200 })), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) },
      closed,
    ),
    returns<SessionRow[]>(),
  ),
  'session.events': call(
    Type.Object(
      {
        sessionId,
        afterSeq: Type.Optional(Type.Integer({ minimum: 0 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
      },
      closed,
    ),
    returns<RecordEvent[]>(),
  ),
  'session.calls': call(Type.Object({ sessionId }, closed), returns<CallRow[]>()),
  /** The exact JSONL with its manifest, for the page to save: a page names no host paths. */
  'session.export': call(Type.Object({ sessionId }, closed), returns<{ fileName: string; text: string; events: number; sha256: string }>()),
  'record.verify': call(none, returns<VerifyReport>()),
  /** Writes whose outcome a crash left unknown: never repeated, offered for reading back. */
  'record.unknown': call(none, returns<CallRow[]>()),

  /** Resolves when the turn has ended; what happens meanwhile comes through `turn.events`. `files` are handles of `file.put`. */
  'turn.ask': call(
    Type.Object({ sessionId, text, lang: Type.Optional(lang), files: Type.Optional(Type.Array(id, { maxItems: 16 })) }, closed),
    returns<TurnReport>(),
  ),
  'turn.stop': call(Type.Object({ sessionId }, closed), returns<null>()),

  /** A person's decision about exactly the card with this digest. Refused with APPROVAL_* when it does not fit. */
  'approval.decide': call(
    Type.Object(
      {
        cardId: id,
        digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        approved: Type.Boolean(),
        how: Type.Union([
          Type.Literal('hold'),
          Type.Literal('typed'),
          Type.Literal('reject'),
          Type.Literal('expired'),
          Type.Literal('closed'),
        ]),
      },
      closed,
    ),
    returns<null>(),
  ),
  'arming.arm': call(
    Type.Object(
      {
        devices: Type.Array(id, { minItems: 1, maxItems: 64, uniqueItems: true }),
        minutes: Type.Union([Type.Literal(5), Type.Literal(10), Type.Literal(15)]),
        reason: Type.String({ minLength: 1, maxLength: 200 }),
        operator: Type.String({ minLength: 1, maxLength: 80 }),
      },
      closed,
    ),
    returns<Armed[]>(),
  ),
  'arming.lock': call(Type.Object({ why: Type.String({ minLength: 1, maxLength: 200 }) }, closed), returns<null>()),

  'plant.get': call(none, returns<PlantFile>()),
  /** What the built-in planner sees; the page suggests completions with it. */
  'plant.world': call(none, returns<World>()),
  /** Where the plant comes from; a page names no host paths, so a file of the data folder goes by its name. */
  'plant.source': call(none, returns<PlantSource>()),
  /** Opens a plant file of the data folder, or the simulated plant. Writing is locked and waiting cards are closed first. */
  'plant.use': call(Type.Object({ name: Type.Union([id, Type.Null()]) }, closed), returns<PlantSource>()),
  /** A plant file that a person picked: checked, kept in the data folder and opened. Throws ARGS_PLANT_FILE with line and column. */
  'plant.open': call(
    Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }), text: Type.String({ maxLength: 16 * 1024 * 1024 }) }, closed),
    returns<PlantSource>(),
  ),
  /** What keeps an edited plant file from being saved; empty: nothing. */
  'plant.check': call(Type.Object({ file: Type.Unknown() }, closed), returns<PlantProblem[]>()),
  /**
   * Saves the edited plant file whole or not at all and goes on with it. `base` is the digest of the file that was edited
   * (refused when it has changed since), null makes a new file. The text before is kept beside it.
   */
  'plant.save': call(
    Type.Object({ file: Type.Unknown(), base: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]) }, closed),
    returns<PlantSource>(),
  ),
  /** Read-only probes with the settings of a connection that need not be saved yet: who answers, and what is wrong with the line. */
  'plant.test': call(
    Type.Object(
      { connection: Type.Unknown(), units: Type.Array(Type.Integer({ minimum: 1, maximum: 255 }), { minItems: 1, maxItems: 32 }) },
      closed,
    ),
    returns<LineVerdict>(),
  ),
  'trend.series': call(
    Type.Object({ tags: tagIds(8), from: epochMs, to: epochMs, buckets: Type.Integer({ minimum: 1, maximum: 5000 }) }, closed),
    returns<TrendSeries[]>(),
  ),
  'trend.marks': call(Type.Object({ tags: tagIds(8), from: epochMs, to: epochMs }, closed), returns<TrendMark[]>()),

  /** A person's own call through the gateway, e.g. undo from a verdict card. Writes still need arming and a card. */
  'tool.call': call(
    Type.Object(
      { sessionId, tool: id, args: Type.Record(Type.String(), Type.Unknown()), lang, dryRun: Type.Optional(Type.Boolean()) },
      closed,
    ),
    returns<ResultEnvelope>(),
  ),
  'tool.contracts': call(none, returns<ToolContract[]>()),

  'traffic.export': call(
    Type.Object({ connection: Type.Union([id, Type.Null()]), faultsOnly: Type.Boolean() }, closed),
    returns<{ fileName: string; bytes: Uint8Array; frames: number }>(),
  ),

  /** A dropped file; the handle is good for `turn.ask`, `file.preview` and the tool `analyze_log` of this session. */
  'file.put': call(
    Type.Object({ sessionId, name: Type.String({ minLength: 1, maxLength: 255 }), bytes: bytes(maxFileBytes) }, closed),
    returns<FilePut>(),
  ),
  'file.preview': call(
    Type.Object({ sessionId, file: id, offset: Type.Integer({ minimum: 0 }), limit: Type.Integer({ minimum: 1, maximum: 500 }) }, closed),
    returns<FilePreview>(),
  ),

  /** Health and ledger in one document, for the page to save: the same that the command line prints. A session adds its turns. */
  'health.report': call(Type.Object({ sessionId: Type.Optional(id) }, closed), returns<HealthReport>()),

  'settings.get': call(none, returns<Settings>()),
  'settings.set': call(settingsPatch, returns<Settings>()),
  'model.list': call(
    Type.Object({ kind: Type.Union([Type.Literal('ollama'), Type.Literal('openai')]), baseUrl: Type.String({ maxLength: 300 }) }, closed),
    returns<ModelChoice[]>(),
  ),
} as const;

export const streams = {
  /** Every turn of the core, whoever asked, so that two windows show the same. */
  'turn.events': stream(none, returns<TurnEvent>()),
  /** Calls outside a turn too: polling excepted. */
  'call.news': stream(none, returns<CallNews>()),
  /** On subscribing: all cards that wait now. */
  approvals: stream(none, returns<ApprovalNews>()),
  /** On subscribing and on each change. */
  arming: stream(none, returns<Armed[]>()),
  /** Only the asked-for tags, at most `hz` batches a second (1..10); the first batch holds what was last known of each. */
  readings: stream(Type.Object({ tags: tagIds(2000), hz: Type.Integer({ minimum: 1, maximum: 10 }) }, closed), returns<ReadingBatch>()),
  /** First the newest frames of the ring, then batches; at most 10 a second. */
  traffic: stream(Type.Object({ backlog: Type.Integer({ minimum: 0, maximum: 5000 }) }, closed), returns<TrafficBatch>()),
  /** On subscribing, then about once a second and on each change of a line. */
  health: stream(none, returns<Health>()),
  /** The plant file or the settings changed under the page. */
  changes: stream(none, returns<{ what: 'plant' | 'settings' }>()),
} as const;

export type Calls = typeof calls;
export type Streams = typeof streams;
export type CallName = keyof Calls;
export type StreamName = keyof Streams;
export type CallParams<K extends CallName> = Static<Calls[K]['params']>;
export type CallResult<K extends CallName> = Calls[K]['result'];
export type StreamParams<K extends StreamName> = Static<Streams[K]['params']>;
export type StreamItem<K extends StreamName> = Streams[K]['item'];

/** Who asks and until when: `signal` aborts when the page cancels, leaves or is gone. */
export type ApiContext = { signal: AbortSignal; door: 'electron' | 'web'; client: string };

/** What the core hands to a host. Failures throw HandrailError; a stream ends when its signal aborts. */
export interface CoreApi {
  calls: { [K in CallName]: (params: CallParams<K>, context: ApiContext) => Promise<CallResult<K>> };
  streams: { [K in StreamName]: (params: StreamParams<K>, context: ApiContext) => AsyncIterable<StreamItem<K>> };
}

export type AppInfo = {
  version: string;
  door: 'electron' | 'web';
  operator: string;
  timeZone: string;
  dataFolder: string;
  readOnly: boolean;
};

export type ApprovalNews =
  | { type: 'waiting'; card: ApprovalCard }
  | { type: 'settled'; cardId: string; approved: boolean; how: string; by: string }
  /** The before-value moved or the lock closed: nothing was written. */
  | { type: 'void'; cardId: string; error: { code: ErrorCode; message: Bilingual; advice: Bilingual } };

/** One tag's buckets as columns. An empty bucket is absent; `gapMs` says from which distance on a pause is a gap. */
export type TrendSeries = {
  tag: string;
  gapMs: number;
  at: Float64Array;
  min: Float64Array;
  max: Float64Array;
  avg: Float64Array;
  /** Times of bad samples. */ bad: Float64Array;
};
export type TrendMark = { at: number; kind: 'write' | 'line' | 'note'; tag: string | null; text: Bilingual; callId: string | null };

export type TrafficBatch = { frames: FrameRecord[]; /** Frames left out because the page was slow. */ dropped: number };

export type LineView = {
  connection: string;
  state: LineState;
  since: string;
  error: { code: ErrorCode; message: Bilingual; advice: Bilingual } | null;
  nextTryAt: string | null;
  load: number;
  latencyMs: { p50: number; p99: number } | null;
  counters: { requests: number; answers: number; timeouts: number; crcErrors: number; exceptions: number; strays: number };
};
export type Health = {
  at: string;
  lines: LineView[];
  model: {
    planner: string;
    state: 'ready' | 'loading' | 'offline' | 'error';
    error: { code: ErrorCode; message: Bilingual; advice: Bilingual } | null;
  };
  /** `by`: by which means each limit holds on this level; null where nothing runs. Empty until the self-test has ended. */
  sandbox: { lang: RunLang; level: RunLevel | null; reason: string | null; by: Enforcement | null }[];
  /** Interpreters that wait ready, as last told by the broker; empty while it is not started. */
  pools: PoolHealth[];
  /** Samples that could not be kept, and why; null: all were kept since the start. */
  history: { dropped: number; error: { code: ErrorCode; message: Bilingual; advice: Bilingual } } | null;
  record: {
    events: number;
    bytes: number;
    lastVerify: { at: string; ok: boolean } | null;
    blocked: { code: ErrorCode; message: Bilingual; advice: Bilingual } | null;
  };
  tokens: { sent: number; received: number; classic: number | null };
  /** Since the start: all sessions, the latest ones each, and the turn that ended last. */
  ledger: {
    overall: LedgerView;
    sessions: ({ session: string } & LedgerView)[];
    lastTurn: { session: string; turn: string; sent: number; received: number; classic: number | null } | null;
  };
};
/** What the command line's `health` prints and the page saves. `ledger` is of everything on record, `health.ledger` since the start. */
export type HealthReport = { version: string; health: Health; ledger: LedgerReport };

export type PlantSource = {
  kind: 'simulated' | 'file';
  /** The file of the plant, as a person knows it; null where it is simulated. */
  path: string | null;
  /** SHA-256 over the JSON text of the plant file in use. */
  digest: string;
  /** Plant files in the data folder, by name. */
  known: string[];
};
/** What is known of a line after asking it, read-only. */
export type LineVerdict = {
  healthy: boolean;
  findings: {
    severity: 'ok' | 'note' | 'fault';
    title: Bilingual;
    cause: Bilingual;
    remedy: Bilingual;
    count: number;
    evidence: string[];
    proof: string | null;
  }[];
  probes: { unit: number; ok: boolean; failure: string | null; exception: number | null; durationMs: number | null }[];
};
export type FilePut = { file: string; name: string; size: number; sha256: string };
/** A file as a table of text; rows that could not be read are counted, never dropped silently. */
export type FilePreview = {
  file: string;
  name: string;
  dialect: string;
  encoding: string;
  /** 0..1, or null where nothing was guessed. */
  confidence: number | null;
  columns: string[];
  rows: string[][];
  offset: number;
  totalRows: number;
  unread: { count: number; first: { line: number; reason: string } | null };
};
export type ModelChoice = { name: string; sizeBytes: number | null; tools: boolean | null };
