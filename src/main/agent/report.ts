import type { TurnReport } from '../../shared/contracts/agent.ts';
import { HandrailError, type Bilingual } from '../../shared/errors.ts';
import { classicTokens } from './classicTokens.ts';
import type { Fuses } from './fuses.ts';
import type { Ending } from './states.ts';
import type { Session, Turn } from './turn.ts';

/** The turn as its report, once nothing of it is open any more. */
export function turnReport(session: Session, turn: Turn, ending: Ending, fuses: Fuses): TurnReport {
  const error = endingError(turn, ending, fuses);
  const notices = [...turn.notices, ...endingNotices(turn, ending)];
  const wire = turn.wireError ?? error?.toWire(turn.lang) ?? null;
  return {
    turn_id: turn.id,
    session_id: session.id,
    answer: turn.draft.trim(),
    grounded: ending.kind === 'answered' && turn.grounded,
    needs_clarification: ending.kind === 'asked-back',
    clarification: turn.clarification,
    marks: turn.marks,
    states: turn.states,
    calls: turn.callLog,
    tokens: {
      sent: turn.tokens.sent,
      received: turn.tokens.received,
      classic: classicTokens({ text: turn.text, answer: turn.draft, calls: [...turn.callLog, ...turn.innerLog] }),
    },
    shows: turn.shows,
    error: wire,
    notice: notices.length === 0 ? null : notices.map((n) => n[turn.lang]).join(turn.lang === 'zh' ? '' : ' '),
    diagnosis: turn.diagnosis ?? (ending.kind === 'loop' ? 'loop' : null),
    planner: turn.planner.name,
    taint: [...turn.taint],
  };
}

function endingError(turn: Turn, ending: Ending, fuses: Fuses): HandrailError | null {
  switch (ending.kind) {
    case 'answered':
    case 'asked-back':
    case 'marked':
      return null;
    case 'refused':
      return turn.answerError ?? new HandrailError(ending.code, { detail: { reason: '' } });
    case 'failed':
      return turn.answerError ?? failure(ending, fuses);
    case 'exhausted':
      return failure(ending, fuses);
    case 'loop':
      return new HandrailError('TOOL_LOOP', { detail: { tool: ending.tool, times: ending.times } });
    case 'budget':
      return new HandrailError('TIMEOUT', {
        detail: { what: 'The whole turn', timeout_ms: fuses.turnMs },
        message: { en: `The whole turn took longer than ${fuses.turnMs / 1000} s.`, zh: `本轮超过 ${fuses.turnMs / 1000} 秒。` },
      });
    case 'stopped':
      return new HandrailError('CANCELLED');
    default:
      return ending satisfies never;
  }
}

function failure(ending: { code: HandrailError['code']; why: string }, fuses: Fuses): HandrailError {
  return makeError(ending.code, ending.why, fuses);
}

function makeError(code: HandrailError['code'], why: string, fuses: Fuses): HandrailError {
  if (code === 'MODEL_TIMEOUT')
    return new HandrailError('MODEL_TIMEOUT', {
      detail: { seconds: fuses.planningMs / 1000 },
      message: { en: `The model made no progress: ${why}.`, zh: `模型无进展：${why}。` },
    });
  return new HandrailError(code, { detail: { reason: why }, message: { en: `Not finished: ${why}.`, zh: `未完成：${why}。` } });
}

/** What was done and what was not: an end without an answer must not leave that open. */
function endingNotices(turn: Turn, ending: Ending): Bilingual[] {
  if (ending.kind === 'answered' || ending.kind === 'asked-back' || ending.kind === 'refused') return [];
  const notices: Bilingual[] = [];
  if (ending.kind === 'marked') notices.push({ en: `Not verified: ${ending.why}.`, zh: `未核实：${ending.why}。` });
  if (turn.draft.trim() !== '' && ending.kind !== 'marked') {
    notices.push({
      en: 'The text above is not a finished answer; nothing in it was run.',
      zh: '以上文字不是完整的回答，其中内容均未执行。',
    });
  }
  const done = turn.answered.filter((a) => a.result.ok).map((a) => a.call.tool);
  const not = turn.answered.filter((a) => !a.result.ok).map((a) => `${a.call.tool} (${a.result.error?.code ?? 'no result'})`);
  if (done.length > 0) notices.push({ en: `Done: ${done.join(', ')}.`, zh: `已完成：${done.join('、')}。` });
  if (not.length > 0) notices.push({ en: `Not done: ${not.join(', ')}.`, zh: `未完成：${not.join('、')}。` });
  return notices;
}
