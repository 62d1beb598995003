import type { Bilingual, Lang, WireError } from '../errors.ts';

/** JSON Schema draft 2020-12, as plain data. */
export type JsonSchema = { [key: string]: unknown };

/** What a tool does to the world. Everything but `read` and `none` passes policy; the `write-` ones need a person. */
export type Effect = 'none' | 'read' | 'write-plant' | 'write-file' | 'execute' | 'network' | 'connect';

export type ToolContract = {
  name: string;
  title: Bilingual;
  /** Read by people and models; carries units and ranges, which schemas lose on the way to a model. */
  description: Bilingual;
  parameters: JsonSchema;
  returnSchema: JsonSchema;
  /** 1000 to 30000 ms. */
  executionTimeoutMs: number;
  isDeterministic: boolean;
  effect: Effect;
  /** What stands in when it fails, by contract and always visible in `meta.fallback`. */
  fallback: 'none' | 'last-known' | 'cached' | 'ask-person';
  undo: 'none' | 'before-value' | 'file-content';
};

/** Who calls: `person:NAME`, `agent:MODEL`, `program:CALL_ID`, `mcp:CLIENT`, `poll`. */
export type Caller = string;

/** A call as recorded: every parameter explicit, absent ones null. */
export type CallEnvelope = {
  call_id: string;
  parent_call_id: string | null;
  session_id: string;
  turn_id: string | null;
  tool: string;
  args: Record<string, unknown>;
  depends_on: string[];
  expected_output_schema: JsonSchema | null;
  timeout_ms: number;
  meta: { timestamp: string; caller: Caller };
};

export type ResultMeta = {
  timestamp: string;
  duration_ms: number;
  exit_code: number | null;
  status_code: number | null;
  /** true or false for a serial answer; null where there is no checksum (TCP) or no answer. */
  crc_valid: boolean | null;
  truncated: boolean;
  fallback: { kind: 'last-known' | 'cached' | 'ask-person'; age_ms: number | null; reason: string } | null;
  attempts: number;
  cached: boolean;
  /** Only where the record could not be written: the reason. A read still runs then and says so; a write never does. */
  unrecorded?: string;
};

export type ResultEnvelope = { call_id: string; ok: boolean; result: unknown; error: WireError | null; meta: ResultMeta };

/** What a door asks of the gateway. */
export type CallRequest = {
  tool: string;
  args: unknown;
  caller: Caller;
  sessionId: string;
  turnId?: string | null;
  callId?: string;
  parentCallId?: string | null;
  dependsOn?: readonly string[];
  expectedOutputSchema?: JsonSchema | null;
  timeoutMs?: number;
  /** What is left of the turn's budget; a call never outlives it. */
  turnRestMs?: number;
  /** Arguments in pieces (design D9): `args` is then a string piece of one JSON text; the pieces share `callId`. */
  chunk?: { index: number; total: number };
  dryRun?: boolean;
  lang: Lang;
  /** The person's own words of this turn: checked against a write's direction, shown on the card. */
  words?: string;
  /** The run has read untrusted text (logs, device strings, MCP): the card says so. */
  taint?: readonly string[];
  signal?: AbortSignal;
};

/** Live news of a call, for cards in the window. */
export type CallPhase = 'preparing' | 'ready' | 'waiting-approval' | 'running' | 'ended';
export type CallNews = { call: CallEnvelope; phase: CallPhase; result: ResultEnvelope | null };

export interface Gateway {
  call(request: CallRequest): Promise<ResultEnvelope>;
  /** Several calls, scheduled by their `dependsOn`; answers in the order given. A cycle refuses all of them by its path. */
  callAll(requests: readonly CallRequest[]): Promise<ResultEnvelope[]>;
  /** `declared`: as a model may see them; while nothing is armed, no tool that writes to the plant is even named. */
  contracts(options?: { declared?: boolean }): readonly ToolContract[];
  capabilities(): { tools: string[]; protocols: string[]; unsupported: string[] };
  /**
   * Ends every open and queued call of a turn or session (of all, when the scope names neither); each is closed as
   * CANCELLED. Resolves when none is open. Without a turnId it is a person's Stop: writing is locked too and stays refused for 3 s. A frame on the wire is not torn.
   */
  cancel(scope: { turnId?: string; sessionId?: string }, reason: string): Promise<void>;
  onNews(listener: (news: CallNews) => void): () => void;
}
