import type { TurnReport } from '../../../shared/contracts/agent.ts';

/** The words of an answer that its error does not say already; null: nothing beyond the error. */
export function ownWords(report: TurnReport | null, streamed: string): string | null {
  const text = report ? report.answer : streamed;
  if (text.trim() === '') return null;
  return report?.error && text.trim().startsWith(report.error.message.trim()) ? null : text;
}
