import type { TagConfig } from '../../../shared/contracts/plant.ts';
import { wordsInOrder } from '../../../shared/modbus/index.ts';
import { decodeTag, widthOf } from '../../../shared/plant/tagValue.ts';
import { simulatedUnits } from '../simulated.ts';

/** What a device holds, as its registers and bits show it. Addresses outside are answered with exception 2. */
export type UnitImage = { holding: Uint16Array; input: Uint16Array; coil: Uint8Array; discrete: Uint8Array };
export type Images = Map<number, UnitImage>;

/** Sizes: everything below is readable, what no tag uses is plain memory that keeps what is written. */
export function newImages(): Images {
  const unit = (holding: number, input: number, bits: number): UnitImage => ({
    holding: new Uint16Array(holding),
    input: new Uint16Array(input),
    coil: new Uint8Array(bits),
    discrete: new Uint8Array(bits),
  });
  return new Map([
    [simulatedUnits.plc1, unit(600, 200, 128)],
    [simulatedUnits.vfd2, unit(300, 100, 64)],
  ]);
}

export const unitOf = (tag: TagConfig): number => (tag.device === 'vfd2' ? simulatedUnits.vfd2 : simulatedUnits.plc1);

/** Puts an engineering value where its tag lies. null is a dead sensor: the tag's sentinel, or NaN for a float. */
export function storeValue(image: UnitImage, tag: TagConfig, value: number | boolean | string | bigint | null): void {
  if (tag.table === 'coil' || tag.table === 'discrete') {
    image[tag.table][tag.address] = value === true ? 1 : 0;
    return;
  }
  const area = image[tag.table];
  if (tag.type === 'bit') {
    const mask = 1 << (tag.bit ?? 0);
    area[tag.address] = value === true ? area[tag.address]! | mask : area[tag.address]! & ~mask;
    return;
  }
  area.set(rounded(tag, value), tag.address);
}

/** A measuring device rounds to its resolution; that is the one difference to the strict encoder of writes. */
function rounded(tag: TagConfig, value: number | boolean | string | bigint | null): number[] {
  const bytes = new Uint8Array(widthOf(tag) * 2);
  const view = new DataView(bytes.buffer);
  if (typeof value === 'string') {
    bytes.set(new TextEncoder().encode(value).subarray(0, bytes.length));
    return wordsInOrder(bytes, 'ABCD');
  }
  const raw = value === null ? (tag.sentinels?.[0] ?? NaN) : (Number(value) - tag.offset) / tag.scale;
  if (tag.type === 'float32') view.setFloat32(0, raw);
  else if (tag.type === 'float64') view.setFloat64(0, raw);
  else if (tag.type === 'uint64' || tag.type === 'int64') view.setBigInt64(0, typeof value === 'bigint' ? value : BigInt(Math.round(raw)));
  else if (tag.type === 'uint32' || tag.type === 'int32') view.setInt32(0, Math.round(raw) | 0);
  else view.setInt16(0, Math.round(raw) | 0);
  return wordsInOrder(bytes, tag.order);
}

export function valueIn(image: UnitImage, tag: TagConfig): number | boolean | string | bigint | null {
  if (tag.table === 'coil' || tag.table === 'discrete') return image[tag.table][tag.address] === 1;
  const decoded = decodeTag(tag, [...image[tag.table].subarray(tag.address, tag.address + widthOf(tag))]);
  return decoded.quality === 'bad' ? null : decoded.value;
}
