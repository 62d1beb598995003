import type { Database } from 'better-sqlite3';

// Append-only: a migration that has shipped is never edited, the next change is a new function at the end. The number of
// a migration is its place; `PRAGMA user_version` holds how many a file has seen.

export type Migration = (db: Database) => void;

export const recordMigrations: readonly Migration[] = [
  // 1: the chain, its head, and what is derived from it. The projections can be dropped and rebuilt at any time.
  (db) => {
    db.exec(`
      CREATE TABLE event (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, session TEXT, turn TEXT, call TEXT, kind TEXT NOT NULL,
        payload TEXT NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL
      ) STRICT;
      CREATE INDEX event_session ON event(session, seq) WHERE session IS NOT NULL;
      CREATE INDEX event_write ON event(call, seq) WHERE kind IN ('intent', 'write-step');
      CREATE INDEX event_retention ON event(seq) WHERE kind = 'retention';
      CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
      INSERT INTO head VALUES (1, 0, '${'0'.repeat(64)}');
      CREATE TABLE cut (to_seq INTEGER PRIMARY KEY, event_seq INTEGER NOT NULL) STRICT;

      CREATE TRIGGER event_append BEFORE INSERT ON event WHEN NEW.seq <= (SELECT max(seq) FROM event)
        BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
      CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
      CREATE TRIGGER event_no_delete BEFORE DELETE ON event WHEN NOT EXISTS (SELECT 1 FROM cut WHERE OLD.seq <= to_seq)
        BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;

      CREATE TABLE session (
        id TEXT PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT, title TEXT NOT NULL, door TEXT NOT NULL, operator TEXT NOT NULL,
        turns INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0, writes INTEGER NOT NULL DEFAULT 0, last_seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX session_recent ON session(last_seq);
      CREATE TABLE turn (
        id TEXT PRIMARY KEY, session TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, text TEXT NOT NULL, planner TEXT NOT NULL,
        answer TEXT, grounded INTEGER, calls INTEGER NOT NULL DEFAULT 0, seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX turn_session ON turn(session, seq);
      CREATE INDEX turn_open ON turn(seq) WHERE ended_at IS NULL;
      CREATE TABLE call (
        id TEXT PRIMARY KEY, session TEXT NOT NULL, turn TEXT, parent TEXT, tool TEXT NOT NULL, caller TEXT NOT NULL, at TEXT NOT NULL,
        state TEXT NOT NULL, ok INTEGER, error_code TEXT, duration_ms REAL, exit_code INTEGER, status_code INTEGER, crc_valid INTEGER,
        fallback TEXT, undoes TEXT, undone_by TEXT,
        call_seq INTEGER NOT NULL, intent_seq INTEGER, result_seq INTEGER, stopped_seq INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX call_session ON call(session, call_seq);
      CREATE INDEX call_open ON call(call_seq) WHERE state <> 'ended';
      CREATE TABLE write_item (
        call TEXT NOT NULL, item INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT,
        can_undo INTEGER NOT NULL, PRIMARY KEY (call, item)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX write_recent ON write_item(seq);
      CREATE INDEX write_unknown ON write_item(seq) WHERE state = 'unknown';
      CREATE TABLE approval (card TEXT PRIMARY KEY, call TEXT NOT NULL, asked_seq INTEGER NOT NULL, decided_seq INTEGER, approved INTEGER) STRICT, WITHOUT ROWID;
      CREATE INDEX approval_open ON approval(asked_seq) WHERE decided_seq IS NULL;
      CREATE VIRTUAL TABLE search USING fts5(terms, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');

      -- Every call as one row, for whoever opens the file with another program.
      CREATE VIEW calls AS SELECT c.id AS call_id, c.parent AS parent_call_id, c.session, c.turn, c.caller, c.tool,
        e.payload ->> '$.args' AS arguments, r.payload -> '$.result' AS result, c.state, c.ok, c.error_code, c.duration_ms, c.exit_code, c.status_code, c.crc_valid,
        c.fallback, c.undoes, c.undone_by, c.at
        FROM call c JOIN event e ON e.seq = c.call_seq LEFT JOIN event r ON r.seq = c.result_seq;

      CREATE TABLE snapshot (
        id TEXT PRIMARY KEY, session TEXT NOT NULL, turn TEXT NOT NULL, state TEXT NOT NULL, at TEXT NOT NULL, good INTEGER NOT NULL,
        content TEXT NOT NULL, digest TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX snapshot_turn ON snapshot(turn, id);
      CREATE TABLE snapshot_part (digest TEXT PRIMARY KEY, turn TEXT NOT NULL, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX snapshot_part_turn ON snapshot_part(turn);
    `);
  },
  // 2: parts of snapshots belong to their turn, so that dropping one turn leaves the parts of another.
  (db) => {
    db.exec(`
      DROP TABLE snapshot_part;
      DELETE FROM snapshot;
      CREATE TABLE snapshot_part (turn TEXT NOT NULL, digest TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (turn, digest)) STRICT, WITHOUT ROWID;
    `);
  },
];

export const historyMigrations: readonly Migration[] = [
  // 1: one row a sample, clustered by tag and time, which is how trends read them.
  (db) => {
    db.exec(`
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE sample (tag INTEGER NOT NULL, at INTEGER NOT NULL, value REAL, quality INTEGER NOT NULL, PRIMARY KEY (tag, at)) STRICT, WITHOUT ROWID;
    `);
  },
  // 2: minutes. Thirty days of one tag are 2.6 million samples, which take seconds to read, or 43,200 minutes.
  (db) => {
    db.exec(`
      CREATE TABLE minute (
        tag INTEGER NOT NULL, at INTEGER NOT NULL, min REAL, max REAL, sum REAL NOT NULL, count INTEGER NOT NULL, bad INTEGER NOT NULL, first REAL, last REAL,
        PRIMARY KEY (tag, at)
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE tag ADD COLUMN minutes_until INTEGER;
    `);
  },
];
