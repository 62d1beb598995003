export type Decimal = '.' | ',';

/** A number as plant systems print it, or null. Nothing is guessed from a part: "12abc" and "12:30" are no numbers. */
export function parseNumber(text: string, decimal: Decimal): number | null {
  let t = text.trim().replace(/[\u00a0\u202f]/g, '');
  if (t === '') return null;
  if (decimal === ',') {
    if (/^[-+]?\d{1,3}(\.\d{3})+(,\d+)?$/.test(t)) t = t.replace(/\./g, '');
    t = t.replace(',', '.');
  } else if (/^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(t)) t = t.replace(/,/g, '');
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(t) ? Number(t) : null;
}

/** Texts by which systems say "no value here": a gap, not a zero and not damage. */
export const isMissing = (text: string): boolean => /^(|-+|n\/?a|nan|null|none|#n\/a|bad|invalid|无效?|--\.-+|\?+)$/i.test(text.trim());
