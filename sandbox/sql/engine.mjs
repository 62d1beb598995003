/**
 * One SQL program in DuckDB, alone in this process. Given files become tables first; then outside access is shut and the
 * configuration locked, and only then the program is read.
 */
import { readSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, JsonDuckDBValueConverter, StatementType } from '@duckdb/node-api';

const config = JSON.parse(process.argv[2]);
const IN = 3;
const OUT = 4;
let mark = '';

/** By the engine's own judgement of a statement, not by its text. */
const allowed = new Map([
  [StatementType.SELECT, 'SELECT'],
  [StatementType.EXPLAIN, 'EXPLAIN'],
  [StatementType.RELATION, 'FROM'],
]);
/** Settings that the engine's own lock leaves open, such as profiling: refused whether or not the list above is asked. */
const locked = new Set([StatementType.PRAGMA, StatementType.SET, StatementType.CALL]);
const typeName = (type) => Object.entries(StatementType).find(([, value]) => value === type)?.[0] ?? String(type);

function send(message) {
  const bytes = Buffer.from(`\n${mark} ${JSON.stringify(message)}\n`);
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(OUT, bytes, from);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function receive() {
  const parts = [];
  const chunk = Buffer.alloc(1 << 18);
  for (;;) {
    let count = 0;
    try {
      count = readSync(IN, chunk, 0, chunk.length, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
    }
    if (count === 0) process.exit(90);
    parts.push(Buffer.from(chunk.subarray(0, count)));
    if (chunk[count - 1] === 10) return JSON.parse(Buffer.concat(parts).toString('utf8'));
  }
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const readers = {
  csv: 'read_csv',
  tsv: 'read_csv',
  txt: 'read_csv',
  json: 'read_json',
  jsonl: 'read_json',
  ndjson: 'read_json',
  parquet: 'read_parquet',
};

/** Each file is a table under its own name without the ending; null when it is no table, so that a log in another shape spoils nothing. */
async function load(connection, inputs) {
  const notes = [];
  for (const { name, base64 } of inputs) {
    const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
    const table = name.replace(/\.[^.]+$/, '');
    const reader = readers[ending];
    if (reader === undefined) {
      notes.push(`${name} is no table (csv, json or parquet) and was left out`);
      continue;
    }
    const path = join(config.work, `input.${ending}`);
    writeFileSync(path, Buffer.from(base64, 'base64'));
    try {
      await connection.run(`CREATE TABLE ${quoted(table)} AS FROM ${reader}('${path}')`);
    } catch (error) {
      notes.push(`${name} could not be read as a table: ${firstLine(error.message)}`);
    }
    unlinkSync(path);
  }
  return notes;
}

/** Error texts of the engine can name folders of the machine. */
const firstLine = (message) =>
  String(message)
    .split('\n')[0]
    .replace(/(?:\/[\w.@+-]+){2,}\/?/g, '(path)');

function explain(error, code) {
  const message = String(error?.message ?? error);
  const line = Number(/LINE (\d+):/.exec(message)?.[1] ?? 1);
  const did = /Did you mean "([^"]+)"|Candidate bindings?: "?([^"\n]+)"?/.exec(message);
  const hint = did && !firstLine(message).includes(did[0]) ? ` ${did[0]}` : '';
  const [name, ...rest] = firstLine(message).split(': ');
  const known = /^[A-Z]\w+( \w+)? Error$/.test(name);
  void code;
  return {
    name: known ? name.replaceAll(' ', '') : 'SqlError',
    message: ((known ? rest.join(': ') : firstLine(message)) + hint).slice(0, 400),
    trace: [{ line, in: 'sql' }],
  };
}

/** Whole numbers that JSON keeps exactly are numbers; what it would round stays text. */
function exact(value, typeText) {
  if (typeof value !== 'string') return value;
  if (/^(U?BIGINT|U?HUGEINT|U?INTEGER)$/.test(typeText) || /^DECIMAL/.test(typeText)) {
    const number = Number(value);
    if (Number.isSafeInteger(number) || (/^DECIMAL/.test(typeText) && value.replace(/[-.]/g, '').replace(/^0+/, '').length <= 15))
      return number;
  }
  return value;
}

async function rowsOf(statement) {
  const result = await statement.stream();
  const columns = result.columnNames();
  const types = result.columnTypes().map(String);
  const rows = [];
  let total = 0;
  let chars = 0;
  let known = true;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    if (rows.length < config.rows && chars < config.resultChars) {
      for (const row of chunk.convertRows(JsonDuckDBValueConverter)) {
        if (rows.length >= config.rows) break;
        const cells = row.map((value, i) => exact(value, types[i]));
        chars += JSON.stringify(cells).length;
        if (chars > config.resultChars) throw { limit: `the rows take more than ${config.resultChars} characters` };
        rows.push(cells);
      }
    }
    total += chunk.rowCount;
    if (total > config.countRows) {
      known = false;
      break;
    }
  }
  const notes = known ? [] : [`The rows were cut at ${rows.length}; there are more than ${config.countRows}, not counted to the end.`];
  return {
    kind: 'result',
    notes,
    output: {
      type: 'table',
      data: { columns, rows, total_rows: known ? total : null },
      truncated: known && total > rows.length ? { shown: rows.length, total } : null,
    },
  };
}

async function run(connection, request) {
  const bare = request.code.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').replace(/[\s;]+/g, '');
  if (bare === '') return { kind: 'result', output: null, notes: [] }; // the engine fails on a text without a statement
  const extracted = await connection.extractStatements(request.code);
  const hasCreate = /create/i.test(request.code); // without the word a CREATE is the engine's own: PIVOT makes itself a type first
  let last;
  for (let i = 0; i < extracted.count; i++) {
    const statement = await extracted.prepare(i);
    const isOwn = statement.statementType === StatementType.CREATE && !hasCreate;
    if (request.check && !allowed.has(statement.statementType) && !isOwn) {
      const what = `${typeName(statement.statementType)} is not allowed; SELECT, WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW and EXPLAIN are`;
      return { kind: 'rejected', violations: [{ line: lineOf(request.code, i), what }] };
    }
    if (locked.has(statement.statementType)) throw new Error(`Permission Error: ${typeName(statement.statementType)} is not possible here`);
    last = i === extracted.count - 1 ? await rowsOf(statement) : await statement.run();
  }
  return last;
}

/** The line on which the n-th statement begins, for a message; texts and comments with a semicolon may shift it. */
function lineOf(code, n) {
  let at = 0;
  for (let i = 0; i < n; i++) at = Math.max(at, code.indexOf(';', at) + 1);
  const skipped = /^\s*/.exec(code.slice(at))[0].length;
  return code.slice(0, at + skipped).split('\n').length;
}

const instance = await DuckDBInstance.create(':memory:', {
  memory_limit: `${config.memoryMb}MB`,
  threads: '2',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  temp_directory: '',
  max_temp_directory_size: '0MB',
});
const connection = await instance.connect();
await connection.run('SELECT 1');
send({ kind: 'ready' });
const request = receive();
mark = request.mark;
let report;
let notes = [];
try {
  notes = await load(connection, request.inputs);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  send({ kind: 'started' });
  report = await run(connection, request);
} catch (error) {
  if (error?.limit !== undefined) report = { kind: 'limit', message: error.limit };
  else if (/out of memory|bad_alloc|failed to allocate|could not allocate/i.test(String(error?.message)))
    report = { kind: 'memory', message: 'The query took more memory than it may.' };
  else report = { kind: 'error', error: explain(error, request.code) };
}
report.notes = [...notes, ...(report.notes ?? [])];
send(report);
try {
  readSync(IN, Buffer.alloc(1), 0, 1, null);
} catch {
  /* the other side is gone */
}
process.exit(0);
