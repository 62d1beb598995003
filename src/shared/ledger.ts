/**
 * What a turn cost in tokens, what the same plan would have cost in the classic way, and which way to choose beforehand.
 * Classic: every result goes through the model, and each further request sends all of it again. Embedded: one program
 * reads the rows itself and only its small result comes back.
 */
export type Spend = { sent: number; received: number };
export type Step = { callTokens: number; resultTokens: number };

const isWide = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff) || code >= 0xff00;

/**
 * Tokens of a text without a tokenizer, by how Qwen's splits: every digit is a token, a run of punctuation mostly one, about six
 * Latin letters one, three Chinese characters make two. Within a fifth of the real count on prompts and JSON.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(
    /[0-9]|[A-Za-z]+|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+|[^\sA-Za-z0-9\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+|\n+/g,
  )) {
    const code = run.charCodeAt(0);
    if (isWide(code)) tokens += run.length * 0.66;
    else if (/^[A-Za-z]/.test(run)) tokens += Math.max(1, run.length / 6);
    else tokens += Math.max(1, run.length / 4);
  }
  return Math.ceil(tokens);
}

/** The same steps, each in a request of its own, with everything before it sent again. */
export function classicSpend(promptTokens: number, steps: readonly Step[], answerTokens: number): Spend {
  let context = promptTokens;
  let sent = 0;
  let received = 0;
  for (const step of steps) {
    sent += context;
    received += step.callTokens;
    context += step.callTokens + step.resultTokens;
  }
  return { sent: sent + context, received: received + answerTokens };
}

export type Program = { codeTokens: number; resultTokens: number; failedTries?: readonly { codeTokens: number; errorTokens: number }[] };

export function embeddedSpend(promptTokens: number, program: Program, answerTokens: number): Spend {
  const tries = (program.failedTries ?? []).map((t) => ({ callTokens: t.codeTokens, resultTokens: t.errorTokens }));
  return classicSpend(promptTokens, [...tries, { callTokens: program.codeTokens, resultTokens: program.resultTokens }], answerTokens);
}

export const total = (spend: Spend): number => spend.sent + spend.received;

/** What is known of a question before anything runs. */
export type Estimate = {
  /** Calls of which one needs what the one before gave. */
  dependentCalls: number;
  /** Rows that a call hands over: samples that have to be looked at, or, where a tool answers, one for each tag or group. */
  rows: number;
  /** One tool gives the answer (a maximum, a mean, counts by group) without handing over rows. */
  toolAnswers: boolean;
  classicPromptTokens: number;
  programPromptTokens: number;
};
export type Mode = 'direct' | 'program';

/** Sizes measured by `bench -- tokens`; a row is one time stamp and one value, an answer of a tool a tag with its value. */
const sizes = {
  row: 42,
  call: 55,
  toolResult: 135,
  toolAnswer: 25,
  code: 200,
  result: 70,
  answer: 60,
  error: 90,
  page: 200,
  retryShare: 0.25,
};

/** The cheaper way by estimate. A program is charged for the attempts that fail, because they do. */
export function chooseMode(about: Estimate): { mode: Mode; direct: number; program: number } {
  const perCall = about.toolAnswers
    ? sizes.toolResult + about.rows * sizes.toolAnswer
    : Math.ceil(Math.min(about.rows, sizes.page) * sizes.row);
  const pages = about.toolAnswers ? 0 : Math.max(0, Math.ceil(about.rows / sizes.page) - about.dependentCalls);
  const steps = Array.from({ length: about.dependentCalls + pages }, () => ({
    callTokens: sizes.call,
    resultTokens: Math.max(perCall, sizes.row),
  }));
  const direct = total(classicSpend(about.classicPromptTokens, steps, sizes.answer));
  const once = total(embeddedSpend(about.programPromptTokens, { codeTokens: sizes.code, resultTokens: sizes.result }, sizes.answer));
  const twice = total(
    embeddedSpend(
      about.programPromptTokens,
      { codeTokens: sizes.code, resultTokens: sizes.result, failedTries: [{ codeTokens: sizes.code, errorTokens: sizes.error }] },
      sizes.answer,
    ),
  );
  const program = Math.round(once * (1 - sizes.retryShare) + twice * sizes.retryShare);
  return { mode: program < direct ? 'program' : 'direct', direct, program };
}

/** A running count: of a session, or of all. */
export type Ledger = {
  turns: number;
  sent: number;
  received: number;
  /** What the same calls would have cost in the classic way, all turns. */
  classic: number;
  /** Of the turns that ran a program: what they did cost, and what they would have cost without one; null while there was none. */
  programTurns: { spent: number; classic: number } | null;
  /** Calls that programs made; their results never passed through a model. */
  programCalls: number;
  /** `failed` are all but `ok`. A run that never began counts under its error code. */
  runs: { ok: number; failed: number; byStatus: Readonly<Record<string, number>> };
};

export const emptyLedger: Ledger = {
  turns: 0,
  sent: 0,
  received: 0,
  classic: 0,
  programTurns: null,
  programCalls: 0,
  runs: { ok: 0, failed: 0, byStatus: {} },
};

/** A turn that ended. `ranProgram`: its saving can be told; without a program both ways are the same one. */
export function countTurn(ledger: Ledger, spent: Spend & { classic: number | null }, ranProgram: boolean): Ledger {
  const { sent, received, classic } = spent;
  const before = ledger.programTurns ?? { spent: 0, classic: 0 };
  return {
    ...ledger,
    turns: ledger.turns + 1,
    sent: ledger.sent + sent,
    received: ledger.received + received,
    classic: ledger.classic + (classic ?? 0),
    programTurns:
      ranProgram && classic !== null && total(spent) > 0
        ? { spent: before.spent + total(spent), classic: before.classic + classic }
        : ledger.programTurns,
  };
}

export function countRun(ledger: Ledger, status: string, times = 1): Ledger {
  const { runs } = ledger;
  return {
    ...ledger,
    runs: {
      ok: runs.ok + (status === 'ok' ? times : 0),
      failed: runs.failed + (status === 'ok' ? 0 : times),
      byStatus: { ...runs.byStatus, [status]: (runs.byStatus[status] ?? 0) + times },
    },
  };
}

export const countProgramCall = (ledger: Ledger, times = 1): Ledger => ({ ...ledger, programCalls: ledger.programCalls + times });

/** The status of a run as the ledger counts it: of the envelope, or the code of what kept it from running. */
export function runStatus(result: { ok: boolean; result: unknown; error: { code: string } | null }): string {
  const status = (result.result as { status?: unknown } | null)?.status;
  return typeof status === 'string' ? status : (result.error?.code ?? 'unknown');
}

/** The share saved on turns that ran programs, below zero when they cost more; null while there is nothing to compare. */
export function savedShare({ programTurns }: Ledger): number | null {
  return programTurns === null || programTurns.classic === 0 ? null : 1 - programTurns.spent / programTurns.classic;
}

export const successRate = ({ runs }: Ledger): number | null => {
  const all = runs.ok + runs.failed;
  return all === 0 ? null : runs.ok / all;
};

/** A ledger with its shares, as it is shown and exported. */
export type LedgerView = Ledger & { successRate: number | null; savedShare: number | null };
export const viewOf = (ledger: Ledger): LedgerView => ({ ...ledger, successRate: successRate(ledger), savedShare: savedShare(ledger) });

/** The ledger of everything on record: whole, by session (newest first), and by turn where one session was asked for. */
export type LedgerReport = {
  overall: LedgerView;
  sessions: ({ session: string; startedAt: string; title: string } & LedgerView)[];
  turns: {
    session: string;
    turn: string;
    at: string;
    planner: string;
    sent: number;
    received: number;
    classic: number | null;
    runs: Record<string, number>;
  }[];
};
