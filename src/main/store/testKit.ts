import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallEnvelope, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { Intent, PlantWriteItem, RecordStore, TurnEnded } from '../../shared/contracts/record.ts';
import { openStore, type Store, type StoreOptions } from './openStore.ts';

// For tests: real database files in a fresh folder, a clock that moves on by a millisecond at every look, ids that count.

export type Bench = { folder: string; open(options?: Partial<StoreOptions>): Store; end(): void; clock: { now(): number; at: number } };

export function createBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-store-'));
  const stores: Store[] = [];
  const clock = { at: Date.parse('2026-11-30T08:00:00.000Z'), now: () => clock.at++ };
  let id = 0;
  return {
    folder,
    clock,
    open(options = {}) {
      const store = openStore({ folder, clock, ids: () => `id-${String(++id).padStart(6, '0')}`, lang: 'en', ...options });
      stores.push(store);
      return store;
    },
    end() {
      for (const store of stores) store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function call(id: string, more: Partial<CallEnvelope> = {}): CallEnvelope {
  return {
    call_id: id,
    parent_call_id: null,
    session_id: 's1',
    turn_id: 't1',
    tool: 'tag_read',
    args: { tags: ['TI-101'] },
    depends_on: [],
    expected_output_schema: null,
    timeout_ms: 3000,
    meta: { timestamp: '2026-11-30T08:00:00.000Z', caller: 'agent:builtin' },
    ...more,
  };
}

export function result(id: string, value: unknown = { ok: 1 }, more: Partial<ResultEnvelope> = {}): ResultEnvelope {
  return {
    call_id: id,
    ok: true,
    result: value,
    error: null,
    meta: {
      timestamp: '2026-11-30T08:00:00.000Z',
      duration_ms: 12,
      exit_code: null,
      status_code: null,
      crc_valid: true,
      truncated: false,
      fallback: null,
      attempts: 1,
      cached: false,
    },
    ...more,
  };
}

export function startSession(record: RecordStore, session = 's1', text = '读取电机温度'): void {
  record.append({ kind: 'session-started', session, payload: { door: 'cli', operator: 'wang', title: '' } });
  record.append({ kind: 'turn-started', session, turn: session.replace('s', 't'), payload: { text, planner: 'builtin' } });
}

export function recordCall(record: RecordStore, id: string, value?: unknown, session = 's1'): void {
  record.append({ kind: 'call', session, turn: session.replace('s', 't'), call: id, payload: call(id, { session_id: session }) });
  record.append({ kind: 'result', session, turn: session.replace('s', 't'), call: id, payload: result(id, value) });
}

export function plantItem(more: Partial<PlantWriteItem> = {}): PlantWriteItem {
  return {
    kind: 'plant',
    can_undo: true,
    tag: 'SP-1',
    label: { en: 'Setpoint', zh: '设定值' },
    device: 'd1',
    connection: 'c1',
    unitId: 1,
    table: 'holding',
    address: 40,
    reference: '40041',
    now: 40,
    after: 45,
    unit: '°C',
    direction: 'raises',
    range: { min: 0, max: 100, maxStep: null },
    raw: { before: [400], after: [450] },
    functionCode: 6,
    undo: { en: 'writes 40', zh: '写回 40' },
    ...more,
  };
}

export function intent(id: string, undoes: string | null = null, items = [plantItem()]): Intent {
  return { call_id: id, undoes, consent: null, items };
}

export function ended(turn_id: string, session_id: string): TurnEnded {
  return {
    turn_id,
    session_id,
    answer: 'ok',
    grounded: true,
    needs_clarification: false,
    clarification: null,
    marks: [],
    states: [],
    calls: [],
    tokens: { sent: 0, received: 0, classic: null },
    shows: [],
    error: null,
    notice: null,
    diagnosis: null,
    planner: 'builtin',
    taint: [],
  };
}
