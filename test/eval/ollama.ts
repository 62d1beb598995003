import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createOllamaPlanner } from '../../src/main/model/index.ts';
import type { Planner, PlannedCall, TurnReport } from '../../src/shared/contracts/agent.ts';
import type { ResultEnvelope } from '../../src/shared/contracts/calls.ts';
import type { ToolDefinition } from '../../src/shared/contracts/tools.ts';
import { startFakeOllama, type FakeOllama } from '../harness/fakeOllama.mjs';
import { openLab, type Lab } from '../harness/labPlant.ts';
import { readScenario, type Expectation, type NamedCall, type Scenario } from './ollamaScenario.ts';
import type { Failure, Outcome } from './runner.ts';

type Observed = {
  reports: TurnReport[];
  calls: NamedCall[];
  executed: NamedCall[];
  proposed: NamedCall[];
  cards: number;
  toolErrors: number;
  /** Everything a person can have seen, growing texts included. */
  shown: string;
  errorTexts: string;
  stops: number[];
};

const askLimitMs = 60_000;
const plantNow = '2026-03-18T10:30:00';

/** Plays scenario files of the Ollama stand-in through the real loop, gateway and simulated plant. */
export async function run(files: string[]): Promise<Outcome> {
  const failures: Failure[] = [];
  let passed = 0;
  for (const file of files) {
    const wrong = await play(file).catch((error: unknown) => [
      `the runner failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
    if (wrong.length === 0) passed++;
    else
      failures.push({
        id: basename(file, '.json'),
        expected: null,
        got: wrong,
        wrong_value: false,
        wrong_write: wrong.some((w) => /^(executed|proposed)/.test(w)),
      });
  }
  return { passed, failed: failures.length, failures };
}

async function play(file: string): Promise<string[]> {
  const scenario = readScenario(readFileSync(file, 'utf8'));
  const server = await startFakeOllama({ scenario });
  try {
    const { observed, timedOut } = await session(scenario, server);
    if (timedOut) return ['an ask had not ended after 60 s'];
    const wrong = compare(scenario.expect ?? {}, observed, server);
    wrong.push(...server.problems.map((p) => `problem: ${p}`));
    for (const r of server.requests) if ((r.dropped ?? 0) > 0) wrong.push(`request ${r.n}: ${r.dropped} messages were dropped`);
    return wrong;
  } finally {
    await server.close();
  }
}

async function session(scenario: Scenario, server: FakeOllama): Promise<{ observed: Observed; timedOut: boolean }> {
  const observed: Observed = {
    reports: [],
    calls: [],
    executed: [],
    proposed: [],
    cards: 0,
    toolErrors: 0,
    shown: '',
    errorTexts: '',
    stops: [],
  };
  const clock = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after: (ms: number, go: () => void) => {
      const t = setTimeout(go, ms);
      return () => clearTimeout(t);
    },
  };
  const model = scenario.model ?? scenario.models?.[0]?.name ?? 'qwen3:8b';
  const planner = watched(
    createOllamaPlanner({ baseUrl: server.url, model, clock, random: () => Math.random().toString(36).slice(2, 10) }),
    observed,
  );
  const fixed = fixedResults(scenario.toolResults ?? {});
  const lab = await openLab({
    now: plantNow,
    plannerFor: () => planner,
    decide: () => scenario.approve === 'yes',
    tools: (tools) => tools.map((tool) => fixed.replace(tool)),
    gateway: (gateway) => ({
      ...gateway,
      callAll: async (requests) => (await gateway.callAll(requests)).map((r, i) => fixed.after(requests[i]!.tool, r)),
    }),
  });
  try {
    watch(lab, observed);
    const timedOut = await converse(scenario, lab, server, observed);
    observed.cards = lab.cards.length;
    observed.shown += JSON.stringify(lab.cards);
    return { observed, timedOut };
  } finally {
    await lab.close();
  }
}

async function converse(scenario: Scenario, lab: Lab, server: FakeOllama, observed: Observed): Promise<boolean> {
  const sessionId = lab.agent.startSession({ door: 'eval', operator: 'test person' });
  for (const text of scenario.ask ?? ['go on']) {
    if (scenario.arm === true) {
      // Stop locks writing and holds it for three seconds; a person who arms again does so after that.
      if (observed.stops.length > 0) await new Promise((done) => setTimeout(done, 3_100));
      lab.armAll();
    }
    const asked = lab.agent.ask({ sessionId, text });
    const stopper = scenario.cancelAfterMs === undefined ? null : stopLater(scenario.cancelAfterMs, lab, sessionId, server, observed);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((done) => (timer = setTimeout(() => done(null), askLimitMs)));
    const report = await Promise.race([asked, late]);
    clearTimeout(timer);
    await stopper?.end();
    if (report === null) {
      await lab.agent.stop(sessionId);
      return true;
    }
    observed.reports.push(report);
    observed.toolErrors += report.calls.filter((c) => !c.result.ok).length;
    const errors = [report.error, ...report.calls.map((c) => c.result.error)].filter((e) => e !== null);
    observed.errorTexts += errors.map((e) => `${e.message} ${e.advice}\n`).join('');
    observed.shown += `\n${report.answer}\n${report.notice ?? ''}\n${report.clarification?.question ?? ''}\n${observed.errorTexts}`;
  }
  return false;
}

/** Stop, so long after the first chat request of this ask has arrived. */
function stopLater(ms: number, lab: Lab, sessionId: string, server: FakeOllama, observed: Observed) {
  const before = chats(server).length;
  let timer: NodeJS.Timeout | undefined;
  let stopping: Promise<void> = Promise.resolve();
  const poll = setInterval(() => {
    if (chats(server).length === before) return;
    clearInterval(poll);
    timer = setTimeout(() => {
      observed.stops.push(Date.now());
      stopping = lab.agent.stop(sessionId);
    }, ms);
  }, 5);
  return {
    end: (): Promise<void> => {
      clearInterval(poll);
      clearTimeout(timer);
      return stopping;
    },
  };
}

const chats = (server: FakeOllama) => server.requests.filter((r) => r.path === '/api/chat' && (r.body?.messages?.length ?? 0) > 0);

/** Notes which calls the classifier accepted: what the planner hands to the loop without a refusal. */
function watched(planner: Planner, observed: Observed): Planner {
  return {
    name: planner.name,
    kind: planner.kind,
    close: () => planner.close(),
    async *plan(input, signal) {
      for await (const event of planner.plan(input, signal)) {
        if (event.type === 'calls')
          observed.calls.push(
            ...event.calls.filter((c: PlannedCall) => c.rejected === undefined).map((c) => ({ name: c.tool, arguments: c.args })),
          );
        yield event;
      }
    },
  };
}

function watch(lab: Lab, observed: Observed): void {
  const running = new Set<string>();
  let stream = '';
  lab.gateway.onNews(({ call, phase }) => {
    if (call.parent_call_id !== null) return;
    const named = { name: call.tool, arguments: withoutNulls(call.args) };
    if (phase === 'waiting-approval') observed.proposed.push(named);
    if (phase === 'running' && !running.has(call.call_id)) {
      running.add(call.call_id);
      observed.executed.push(named);
    }
  });
  lab.agent.onEvent((event) => {
    if (event.type === 'text') {
      stream += event.delta;
      observed.shown += `\n${stream}`;
    } else if (event.type === 'state') stream = '';
  });
}

/** What stands for a tool's result: one object for every call, or an array for successive ones. */
function fixedResults(results: Record<string, unknown>) {
  const used = new Map<string, number>();
  const next = (tool: string): unknown => {
    const fixed = results[tool];
    if (!Array.isArray(fixed)) return fixed;
    const n = used.get(tool) ?? 0;
    used.set(tool, n + 1);
    return fixed[Math.min(n, fixed.length - 1)] as unknown;
  };
  return {
    replace(tool: ToolDefinition): ToolDefinition {
      if (!Object.hasOwn(results, tool.contract.name) || tool.plan !== undefined) return tool;
      const contract = { ...tool.contract, returnSchema: {}, fallback: 'none' as const };
      return {
        contract,
        ...('files' in tool ? { files: async (args, context) => tool.files?.(args, context) ?? [] } : {}),
        run: async () => next(tool.contract.name),
      };
    },
    /** A write is planned, shown and sent to the simulated plant as always; only its result is replaced. */
    after(tool: string, result: ResultEnvelope): ResultEnvelope {
      return Object.hasOwn(results, tool) && result.ok && ['tag_write', 'modbus_write', 'undo'].includes(tool)
        ? { ...result, result: next(tool) }
        : result;
    },
  };
}

function compare(expect: Expectation, o: Observed, server: FakeOllama): string[] {
  const wrong: string[] = [];
  const check = (name: string, want: unknown, got: unknown): void => {
    if (!isDeepStrictEqual(got, want)) wrong.push(`${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
  };
  for (const name of ['calls', 'executed', 'proposed'] as const) {
    const want = expect[name];
    if (want === undefined) continue;
    check(
      name,
      want,
      o[name].map((call, i) => (typeof want[i] === 'string' ? (call as { name: string }).name : plain(call))),
    );
  }
  if (expect.confirmations !== undefined) check('confirmations', expect.confirmations, o.cards);
  if (expect.toolErrors !== undefined) check('toolErrors', expect.toolErrors, o.toolErrors);
  const all = chats(server);
  if (expect.toolMessages !== undefined)
    check('toolMessages', expect.toolMessages, (all.at(-1)?.body?.messages ?? []).filter((m) => m.role === 'tool').length);
  perAsk(
    expect.final,
    o.reports,
    (r) => r.answer.trim(),
    (want, got, n) => check(`final ${n}`, typeof want === 'string' ? want.trim() : want, got),
  );
  perAsk(
    expect.length,
    o.reports,
    (r) => [...r.answer.trim()].length,
    (want, got, n) => check(`length ${n}`, want, got),
  );
  perAsk(
    expect.error_code,
    o.reports,
    (r) => r.error?.code ?? null,
    (want, got, n) => check(`error_code ${n}`, want, got),
  );
  const last = o.reports.at(-1)?.answer ?? '';
  for (const text of list(expect.finalContains)) if (!last.includes(text)) wrong.push(`finalContains: ${text} not in ${last}`);
  for (const text of list(expect.errorContains))
    if (!o.errorTexts.includes(text)) wrong.push(`errorContains: ${text} not in ${o.errorTexts}`);
  for (const text of expect.neverShown ?? []) if (o.shown.includes(text)) wrong.push(`neverShown: ${text} was shown`);
  if (expect.requests !== undefined) check('requests', expect.requests, all.length);
  if (expect.maxRequests !== undefined && all.length > expect.maxRequests)
    wrong.push(`maxRequests: ${all.length} instead of at most ${expect.maxRequests}`);
  if (expect.aborted === true) {
    const inTime = all.some((r) => r.aborted && o.stops.some((at) => endedAt(r) >= at - 5 && endedAt(r) <= at + 2_000));
    if (!inTime) wrong.push('aborted: no request was closed within 2 s of Stop');
  }
  return wrong;
}

/** One value speaks of the last ask, an array has one for each. */
function perAsk<W, G>(
  want: W | W[] | undefined,
  reports: TurnReport[],
  of: (r: TurnReport) => G,
  check: (want: W, got: G | undefined, n: number) => void,
): void {
  if (want === undefined) return;
  if (!Array.isArray(want)) {
    const report = reports.at(-1);
    check(want, report === undefined ? undefined : of(report), reports.length);
    return;
  }
  want.forEach((w, i) => check(w, reports[i] === undefined ? undefined : of(reports[i]), i + 1));
}

const endedAt = (r: FakeOllama['requests'][number]): number => r.at + ((r as { ms?: number }).ms ?? Infinity);
const list = (value: string | string[] | undefined): string[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

function withoutNulls(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, v]) => v !== null));
}
