import type { TagConfig } from '../../shared/contracts/plant.ts';
import { formatInteger, formatNumber, unknownValue, visible } from './format.ts';
import type { Say } from './words.ts';

/** An engineering value with the tag's fixed decimals, so that the point stands still. */
export function formatValue(tag: Pick<TagConfig, 'decimals'>, value: number | boolean | string | null, say: Say): string {
  if (value === null) return unknownValue;
  if (typeof value === 'boolean') return say(value ? 'on' : 'off');
  if (typeof value === 'number') return formatNumber(value, tag.decimals);
  return /^-?\d{10,}$/.test(value) ? formatInteger(value) : visible(value);
}
