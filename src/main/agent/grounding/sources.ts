import type { Answered } from '../turn.ts';
import { statedNumbers } from './numbers.ts';

/** A number that a result of the turn holds, and where. */
export type SourceNumber = { value: number; unit: string | null; source: string; kind: 'sourced' | 'old' | 'computed'; ageMs?: number };
/** Date and time texts of the results, in UTC and in local time. */
export type Sources = { numbers: SourceNumber[]; stamps: { text: string; source: string }[] };

const MAX_NUMBERS = 20_000;

/** Everything the turn's results (and the arguments that were asked with) can vouch for. */
export function sourcesOf(answered: readonly Answered[]): Sources {
  const sources: Sources = { numbers: [], stamps: [] };
  answered.forEach(({ planned, call, result }, i) => {
    const source = `${call.tool}#${i + 1}`;
    const old = result.meta.fallback !== null;
    const kind = old ? 'old' : call.tool === 'execute' ? 'computed' : 'sourced';
    const ageMs = result.meta.fallback?.age_ms ?? undefined;
    if (result.ok) walk(result.result, { source, kind, unit: null, ageMs }, sources);
    else if (result.error !== null)
      collectText(`${result.error.message} ${result.error.advice}`, { source, kind: 'sourced', unit: null }, sources);
    // What was asked for may be named again ("registers 0 to 9"), but it is no reading.
    walk(planned.args, { source: `${source}.args`, kind: 'sourced', unit: null }, sources);
    if (typeof planned.args['address'] === 'number' && typeof planned.args['count'] === 'number')
      addNumber(planned.args['address'] + planned.args['count'] - 1, { source: `${source}.args`, kind: 'sourced', unit: null }, sources);
  });
  return sources;
}

type About = { source: string; kind: SourceNumber['kind']; unit: string | null; ageMs?: number };

function walk(value: unknown, about: About, sources: Sources): void {
  if (sources.numbers.length > MAX_NUMBERS) return;
  if (typeof value === 'number') return addNumber(value, about, sources);
  if (typeof value === 'bigint') return addNumber(Number(value), about, sources);
  if (typeof value === 'string') return collectText(value, about, sources);
  if (Array.isArray(value)) {
    addNumber(value.length, { ...about, kind: about.kind === 'sourced' ? 'computed' : about.kind, unit: null }, sources);
    value.forEach((item) => walk(item, about, sources));
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const object = value as Record<string, unknown>;
  const unit = typeof object['unit'] === 'string' && object['unit'] !== '' ? object['unit'] : about.unit;
  const quality = object['quality'];
  const old = quality === 'stale' || quality === 'bad';
  const tag = typeof object['tag'] === 'string' ? `:${object['tag']}` : '';
  for (const [key, inner] of Object.entries(object)) {
    const measured =
      key === 'value' ||
      key === 'before' ||
      key === 'after' ||
      key === 'now' ||
      key === 'min' ||
      key === 'max' ||
      key === 'avg' ||
      key === 'values';
    walk(
      inner,
      {
        ...about,
        source: about.source + tag,
        unit: measured || about.unit !== null ? unit : null,
        kind: old && measured ? 'old' : about.kind,
      },
      sources,
    );
  }
}

function addNumber(value: number, about: About, sources: Sources): void {
  if (Number.isFinite(value))
    sources.numbers.push({
      value,
      unit: about.unit,
      source: about.source,
      kind: about.kind,
      ...(about.ageMs === undefined ? {} : { ageMs: about.ageMs }),
    });
}

function collectText(text: string, about: About, sources: Sources): void {
  if (/\d{4}-\d\d-\d\d/.test(text) || /\d\d:\d\d/.test(text))
    sources.stamps.push({ text: `${text} ${localStamp(text)}`, source: about.source });
  if (text.length > 20_000) return;
  for (const n of statedNumbers(text)) if (n.kind === 'value') addNumber(n.value, { ...about, unit: n.unit ?? about.unit }, sources);
}

/** The same moment on the plant's clock, for an ISO time in UTC. */
function localStamp(text: string): string {
  const iso = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/.exec(text)?.[0];
  if (iso === undefined) return '';
  const d = new Date(iso);
  const p = (n: number): string => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${p(d.getMonth() + 1)}-${p(d.getDate())}T${p(d.getHours())}:${p(d.getMinutes())}:${p(d.getSeconds())}`;
}
