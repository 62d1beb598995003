import type { ToolDeps } from './deps.ts';

const dayMs = 86_400_000;
/** What a query gets at most; a longer past is asked for with `aggregate` or `trend`. */
export const tableLimits = { spanMs: dayMs, readings: 200_000, calls: 20_000 };

type Cell = string | number | boolean | null;
type Deps = Pick<ToolDeps, 'plant' | 'history' | 'clock' | 'record'>;

/**
 * The plant's own data as tables of a query, for those that it names: `readings(ts, tag, v, quality)` of the last 24 hours and
 * `calls(ts, tool, caller, ok, error, duration_ms)` of the record. As CSV: the engine is shut to everything else.
 */
export function plantTables(deps: Deps, sql: string): { name: string; bytes: Uint8Array }[] {
  const names = (table: string): boolean => new RegExp(`\\b${table}\\b`, 'i').test(sql);
  return [...(names('readings') ? [csv('readings', readings(deps))] : []), ...(names('calls') ? [csv('calls', calls(deps))] : [])];
}

function* readings({ plant, history, clock }: Deps): Generator<readonly Cell[]> {
  yield ['ts', 'tag', 'v', 'quality'];
  const to = clock.now() + 1;
  const { tags } = plant.file;
  const each = Math.floor(tableLimits.readings / Math.max(1, tags.length));
  for (const { id } of tags) {
    for (const sample of history.read(id, to - tableLimits.spanMs, to, each)) yield [stamp(sample.at), id, sample.value, sample.quality];
  }
}

function* calls({ record }: Deps): Generator<readonly Cell[]> {
  yield ['ts', 'tool', 'caller', 'ok', 'error', 'duration_ms'];
  let left = tableLimits.calls;
  for (const session of record.sessions({ limit: 1000 })) {
    for (const { call, result } of record.calls(session.id)) {
      if (left-- <= 0) return;
      yield [
        stamp(Date.parse(call.meta.timestamp)),
        call.tool,
        call.meta.caller,
        result?.ok ?? null,
        result?.error?.code ?? null,
        result?.meta.duration_ms ?? null,
      ];
    }
  }
}

function csv(table: string, rows: Iterable<readonly Cell[]>): { name: string; bytes: Uint8Array } {
  const lines: string[] = [];
  for (const row of rows) lines.push(row.map(cell).join(','));
  return { name: `${table}.csv`, bytes: new TextEncoder().encode(`${lines.join('\n')}\n`) };
}

/** An empty cell is NULL: a bad sample has no value, never zero. */
function cell(value: Cell): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Local plant time, as the answers show it. */
function stamp(at: number): string {
  const d = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, '0')}`;
}
