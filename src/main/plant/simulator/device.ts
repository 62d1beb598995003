import type { PlantFile, TagConfig } from '../../../shared/contracts/plant.ts';
import { masked, widthOf } from '../../../shared/plant/tagValue.ts';
import { bitsPdu, confirmationPdu, exceptionPdu, identificationPdu, wordsPdu, type ServerRequest } from '../../devices/framing/index.ts';
import { advance, newBoilerHouse, readingsOf, type BoilerHouse, type Troubles } from './boilerHouse.ts';
import { newImages, storeValue, unitOf, valueIn, type Images, type UnitImage } from './registerImage.ts';
import type { SavedState } from './savedState.ts';

/** Standard exceptions the simulated devices answer with. */
export const exceptions = { function: 1, address: 2, value: 3, gatewayTarget: 11 } as const;
/** A refused access, as modbus-serial's server wants it thrown and as our own answers use it. */
export class Refused extends Error {
  readonly modbusErrorCode: number;
  constructor(code: number) {
    super(`exception ${code}`);
    this.modbusErrorCode = code;
  }
}

/** How a write is treated when a fault is injected into the devices rather than into the line. */
export type WriteTrouble = 'ignore' | 'clamp' | 'overwrite' | 'readonly' | 'later';
export type DeviceTroubles = Troubles & { writes?: WriteTrouble; writeDelayMs?: number; holes?: boolean };

/** The devices of the plant behind every transport: registers in front, physics behind. Time passes when somebody looks. */
export class SimulatedDevices {
  troubles: DeviceTroubles = {};
  private house: BoilerHouse;
  private readonly images: Images = newImages();
  private readonly tags: readonly TagConfig[];
  private readonly clock: { now(): number };
  private readonly changed: () => void;
  /** What happens to a written register a little later: another writer, or a device that takes its time. */
  private pending: { at: number; act: () => void } | null = null;

  constructor(file: PlantFile, clock: { now(): number }, saved: SavedState | null, changed: () => void) {
    this.tags = file.tags;
    this.clock = clock;
    this.changed = changed;
    this.house = saved?.house ?? newBoilerHouse(clock.now());
    for (const { unitId, table, address, value } of saved?.memory ?? []) {
      const image = this.images.get(unitId);
      if (image && address < image[table].length) image[table][address] = value;
    }
    this.refresh();
  }

  state(): SavedState {
    const memory: SavedState['memory'] = [];
    for (const [unitId, image] of this.images) {
      for (const table of ['holding', 'coil'] as const)
        image[table].forEach((value, address) => value !== 0 && memory.push({ unitId, table, address, value }));
    }
    return { version: 1, house: this.house, memory };
  }

  /** Units that answer; 0 and 255 are the PLC itself, as a TCP device understands them. */
  unit(unitId: number): UnitImage | null {
    return this.images.get(unitId === 0 || unitId === 255 ? 1 : unitId) ?? null;
  }

  /** The plant's own time. */
  get plantTime(): number {
    return this.house.at;
  }

  words(unitId: number, table: 'holding' | 'input', address: number, quantity: number): number[] {
    const area = this.area(unitId, table, address, quantity);
    if (this.troubles.holes && unitId === 1 && table === 'input' && address <= 39 && address + quantity > 36)
      throw new Refused(exceptions.address);
    this.catchUp();
    return [...area.subarray(address, address + quantity)];
  }

  bits(unitId: number, table: 'coil' | 'discrete', address: number, quantity: number): boolean[] {
    const area = this.area(unitId, table, address, quantity);
    this.catchUp();
    return Array.from(area.subarray(address, address + quantity), (bit) => bit === 1);
  }

  write(unitId: number, table: 'holding' | 'coil', address: number, values: readonly number[]): void {
    const area = this.area(unitId, table, address, values.length);
    this.catchUp();
    const before = [...area.subarray(address, address + values.length)];
    if (this.troubles.writes === 'readonly') throw new Refused(4);
    if (this.troubles.writes === 'ignore') return;
    area.set(values, address);
    const touched = this.tags.filter(
      (t) =>
        t.table === table && unitOf(t) === this.realUnit(unitId) && t.address < address + values.length && t.address + widthOf(t) > address,
    );
    const image = this.unit(unitId)!;
    for (const tag of touched) {
      const value = valueIn(image, tag);
      const { min, max } = tag.range;
      const tooLow = typeof value === 'number' && min !== null && value < min;
      const tooHigh = typeof value === 'number' && max !== null && value > max;
      if (value === null || tooLow || tooHigh) {
        if (this.troubles.writes !== 'clamp' || value === null) {
          area.set(before, address);
          throw new Refused(exceptions.value);
        }
        storeValue(image, tag, tooLow ? min : max);
      }
    }
    if (this.troubles.writes === 'clamp') for (const tag of touched) this.pullIn(image, tag);
    this.takeCommands(image, touched);
    const now = this.clock.now();
    if (this.troubles.writes === 'overwrite' || this.troubles.writes === 'later') {
      const put = (what: readonly number[]) => (): void => {
        area.set(what, address);
        this.takeCommands(image, touched);
      };
      if (this.troubles.writes === 'overwrite') this.pending = { at: now + 300, act: put(before) };
      else {
        put(before)(); // accepted and checked, but not in force yet
        this.pending = { at: now + (this.troubles.writeDelayMs ?? 0), act: put(values) };
      }
    }
    this.changed();
  }

  /** A device that limits by itself: writes end in the middle nine tenths of the range. */
  private pullIn(image: UnitImage, tag: TagConfig): void {
    const value = valueIn(image, tag);
    const { min, max } = tag.range;
    if (typeof value !== 'number' || min === null || max === null) return;
    const margin = (max - min) * 0.05;
    storeValue(image, tag, Math.min(max - margin, Math.max(min + margin, value)));
  }

  private takeCommands(image: UnitImage, tags: readonly TagConfig[]): void {
    const commands: Record<string, unknown> = this.house.commands;
    for (const tag of tags) if (tag.id in commands) commands[tag.id] = valueIn(image, tag);
    this.refresh();
  }

  private realUnit = (unitId: number): number => (unitId === 0 || unitId === 255 ? 1 : unitId);

  private area(unitId: number, table: keyof UnitImage, address: number, quantity: number): Uint16Array | Uint8Array {
    const image = this.unit(unitId);
    if (!image) throw new Refused(exceptions.gatewayTarget);
    if (address + quantity > image[table].length) throw new Refused(exceptions.address);
    return image[table];
  }

  private catchUp(): void {
    const now = this.clock.now();
    if (this.pending && now >= this.pending.at) {
      const { act } = this.pending;
      this.pending = null;
      act();
      this.changed();
    }
    if (now === this.house.at) return;
    this.house = advance(this.house, now, this.troubles);
    this.refresh();
  }

  private refresh(): void {
    const values = readingsOf(this.house, this.troubles);
    for (const tag of this.tags) {
      const value = values[tag.id];
      if (value !== undefined) storeValue(this.images.get(unitOf(tag))!, tag, value);
    }
  }
}

const identity = ['Handrail', 'BH-2000', 'R3.1', 'handrail', 'Simulated boiler house', 'BH-2000 R3', 'plant'];

/** A judged request's answer, for every function code the simulated devices know. */
export function answer(devices: SimulatedDevices, unitId: number, pdu: Uint8Array, request: ServerRequest): Uint8Array {
  const { functionCode } = request;
  try {
    if (!devices.unit(unitId)) throw new Refused(exceptions.gatewayTarget);
    switch (request.functionCode) {
      case 1:
      case 2:
        return bitsPdu(
          request.functionCode,
          devices.bits(unitId, request.functionCode === 1 ? 'coil' : 'discrete', request.address, request.quantity),
        );
      case 3:
      case 4:
        return wordsPdu(
          request.functionCode,
          devices.words(unitId, request.functionCode === 3 ? 'holding' : 'input', request.address, request.quantity),
        );
      case 5:
        devices.write(unitId, 'coil', request.address, [request.on ? 1 : 0]);
        return confirmationPdu(pdu);
      case 6:
        devices.write(unitId, 'holding', request.address, [request.word]);
        return confirmationPdu(pdu);
      case 15:
        devices.write(unitId, 'coil', request.address, request.bits.map(Number));
        return confirmationPdu(pdu);
      case 16:
        devices.write(unitId, 'holding', request.address, request.words);
        return confirmationPdu(pdu);
      case 17: {
        const id = new TextEncoder().encode('BH-2000');
        return Uint8Array.of(17, id.length + 2, unitId & 0xff, ...id, 0xff);
      }
      case 22: {
        const [word] = devices.words(unitId, 'holding', request.address, 1);
        devices.write(unitId, 'holding', request.address, [masked(word!, request.andMask, request.orMask)]);
        return confirmationPdu(pdu);
      }
      case 23:
        devices.write(unitId, 'holding', request.writeAddress, request.words);
        return wordsPdu(23, devices.words(unitId, 'holding', request.address, request.quantity));
      case 8:
        return request.subFunction === 0 ? pdu.slice() : exceptionPdu(8, exceptions.function);
      case 43: {
        const last = request.category === 1 ? 2 : 6;
        const objects = identity.map((text, id) => ({ id, text: new TextEncoder().encode(text) }));
        if (request.category === 4) {
          const one = objects[request.object];
          return one ? identificationPdu(4, 0x82, [one]) : exceptionPdu(43, exceptions.address);
        }
        return identificationPdu(
          request.category,
          0x82,
          objects.filter((o) => o.id <= last && o.id >= (request.object > last ? 0 : request.object)),
        );
      }
      case 7:
      case 11:
      case 12:
      case 20:
      case 21:
      case 24:
        return exceptionPdu(functionCode, exceptions.function);
      default:
        return request satisfies never;
    }
  } catch (thrown) {
    if (thrown instanceof Refused) return exceptionPdu(functionCode, thrown.modbusErrorCode);
    throw thrown;
  }
}
