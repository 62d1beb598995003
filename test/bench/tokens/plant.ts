/** A synthetic plant from a seed, and the tools of a fair classic agent over it: paged, filtered, aggregated on the server. */
export type Row = { at: number; value: number };
export const start = Date.UTC(2026, 0, 5, 8, 0, 0);
export const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

export function series(count: number, stepMs: number, shape: (i: number) => number, digits = 2): Row[] {
  return Array.from({ length: count }, (_, i) => ({ at: start + i * stepMs, value: round(shape(i), digits) }));
}

export const pageRows = 200;
export const shown = (rows: Row[]): { t: string; v: number }[] => rows.map((row) => ({ t: iso(row.at), v: row.value }));
export const asCsv = (rows: Row[]): string => ['t,v', ...rows.map((row) => `${iso(row.at)},${row.value}`)].join('\n');

export function pages(tag: string, rows: Row[], extra: object = {}): { name: string; args: object; result: unknown }[] {
  const count = Math.max(1, Math.ceil(rows.length / pageRows));
  return Array.from({ length: count }, (_, i) => ({
    name: 'trend',
    args: { tag, page: i + 1, ...extra },
    result: { rows: rows.slice(i * pageRows, (i + 1) * pageRows).map((row) => [iso(row.at), row.value]), page: i + 1, pages: count },
  }));
}

export const mean = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

export function buckets(rows: Row[], ms: number): { t: string; mean: number }[] {
  const groups = new Map<number, number[]>();
  for (const row of rows) {
    const key = start + Math.floor((row.at - start) / ms) * ms;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row.value]);
    else group.push(row.value);
  }
  return [...groups].map(([at, values]) => ({ t: iso(at), mean: round(mean(values), 3) }));
}
