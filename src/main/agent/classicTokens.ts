import { classicSpend, estimateTokens, total } from '../../shared/ledger.ts';
import type { TurnReport } from '../../shared/contracts/agent.ts';

/** The standing prompt with twelve tools, in tokens, as `bench -- loop` measures it. */
const standingPromptTokens = 1190;

/**
 * What the same calls would have cost a model in the classic way: each result goes through it, and each further request sends all
 * before it again. The calls a program made are charged like calls of the turn; the program itself would not have been there.
 */
export function classicTokens(turn: { text: string; answer: string; calls: TurnReport['calls'] }): number {
  const steps = turn.calls
    .filter(({ call }) => call.tool !== 'execute')
    .map(({ call, result }) => ({
      callTokens: estimateTokens(JSON.stringify({ name: call.tool, arguments: call.args })),
      resultTokens: estimateTokens(JSON.stringify(result.ok ? result.result : result.error) ?? ''),
    }));
  return total(classicSpend(standingPromptTokens + estimateTokens(turn.text), steps, estimateTokens(turn.answer)));
}
