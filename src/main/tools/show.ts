import type { Lang } from '../../shared/errors.ts';
import type { ScalarValue } from '../../shared/contracts/approvals.ts';
import type { Reading } from '../../shared/contracts/devices.ts';
import type { Plant } from '../../shared/contracts/plant.ts';
import type { ReadingResult } from '../../shared/contracts/toolResults.ts';
import { toReference } from '../../shared/modbus/index.ts';
import { reasonTexts, type ValueReason } from '../../shared/plant/tagValue.ts';

/** A value as JSON can carry it exactly. */
export const shown = (value: number | boolean | string | bigint): ScalarValue => {
  if (typeof value !== 'bigint') return value;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
};

const reasonIn = (reason: string | undefined, lang: Lang): string | null =>
  reason === undefined ? null : (reasonTexts[reason as ValueReason]?.[lang] ?? reason);

/** A reading with everything a person needs to judge it. `last`: what was known before a failed try. */
export function showReading(plant: Plant, reading: Reading, at: { now: number; lang: Lang; last?: Reading }): ReadingResult {
  const tag = plant.tag(reading.tag)!;
  const device = plant.device(tag.device);
  const { last } = at;
  const hasLast = reading.quality === 'bad' && last !== undefined && last.quality !== 'bad';
  return {
    tag: tag.id,
    name: tag.name,
    value: reading.value === null ? null : shown(reading.value),
    unit: reading.unit,
    quality: reading.quality,
    read_at: reading.readAt,
    age_ms: reading.readAt === null ? null : Math.max(0, at.now - Date.parse(reading.readAt)),
    reason: reasonIn(reading.reason, at.lang),
    device: tag.device,
    unit_id: device?.unitId ?? 0,
    table: tag.table,
    address: tag.address,
    reference: toReference(tag.table, tag.address),
    raw: reading.raw,
    type: tag.type,
    order: tag.order,
    error: reading.quality === 'bad' ? (reading.error?.toWire(at.lang) ?? null) : null,
    last_known: hasLast ? { value: shown(last.value), read_at: last.readAt, age_ms: Math.max(0, at.now - Date.parse(last.readAt)) } : null,
  };
}
