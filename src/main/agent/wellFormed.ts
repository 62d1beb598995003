const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Half a surrogate pair, as a cut stream leaves it, becomes U+FFFD. */
export function wellFormedText(text: string): string {
  return text.replace(loneSurrogate, '\ufffd');
}

/** The record takes canonical JSON only, and a model may print anything: numbers that JSON cannot carry become their text. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return carried(value);
  if (Array.isArray(value)) return value.map((v) => wellFormed(v ?? null));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as Record<string, unknown>).filter(([, v]) => v !== undefined && typeof v !== 'function');
  return Object.fromEntries(entries.map(([k, v]) => [wellFormedText(k), wellFormed(v)]));
}

function carried(value: number): number | string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return String(value);
  return Object.is(value, -0) ? 0 : value;
}
