import type { Answered } from '../turn.ts';
import { statedNumbers } from './numbers.ts';

/** A number that a result of the turn holds, and where. */
export type SourceNumber = {
  value: number;
  unit: string | null;
  source: string;
  kind: 'sourced' | 'old' | 'computed';
  ageMs?: number;
  /** The tag it was read of, where the result says so. */
  tag: string | null;
  /** False for addresses, counts, lengths and the like, and for what was asked for: they cannot vouch for a measured value. */
  measured: boolean;
};
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
    const about: About = { source, kind: 'sourced', unit: null, tag: null, measured: true };
    if (result.ok) walk(result.result, { ...about, kind, ageMs }, sources);
    else if (result.error !== null) collectText(`${result.error.message} ${result.error.advice}`, about, sources);
    // What was asked for may be named again ("registers 0 to 9"), but it is no reading.
    const asked: About = { ...about, source: `${source}.args`, measured: false };
    walk(planned.args, asked, sources);
    if (typeof planned.args['address'] === 'number' && typeof planned.args['count'] === 'number')
      addNumber(planned.args['address'] + planned.args['count'] - 1, asked, sources);
  });
  return sources;
}

type About = Omit<SourceNumber, 'value'>;

/** Keys of numbers that place or count something. */
const placing =
  /^(count|address|unit|unit_?id|port|tcp_port|baud|index|row|offset|length|size|seq|n|attempts|samples|episodes|id|.*_id|.*_ms|.*Ms|ms)$/i;
const measuredKeys: ReadonlySet<string> = new Set(['value', 'before', 'after', 'now', 'min', 'max', 'avg', 'values']);

function walk(value: unknown, about: About, sources: Sources): void {
  if (sources.numbers.length > MAX_NUMBERS) return;
  if (typeof value === 'number') return addNumber(value, about, sources);
  if (typeof value === 'bigint') return addNumber(Number(value), about, sources);
  if (typeof value === 'string') return collectText(value, about, sources);
  if (Array.isArray(value)) {
    addNumber(value.length, { ...about, kind: about.kind === 'sourced' ? 'computed' : about.kind, unit: null, measured: false }, sources);
    value.forEach((item) => walk(item, about, sources));
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const object = value as Record<string, unknown>;
  const own = typeof object['unit'] === 'string' && object['unit'] !== '' ? object['unit'] : null;
  const unit = own ?? about.unit;
  const quality = object['quality'];
  const old = quality === 'stale' || quality === 'bad';
  const tag = typeof object['tag'] === 'string' ? object['tag'] : about.tag;
  const source = typeof object['tag'] === 'string' ? `${about.source}:${object['tag']}` : about.source;
  for (const [key, inner] of Object.entries(object)) {
    const reading = measuredKeys.has(key);
    walk(
      inner,
      {
        ...about,
        source,
        tag,
        unit: reading || about.unit !== null ? unit : null,
        kind: old && reading ? 'old' : about.kind,
        // Beside a reading with its unit, other numbers are not of that unit.
        measured: about.measured && !placing.test(key) && (reading || own === null),
      },
      sources,
    );
  }
}

function addNumber(value: number, about: About, sources: Sources): void {
  if (Number.isFinite(value)) sources.numbers.push({ ...about, value });
}

function collectText(text: string, about: About, sources: Sources): void {
  if (/\d{4}-\d\d-\d\d/.test(text) || /\d\d:\d\d/.test(text))
    sources.stamps.push({ text: `${text.replace(/[+-]\d\d:?\d\d\b(?=$|\s)/g, ' ')} ${localStamp(text)}`, source: about.source });
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
