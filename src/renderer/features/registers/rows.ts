import type { PlantFile, TagConfig } from '../../../shared/contracts/plant.ts';
import type { Shown } from '../../client/quality.ts';
import { outsideNormal } from '../../client/quality.ts';
import { toReference } from '../../../shared/modbus/addresses.ts';

export type SortKey = 'plant' | 'tag' | 'value' | 'quality' | 'address';
export type Sort = { key: SortKey; down: boolean };
export type Filter = { notNormal: boolean; writable: boolean; changed: boolean; device: string | null; text: string };
export const noFilter: Filter = { notNormal: false, writable: false, changed: false, device: null, text: '' };
export const changedWithinMs = 5 * 60_000;

const severity: Record<Shown['state'], number> = { bad: 3, stale: 2, uncertain: 1, none: 0, good: 0 };

/** Whether a person should look at a tag: no value, an old or doubtful one, or one outside its normal range. */
export function isNotNormal(tag: TagConfig, shown: Shown): boolean {
  if (shown.state === 'none') return false;
  if (shown.state !== 'good') return true;
  return outsideNormal(tag, shown.reading.value) !== null;
}

export function matches(tag: TagConfig, shown: Shown, filter: Filter, now: number): boolean {
  if (filter.device !== null && tag.device !== filter.device) return false;
  if (filter.writable && !tag.write.allowed) return false;
  if (filter.notNormal && !isNotNormal(tag, shown)) return false;
  if (filter.changed && (shown.state === 'none' || now - shown.reading.changedAt > changedWithinMs)) return false;
  return filter.text === '' || matchesText(tag, filter.text);
}

export function matchesText(tag: TagConfig, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (toReference(tag.table, tag.address) === wanted) return true;
  return [tag.id, tag.device, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh].some((name) =>
    name.toLowerCase().includes(wanted),
  );
}

/** The next sort when a head is pressed: up, down, then back to the order of the plant file. */
export function nextSort(now: Sort, key: SortKey): Sort {
  if (now.key !== key) return { key, down: false };
  return now.down ? { key: 'plant', down: false } : { key, down: true };
}

/** Order of tags for a sort, from the values of the moment it was pressed: rows never jump by themselves afterwards. */
export function sortedTags(plant: PlantFile, sort: Sort, lang: 'zh' | 'en', shownOf: (tag: TagConfig) => Shown): TagConfig[] {
  const sign = sort.down ? -1 : 1;
  const value = (tag: TagConfig): number => {
    const shown = shownOf(tag);
    const raw = shown.state === 'none' || shown.state === 'bad' ? null : shown.reading.value;
    return typeof raw === 'number' ? raw : typeof raw === 'boolean' ? Number(raw) : Number.NEGATIVE_INFINITY;
  };
  const unit = new Map(plant.devices.map((device) => [device.id, device.unitId]));
  const by: Record<SortKey, (a: TagConfig, b: TagConfig) => number> = {
    plant: () => 0,
    tag: (a, b) => a.name[lang].localeCompare(b.name[lang], lang === 'zh' ? 'zh-CN' : 'en'),
    value: (a, b) => value(a) - value(b),
    quality: (a, b) => severity[shownOf(b).state] - severity[shownOf(a).state],
    address: (a, b) => (unit.get(a.device) ?? 0) - (unit.get(b.device) ?? 0) || a.table.localeCompare(b.table) || a.address - b.address,
  };
  return sort.key === 'plant' ? [...plant.tags] : [...plant.tags].sort((a, b) => sign * by[sort.key](a, b));
}
