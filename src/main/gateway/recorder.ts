import { asHandrailError, type HandrailError } from '../../shared/errors.ts';
import type { ApprovalItem, Armed } from '../../shared/contracts/approvals.ts';
import type { CallEnvelope } from '../../shared/contracts/calls.ts';
import {
  writeSteps,
  type EventKind,
  type EventPayloads,
  type NewEvent,
  type PlantWriteItem,
  type RecordStore,
} from '../../shared/contracts/record.ts';
import { recordable } from './recordable.ts';

export type RecordPort = Pick<RecordStore, 'append'>;

/** Makes an event of any kind: the payload is brought into the form a record can tell. */
function eventOf<K extends EventKind>(call: CallEnvelope | null, kind: K, payload: EventPayloads[K]): NewEvent {
  return {
    session: call?.session_id ?? null,
    turn: call?.turn_id ?? null,
    call: call?.call_id ?? null,
    kind,
    payload: recordable(payload),
  } as NewEvent;
}

/**
 * The gateway's pen. `must` waits for the disk and throws when the record cannot be written, and whoever calls it does
 * nothing then; `attempt` lets a read go on and gives the trouble, which the envelope then shows.
 */
export function createRecorder(record: RecordPort) {
  return {
    must<K extends EventKind>(call: CallEnvelope | null, kind: K, payload: EventPayloads[K]): void {
      record.append(eventOf(call, kind, payload), { durable: true });
    },
    attempt<K extends EventKind>(call: CallEnvelope | null, kind: K, payload: EventPayloads[K]): HandrailError | null {
      try {
        record.append(eventOf(call, kind, payload));
        return null;
      } catch (error) {
        return asHandrailError(error);
      }
    },
  };
}
export type Recorder = ReturnType<typeof createRecorder>;

/** Records armings and locks. An arming that cannot be recorded throws; a lock is never held up by the record. */
export function createArmingRecord(record: RecordPort) {
  const recorder = createRecorder(record);
  return {
    armed: (devices: Armed[]): void => recorder.must(null, 'armed', { devices }),
    locked: (why: string): void => void recorder.attempt(null, 'locked', { why }),
  };
}

export const intentItem = (item: ApprovalItem, canUndo: boolean): PlantWriteItem => ({ ...item, kind: 'plant', can_undo: canUndo });
export { writeSteps };
