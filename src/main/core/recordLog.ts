import { analyzeEvents, type KnownEvent, type LogAnswer, type LogQuestion } from '../logs/index.ts';
import { localTime } from '../plant/index.ts';
import type { CallRow, RecordStore } from '../../shared/contracts/record.ts';
import type { ErrorCode } from '../../shared/errors.ts';

export type RecordAnalysisDeps = { record: Pick<RecordStore, 'sessions' | 'calls'> };

type Topic = KnownEvent['topics'][number];
const topicOf: Partial<Record<ErrorCode, Topic>> = {
  DEVICE_NO_ANSWER: 'timeout',
  TIMEOUT: 'timeout',
  FRAME_CRC: 'crc_error',
  DEVICE_EXCEPTION: 'exception',
  PORT_CLOSED: 'disconnect',
  PORT_REFUSED: 'disconnect',
  PORT_UNREACHABLE: 'disconnect',
  PORT_NOT_FOUND: 'disconnect',
};
const writeTools = new Set(['tag_write', 'modbus_write', 'undo']);

/** What went over the wires by the calls on record, as a log: who, what, how it ended. */
export function analyzeRecord({ record }: RecordAnalysisDeps, question: LogQuestion): LogAnswer {
  const events = record.sessions({ limit: 1000 }).flatMap((session) => record.calls(session.id).map(eventOf));
  return analyzeEvents(
    events.sort((a, b) => a.at - b.at),
    question,
    'own record',
  );
}

function eventOf({ call, result }: CallRow): KnownEvent {
  const error = result?.error ?? null;
  const topic = error === null ? undefined : topicOf[error.code];
  const isWrite = writeTools.has(call.tool) && result?.ok === true;
  const args = Object.entries(call.args).filter(([, value]) => value !== null);
  const { unit, device, tag } = call.args;
  return {
    at: Date.parse(`${localTime(Date.parse(call.meta.timestamp))}Z`),
    topics: [...(topic === undefined ? [] : [topic]), ...(isWrite ? (['write'] as const) : [])],
    device: typeof device === 'string' ? device : typeof tag === 'string' ? tag : null,
    unit: typeof unit === 'number' ? unit : null,
    text: `${call.tool} ${JSON.stringify(Object.fromEntries(args))} ${error === null ? (result === null ? '…' : 'ok') : error.code}`,
  };
}
