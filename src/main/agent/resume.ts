import { createHash } from 'node:crypto';
import type { PlannedCall, TranscriptMessage } from '../../shared/contracts/agent.ts';
import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { CallRow, RecordEvent, Snapshot } from '../../shared/contracts/record.ts';
import { HandrailError, type Lang } from '../../shared/errors.ts';
import { callEnvelope, failedResult } from './envelopes.ts';
import { resultText } from './resultText.ts';
import { stableText } from './stableText.ts';
import type { Answered } from './turn.ts';

/**
 * One call of one turn, one key, stable over a crash; a model neither sees nor chooses it. Absent arguments and null ones are
 * the same call: the record writes every parameter out.
 */
export function callKey(turnId: string, tool: string, args: Record<string, unknown>): string {
  const given = Object.fromEntries(Object.entries(args).filter(([, v]) => v !== null && v !== undefined));
  return digestOf([turnId, tool, given]);
}

/** Calls of a turn that the record says are finished and that no snapshot holds yet. */
export function finishedCalls(turnId: string, rows: readonly CallRow[], held: ReadonlySet<string>): Map<string, ResultEnvelope[]> {
  const finished = new Map<string, ResultEnvelope[]>();
  for (const { call, result, state } of rows) {
    if (call.turn_id !== turnId || call.parent_call_id !== null || state !== 'ended' || result === null || held.has(call.call_id)) continue;
    const key = callKey(turnId, call.tool, call.args);
    finished.set(key, [...(finished.get(key) ?? []), result]);
  }
  return finished;
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(stableText(value)).digest('hex');
}

/** What a crash left of a turn, made whole: every call answered, by the record where it knows, else as interrupted. */
export function restoreTurn(
  snapshot: Snapshot,
  rows: readonly CallRow[],
  lang: Lang,
  at: string,
): { messages: TranscriptMessage[]; answered: Answered[] } {
  const answered: Answered[] = [];
  const planned = new Map(snapshot.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => [c.callId, c] as const) : [])));
  for (const { call, result } of snapshot.calls) {
    const plan = planned.get(call.call_id) ?? { callId: call.call_id, tool: call.tool, args: call.args };
    answered.push({ planned: plan, call, result });
  }
  const messages = [...snapshot.messages];
  const open = openCalls(messages);
  for (const call of open) {
    const row = rows.find((r) => r.call.call_id === call.callId);
    const result = row?.result ?? interrupted(call, row, lang, at);
    const envelope =
      row?.call ?? callEnvelope(call, undefined, { sessionId: snapshot.sessionId, turnId: snapshot.turnId, caller: 'agent', at });
    answered.push({ planned: call, call: envelope, result: { ...result, call_id: call.callId } });
    messages.push({ role: 'tool', callId: call.callId, tool: call.tool, content: resultText(result) });
  }
  return { messages, answered };
}

function openCalls(messages: readonly TranscriptMessage[]): PlannedCall[] {
  const answeredIds = new Set(messages.flatMap((m) => (m.role === 'tool' ? [m.callId] : [])));
  return messages.flatMap((m) => (m.role === 'assistant' ? m.calls.filter((c) => !answeredIds.has(c.callId)) : []));
}

/** A write that was under way may have been taken: nobody sends it again without looking. A read may simply be asked again. */
function interrupted(call: PlannedCall, row: CallRow | undefined, lang: Lang, at: string): ResultEnvelope {
  const error =
    row?.state === 'unknown'
      ? new HandrailError('WRITE_UNCONFIRMED', { detail: { target: call.tool } })
      : new HandrailError('CANCELLED', {
          message: { en: `${call.tool} was interrupted when the program ended.`, zh: `程序结束时 ${call.tool} 被中断。` },
          advice: { en: 'It was not finished; a read may be asked again.', zh: '该调用未完成；读取可以重新进行。' },
        });
  return failedResult(call.callId, error, lang, at);
}

/** What was said in a session, from its record: the person's words and the answers. */
export function saidBefore(events: readonly RecordEvent[], exceptTurn: string | null): TranscriptMessage[] {
  const messages: TranscriptMessage[] = [];
  for (const event of events) {
    if (event.kind !== 'message' || (exceptTurn !== null && event.turn === exceptTurn)) continue;
    const message = JSON.parse(event.payload) as TranscriptMessage;
    if (message.role === 'tool') continue;
    const plain: TranscriptMessage =
      message.role === 'user' ? { role: 'user', content: message.content } : { role: 'assistant', content: message.content, calls: [] };
    // A turn that never ended left a question without an answer; two questions in a row are no transcript.
    if (messages.at(-1)?.role === plain.role) messages.pop();
    if (messages.length > 0 || plain.role === 'user') messages.push(plain);
  }
  if (messages.at(-1)?.role === 'user') messages.pop();
  return messages;
}
