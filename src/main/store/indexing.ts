import type { Database } from 'better-sqlite3';
import type { EventPayloads, RecordEvent } from '../../shared/contracts/record.ts';
import { indexTerms } from './searchTerms.ts';

/** Sessions whose seen call texts are remembered, and how many texts each. */
const maxSessions = 64;
const maxTexts = 5_000;

/**
 * Feeds the full-text index. What people and planners said is indexed whole. Of calls only the texts that are new in
 * their session are: a thousand reads of one tag are one entry, and 20,000 events a second stay possible.
 */
export function createIndexing(db: Database): { add(event: RecordEvent, payload: unknown): void; clear(): void } {
  const insert = db.prepare('INSERT INTO search (rowid, terms) VALUES (?, ?)');
  const seen = new Map<string, Set<string>>();

  function fresh(session: string, texts: string[]): string[] {
    let known = seen.get(session);
    if (known === undefined) {
      if (seen.size >= maxSessions) seen.delete(seen.keys().next().value!);
      seen.set(session, (known = new Set()));
    }
    if (known.size > maxTexts) known.clear();
    return texts.filter((text) => !known.has(text) && known.add(text));
  }

  function add(event: RecordEvent, payload: unknown): void {
    const said = spokenText(event, payload);
    const text = said ?? (event.session === null ? '' : fresh(event.session, callTexts(event, payload)).join(' | '));
    const terms = text === '' ? '' : indexTerms(text);
    if (terms !== '') insert.run(event.seq, terms);
  }

  return {
    add,
    clear() {
      seen.clear();
      db.exec(`INSERT INTO search (search) VALUES ('delete-all')`);
    },
  };
}

/** What a person or a planner said in an event; null for the other kinds. */
export function spokenText(event: Pick<RecordEvent, 'kind'>, payload: unknown): string | null {
  if (event.kind === 'session-started') return (payload as EventPayloads['session-started']).title;
  if (event.kind === 'turn-started') return (payload as EventPayloads['turn-started']).text;
  if (event.kind === 'turn-ended') return (payload as EventPayloads['turn-ended']).answer;
  if (event.kind === 'note') return (payload as EventPayloads['note']).text;
  return null;
}

/** Tool, texts of the arguments and error codes: what one looks for among calls. */
export function callTexts(event: Pick<RecordEvent, 'kind'>, payload: unknown): string[] {
  if (event.kind === 'call') {
    const call = payload as EventPayloads['call'];
    const texts = [call.tool];
    collectStrings(call.args, texts, 0);
    return texts;
  }
  if (event.kind === 'result') {
    const { error } = payload as EventPayloads['result'];
    return error === null ? [] : [error.code, error.message];
  }
  return [];
}

function collectStrings(value: unknown, into: string[], depth: number): void {
  if (into.length >= 200 || depth > 6) return;
  if (typeof value === 'string') {
    if (value.length <= 2_000) into.push(value);
  } else if (Array.isArray(value)) for (const item of value) collectStrings(item, into, depth + 1);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collectStrings(item, into, depth + 1);
}
