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

/** The running count of a session. */
export type Ledger = {
  requests: number;
  sent: number;
  received: number;
  /** What the turns that ran a program would have cost without one; null while there was none. */
  classic: number | null;
  /** What those same turns did cost. */
  embedded: number | null;
  programCalls: number;
  runs: { ok: number; failed: number; byStatus: Readonly<Record<string, number>> };
};

export const emptyLedger: Ledger = {
  requests: 0,
  sent: 0,
  received: 0,
  classic: null,
  embedded: null,
  programCalls: 0,
  runs: { ok: 0, failed: 0, byStatus: {} },
};

export function countRequest(ledger: Ledger, spend: Spend): Ledger {
  return { ...ledger, requests: ledger.requests + 1, sent: ledger.sent + spend.sent, received: ledger.received + spend.received };
}

export function countRun(ledger: Ledger, status: string, programCalls: number): Ledger {
  const { runs } = ledger;
  return {
    ...ledger,
    programCalls: ledger.programCalls + programCalls,
    runs: {
      ok: runs.ok + (status === 'ok' ? 1 : 0),
      failed: runs.failed + (status === 'ok' ? 0 : 1),
      byStatus: { ...runs.byStatus, [status]: (runs.byStatus[status] ?? 0) + 1 },
    },
  };
}

/** A turn that ran a program: what it cost, and what its calls would have cost had their results gone through the model. */
export function countProgramTurn(ledger: Ledger, spent: Spend, classic: Spend): Ledger {
  return { ...ledger, classic: (ledger.classic ?? 0) + total(classic), embedded: (ledger.embedded ?? 0) + total(spent) };
}

/** The share saved on turns that ran programs, below zero when they cost more; null while there is nothing to compare. */
export function savedShare(ledger: Ledger): number | null {
  return ledger.classic === null || ledger.classic === 0 || ledger.embedded === null ? null : 1 - ledger.embedded / ledger.classic;
}

export const successRate = (ledger: Ledger): number | null => {
  const all = ledger.runs.ok + ledger.runs.failed;
  return all === 0 ? null : ledger.runs.ok / all;
};
