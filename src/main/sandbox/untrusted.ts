/** Reads what a program delivered. Everything is checked: shape, depth, size and text; what does not fit is refused, not mended. */
import type { RunOutput, RunResult } from '../../shared/contracts/sandbox.ts';
import { runLimits } from './limits.ts';
import { readable } from './text.ts';

const MAX_DEPTH = 70;
const MAX_NODES = 400_000;

export class UntrustedError extends Error {}
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

/** A copy in plain objects without a prototype to pollute, with every text well-formed. */
export function clean(value: unknown): Json {
  let nodes = 0;
  const copy = (part: unknown, depth: number): Json => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new UntrustedError('it has too many parts');
    if (depth > MAX_DEPTH) throw new UntrustedError('it is nested too deeply');
    if (part === null || typeof part === 'boolean') return part;
    if (typeof part === 'number') {
      if (!Number.isFinite(part)) throw new UntrustedError('a number is not finite');
      return part;
    }
    if (typeof part === 'string') return readable(part);
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1));
    if (typeof part === 'object') {
      const out = Object.create(null) as Fields;
      for (const [key, item] of Object.entries(part)) out[readable(key)] = copy(item, depth + 1);
      return out;
    }
    throw new UntrustedError('it holds something that is not JSON');
  };
  return copy(value, 0);
}

const isFields = (value: Json | undefined): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: Json | undefined, most: number): string => (typeof value === 'string' ? value.slice(0, most).toWellFormed() : '');
const count = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

export type Report =
  | { kind: 'result'; output: RunOutput | null; notes: string[] }
  | { kind: 'error'; error: NonNullable<RunResult['error']> }
  | { kind: 'rejected'; violations: RunResult['violations'] }
  | { kind: 'exit' | 'shell'; code: number }
  | { kind: 'limit' | 'memory'; message: string };

/** A text of JSON, or nothing that a switch could mistake for one. */
const word = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export function readReport(json: string): { report: Report; files: RunResult['files'] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new UntrustedError('it is not JSON');
  }
  const fields = clean(parsed);
  if (!isFields(fields)) throw new UntrustedError('it is not an object');
  return { report: readKind(fields), files: readFiles(fields['files']) };
}

function readKind(fields: Fields): Report {
  switch (word(fields['kind'])) {
    case 'result':
      return { kind: 'result', output: readOutput(fields['output']), notes: readTexts(fields['notes']) };
    case 'error':
      return { kind: 'error', error: readError(fields['error']) };
    case 'rejected':
      return { kind: 'rejected', violations: readViolations(fields['violations']) };
    case 'exit':
      return { kind: 'exit', code: count(fields['code']) ?? 1 };
    case 'shell':
      return { kind: 'shell', code: count(fields['exit']) ?? 1 };
    case 'limit':
    case 'memory':
      return { kind: fields['kind'] === 'limit' ? 'limit' : 'memory', message: text(fields['message'], 300) };
    default:
      throw new UntrustedError('it has no known kind');
  }
}

const readTexts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.slice(0, 10).map((note) => text(note, 200)) : []);

function readError(value: Json | undefined): NonNullable<RunResult['error']> {
  const fields = isFields(value) ? value : {};
  const trace = Array.isArray(fields['trace']) ? fields['trace'].slice(0, 8).filter(isFields) : [];
  return {
    name: text(fields['name'], 80) || 'Error',
    message: text(fields['message'], 400),
    trace: trace.map((step) => ({ line: count(step['line']) ?? 0, in: text(step['in'], 80) })),
  };
}

function readViolations(value: Json | undefined): RunResult['violations'] {
  return (Array.isArray(value) ? value.slice(0, 10) : [])
    .filter(isFields)
    .map((v) => ({ line: count(v['line']) ?? 0, what: text(v['what'], 300) }));
}

function readFiles(value: Json | undefined): RunResult['files'] {
  return (Array.isArray(value) ? value.slice(0, 200) : [])
    .filter(isFields)
    .map((f) => ({ name: text(f['name'], 255), size: count(f['size']) ?? -1, sha256: text(f['sha256'], 64) }))
    .filter((f) => f.name !== '' && f.size >= 0 && /^[0-9a-f]{64}$/.test(f.sha256));
}

function readOutput(value: Json | undefined): RunOutput | null {
  if (value === null || value === undefined) return null;
  if (!isFields(value)) throw new UntrustedError('the output is not an object');
  const data = value['data'];
  switch (word(value['type'])) {
    case 'table':
      return readTable(data, value['truncated']);
    case 'image':
      return readImage(data);
    case 'text': {
      if (typeof data !== 'string') throw new UntrustedError('a text is not text');
      return { type: 'text', data, summary: `text of ${data.length} characters`, truncated: null };
    }
    case 'json':
      return { type: 'json', data: data ?? null, summary: summaryOf(data), truncated: null };
    default:
      throw new UntrustedError('the output has no known type');
  }
}

function summaryOf(data: Json | undefined): string {
  if (Array.isArray(data)) return `list of ${data.length}`;
  if (isFields(data)) return `object with ${Object.keys(data).slice(0, 8).join(', ').slice(0, 120)}`;
  return `${data === null || data === undefined ? 'nothing' : typeof data} ${String(data)}`.slice(0, 80);
}

function readTable(data: Json | undefined, cut: Json | undefined): RunOutput {
  if (!isFields(data) || !Array.isArray(data['columns']) || !Array.isArray(data['rows']))
    throw new UntrustedError('a table lacks columns or rows');
  const columns = data['columns'].map((name) => text(name, 200));
  const rows = data['rows'].map((row) => {
    if (!Array.isArray(row) || row.length !== columns.length) throw new UntrustedError('a row does not fit the columns');
    return row;
  });
  const total = count(data['total_rows']);
  if (total !== null && total < rows.length) throw new UntrustedError('a table has more rows than it says');
  const shown = isFields(cut) && total !== null ? { shown: rows.length, total } : null;
  const words = `${total ?? `${rows.length} and more`} rows × ${columns.length} columns: ${columns.join(', ').slice(0, 120)}`;
  const partly = total === null || total > rows.length ? ` (first ${rows.length} shown)` : '';
  return { type: 'table', data: { columns, rows, total_rows: total }, summary: words + partly, truncated: shown };
}

function readImage(data: Json | undefined): RunOutput {
  if (!isFields(data) || data['mime'] !== 'image/png' || typeof data['base64'] !== 'string')
    throw new UntrustedError('a picture is not a PNG');
  const base64 = data['base64'];
  if (base64.length > runLimits.imageChars || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw new UntrustedError('a picture is too big or not base64');
  const head = Buffer.from(base64.slice(0, 44), 'base64');
  if (head.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n' || head.length < 24)
    throw new UntrustedError('a picture is not a PNG');
  const summary = `picture of ${head.readUInt32BE(16)} × ${head.readUInt32BE(20)} pixels, ${Math.ceil((base64.length * 3) / 4096)} KB`;
  return { type: 'image', data: { mime: 'image/png', base64 }, summary, truncated: null };
}
