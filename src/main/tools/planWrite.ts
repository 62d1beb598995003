import { HandrailError } from '../../shared/errors.ts';
import type { ScalarValue } from '../../shared/contracts/approvals.ts';
import type { Devices, WireRequest } from '../../shared/contracts/devices.ts';
import type { Plant, TagConfig } from '../../shared/contracts/plant.ts';
import type { Observed, PlannedWrite, WireImage, WriteTarget } from '../../shared/contracts/tools.ts';
import { readFunction, toReference } from '../../shared/modbus/index.ts';
import { decodeTag, encodeForTag, masked, widthOf } from '../../shared/plant/tagValue.ts';
import { isBitTable } from '../../shared/plant/planRequests.ts';
import { shown } from './show.ts';

type Wire = { plant: Plant; devices: Pick<Devices, 'request'> };

/** So many looks in a row may be doubtful before a write is not planned at all. */
const looksMax = 4;

/**
 * A look at exactly the registers a write will change, nothing from memory. An answer that may belong to an earlier question
 * is never acted on: it is asked again until two answers in a row agree. The second can at most be one question late, and
 * that question was for the same registers.
 */
export async function observe(
  devices: Pick<Devices, 'request'>,
  at: Pick<WriteTarget, 'connection' | 'unitId' | 'table' | 'address'> & { length: number },
  decode: (raw: WireImage) => ScalarValue | null,
  signal: AbortSignal,
): Promise<Observed> {
  let doubtful: WireImage | null = null;
  for (let looks = 0; looks < looksMax; looks++) {
    const reply = await devices.request({
      connection: at.connection,
      unitId: at.unitId,
      functionCode: readFunction[at.table],
      address: at.address,
      quantity: at.length,
      priority: 'person',
      signal,
    });
    const raw: WireImage = isBitTable(at.table) ? reply.bits!.slice(0, at.length) : reply.words!.slice(0, at.length);
    if (!reply.unverified || (doubtful !== null && doubtful.every((word, i) => word === raw[i])))
      return { value: decode(raw), raw, readAt: reply.readAt };
    doubtful = raw;
  }
  throw new HandrailError('FRAME_MISMATCH', {
    detail: {
      connection: at.connection,
      unit: at.unitId,
      failure: 'CONTRADICTION',
      reason: `${looksMax} answers in a row that may belong to earlier questions, and they differ`,
    },
  });
}

export function targetOfTag(plant: Plant, tag: TagConfig): WriteTarget {
  const device = plant.device(tag.device)!;
  return {
    tag: tag.id,
    label: tag.name,
    aliases: [tag.id, tag.name.en, tag.name.zh, ...tag.aliases.en, ...tag.aliases.zh],
    device: device.id,
    connection: device.connection,
    unitId: device.unitId,
    table: tag.table,
    address: tag.address,
    reference: toReference(tag.table, tag.address),
    unit: tag.unit,
    range: { min: tag.write.min ?? tag.range.min, max: tag.write.max ?? tag.range.max, maxStep: tag.write.maxStep },
    standing: tag.write.allowed ? 'listed' : 'read-only',
    critical: tag.write.critical === true,
    pulse: tag.write.pulse === true,
  };
}

/** A write of `value` to a tag; nothing is sent, but the present content is read. */
export async function planTagWrite(
  { plant, devices }: Wire,
  tag: TagConfig,
  value: ScalarValue,
  signal: AbortSignal,
): Promise<PlannedWrite> {
  const target = targetOfTag(plant, tag);
  if (!tag.write.allowed || tag.table === 'input' || tag.table === 'discrete')
    throw new HandrailError('POLICY_READ_ONLY', { detail: { target: tag.id } });
  judgeRange(target, value);
  const device = plant.device(tag.device)!;
  const encoded = encodeForTag(tag, value, device.quirks ?? []);
  const decode = (raw: WireImage): ScalarValue | null => {
    const decoded = decodeTag(tag, raw);
    return decoded.quality === 'bad' ? null : shown(decoded.value);
  };
  const length = widthOf(tag);
  const read = (by: AbortSignal): Promise<Observed> => observe(devices, { ...target, length }, decode, by);
  const before = await read(signal);
  const request: PlannedWrite['request'] = {
    connection: target.connection,
    unitId: target.unitId,
    timeoutMs: undefined,
    ...encodedParts(encoded),
  };
  const raw: WireImage =
    encoded.functionCode === 22
      ? [masked(before.raw[0] as number, encoded.andMask, encoded.orMask)]
      : 'bits' in encoded
        ? encoded.bits
        : encoded.words;
  // What is shown is what the registers will say, decoded from the very words that would be sent.
  const after = decode(raw);
  if (after === null)
    throw new HandrailError('DEVICE_VALUE', { detail: { target: tag.id, reason: 'the encoded value does not read back' } });
  return { target, after: { value: after, raw }, request, read, undo: undoText(target, before.value) };
}

function encodedParts(encoded: ReturnType<typeof encodeForTag>): Omit<WireRequest, 'connection' | 'unitId' | 'priority'> {
  if (encoded.functionCode === 22) return { functionCode: 22, address: encoded.address, andMask: encoded.andMask, orMask: encoded.orMask };
  if ('bits' in encoded)
    return { functionCode: encoded.functionCode, address: encoded.address, quantity: encoded.quantity, bits: encoded.bits };
  return { functionCode: encoded.functionCode, address: encoded.address, quantity: encoded.quantity, words: encoded.words };
}

/** Said before the codec can say it in its own words: 300 for a setpoint of 50 to 200 is out of range, not "does not fit". */
function judgeRange(target: WriteTarget, value: ScalarValue): void {
  const { min, max } = target.range;
  if (typeof value !== 'number' || ((min === null || value >= min) && (max === null || value <= max))) return;
  const unit = target.unit === '' ? '' : ` ${target.unit}`;
  throw new HandrailError('POLICY_RANGE', {
    detail: { target: target.tag ?? target.reference, value: `${value}${unit}`, min: min ?? '-∞', max: max ?? '+∞' },
  });
}

export function undoText(target: WriteTarget, before: ScalarValue | null): PlannedWrite['undo'] {
  if (target.pulse) return { en: 'This is a pulse or counter; it cannot be undone.', zh: '此为脉冲或计数，无法撤销。' };
  const unit = target.unit === '' ? '' : ` ${target.unit}`;
  const value =
    before === null ? { en: 'the old content', zh: '原内容' } : { en: `${String(before)}${unit}`, zh: `${String(before)}${unit}` };
  return {
    en: `Undo writes ${value.en} back, while the device still holds the new value.`,
    zh: `撤销将写回 ${value.zh}（仅当设备仍保持新值时）。`,
  };
}
