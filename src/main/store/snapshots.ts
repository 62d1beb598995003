import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { HandrailError } from '../../shared/errors.ts';
import type { NewSnapshot, Snapshot, SnapshotMark, SnapshotStore } from '../../shared/contracts/record.ts';
import type { Journal } from './journal.ts';
import { payloadText, readPayload } from './recordable.ts';

type Content = Omit<Snapshot, 'id' | 'at' | 'good' | 'messages' | 'calls'> & { messages: string[]; calls: string[] };
type Row = { id: string; at: string; good: number; content: string; digest: string };

/** Turns whose parts are remembered as stored already. */
const maxTurns = 16;

/**
 * Snapshots of the loop. A message or a call with its result is stored once a turn and named by its digest, so a long
 * transcript saved at every state costs a list of digests. Each snapshot leaves a mark in the chain: what is resumed
 * from is what was recorded, or it is refused.
 */
export function createSnapshots(deps: {
  db: Database;
  journal: Journal | null;
  ids: () => string;
  now: () => number;
  settle: () => void;
  locked: () => HandrailError;
}): SnapshotStore {
  const { db } = deps;
  const s = {
    addPart: db.prepare('INSERT INTO snapshot_part (turn, digest, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    part: db.prepare('SELECT text FROM snapshot_part WHERE turn = ? AND digest = ?').pluck(),
    add: db.prepare('INSERT INTO snapshot (id, session, turn, state, at, good, content, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    good: db.prepare('UPDATE snapshot SET good = 1 WHERE id = ?'),
    lastGood: db.prepare('SELECT id, at, good, content, digest FROM snapshot WHERE turn = ? AND good = 1 ORDER BY id DESC LIMIT 1'),
    latest: db.prepare('SELECT id, at, good, content, digest FROM snapshot WHERE turn = ? ORDER BY id DESC LIMIT 1'),
    unfinished: db.prepare('SELECT id, session, text FROM turn WHERE ended_at IS NULL ORDER BY seq'),
    drop: db.prepare('DELETE FROM snapshot WHERE turn = ?'),
    dropParts: db.prepare('DELETE FROM snapshot_part WHERE turn = ?'),
  };
  /** Raw digest of a part to the digest of its masked text, by turn. */
  const stored = new Map<string, Map<string, string>>();

  function writer(): Journal {
    if (deps.journal === null) throw deps.locked();
    return deps.journal;
  }

  function knownParts(turnId: string): Map<string, string> {
    let known = stored.get(turnId);
    if (known === undefined) {
      if (stored.size >= maxTurns) stored.delete(stored.keys().next().value!);
      known = new Map<string, string>();
      stored.set(turnId, known);
    }
    return known;
  }

  function partsOf(turnId: string, values: readonly unknown[]): { digests: string[]; fresh: { digest: string; text: string }[] } {
    const known = knownParts(turnId);
    const fresh: { digest: string; text: string }[] = [];
    const digests = values.map((value) => {
      const raw = hash('sha256', rawText(value), 'hex');
      const before = known.get(raw);
      if (before !== undefined) return before;
      const { text } = payloadText(value);
      const digest = hash('sha256', text, 'hex');
      known.set(raw, digest);
      fresh.push({ digest, text });
      return digest;
    });
    return { digests, fresh };
  }

  function load(row: Row | undefined): Snapshot | undefined {
    if (row === undefined) return undefined;
    if (hash('sha256', row.content, 'hex') !== row.digest) throw damaged(row.id);
    const content = readPayload(row.content) as Content;
    const part = <T>(digest: string): T => {
      const text = s.part.get(content.turnId, digest) as string | undefined;
      if (text === undefined || hash('sha256', text, 'hex') !== digest) throw damaged(row.id);
      return readPayload(text) as T;
    };
    return {
      ...content,
      id: row.id,
      at: row.at,
      good: row.good === 1,
      messages: content.messages.map((d) => part(d)),
      calls: content.calls.map((d) => part(d)),
    };
  }

  const read = (statement: { get(turnId: string): unknown }, turnId: string): Snapshot | undefined => {
    deps.settle();
    return load(statement.get(turnId) as Row | undefined);
  };

  return {
    save(snapshot: NewSnapshot): Snapshot {
      const journal = writer();
      const id = deps.ids();
      const at = new Date(deps.now()).toISOString();
      const { good, messages, calls, ...rest } = snapshot;
      const m = partsOf(snapshot.turnId, messages);
      const c = partsOf(snapshot.turnId, calls);
      const { text } = payloadText({ ...rest, messages: m.digests, calls: c.digests });
      const digest = hash('sha256', text, 'hex');
      const mark: SnapshotMark = {
        snapshot_id: id,
        state: snapshot.state,
        digest,
        tokens: snapshot.tokens,
        workspace_digest: snapshot.workspaceDigest,
      };
      journal.append({ kind: 'snapshot', session: snapshot.sessionId, turn: snapshot.turnId, payload: mark }, false);
      journal.alongside(() => {
        for (const part of [...m.fresh, ...c.fresh]) s.addPart.run(snapshot.turnId, part.digest, part.text);
        s.add.run(id, snapshot.sessionId, snapshot.turnId, snapshot.state, at, good ? 1 : 0, text, digest);
      });
      return { ...snapshot, id, at };
    },
    markGood(id) {
      writer().alongside(() => s.good.run(id));
    },
    lastGood: (turnId) => read(s.lastGood, turnId),
    latest: (turnId) => read(s.latest, turnId),
    unfinishedTurns() {
      deps.settle();
      const turns = s.unfinished.all() as { id: string; session: string; text: string }[];
      return turns.map(({ id, session, text }) => ({
        sessionId: session,
        turnId: id,
        text,
        snapshot: load(s.lastGood.get(id) as Row | undefined) ?? null,
      }));
    },
    drop(turnId) {
      stored.delete(turnId);
      writer().alongside(() => {
        s.drop.run(turnId);
        s.dropParts.run(turnId);
      });
    },
  };
}

function rawText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item)) ?? 'null';
}

function damaged(id: string): HandrailError {
  return new HandrailError('STORE_CORRUPT', { detail: { reason: `snapshot ${id} is not what was saved` } });
}
