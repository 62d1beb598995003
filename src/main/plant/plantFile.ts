import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync, openSync, fsyncSync, closeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js';
import { HandrailError, type Bilingual } from '../../shared/errors.ts';
import type { PlantFile, PlantProblem, TagConfig } from '../../shared/contracts/plant.ts';
import { isBitTable } from '../../shared/plant/planRequests.ts';
import { widthOf } from '../../shared/plant/tagValue.ts';
import { blankComments, placeAt } from './jsonComments.ts';
import { pointerOffset } from './jsonPointer.ts';
import { isNeverWritten, neverWritten } from './neverWritten.ts';
import { plantSchema } from './plantSchema.ts';

const validate = new Ajv2020({
  useDefaults: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
}).compile<PlantFile>(plantSchema);

/** Reads and checks a plant file. Every complaint is ARGS_PLANT_FILE and names line, column and field. */
export function loadPlantFile(path: string): PlantFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HandrailError('ARGS_UNREADABLE_FILE', { detail: { file: path, reason }, cause });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw complaint(path, { en: 'it is not UTF-8 text; save it as UTF-8', zh: '不是 UTF-8 文本，请另存为 UTF-8' }, cause);
  }
  return parsePlantFile(text, path);
}

export function parsePlantFile(text: string, name: string): PlantFile {
  const plain = blankComments(text);
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (cause) {
    const offset = Number(/position (\d+)/.exec(cause instanceof Error ? cause.message : '')?.[1] ?? text.length);
    const { line, column } = placeAt(text, offset);
    throw complaint(
      name,
      { en: `line ${line}, column ${column}: this is not JSON here`, zh: `第 ${line} 行第 ${column} 列：此处不是有效的 JSON` },
      cause,
    );
  }
  const at = (pointer: string): { en: string; zh: string } => {
    const { line, column } = placeAt(text, pointerOffset(plain, pointer));
    return { en: `line ${line}, column ${column}, ${pointer || '/'}`, zh: `第 ${line} 行第 ${column} 列，${pointer || '/'}` };
  };
  if (!validate(value)) {
    const first = worst(validate.errors ?? []);
    const place = at(first.instancePath);
    const extra =
      first.keyword === 'additionalProperties'
        ? ` "${String(first.params['additionalProperty'])}"`
        : first.keyword === 'enum'
          ? ` ${JSON.stringify(first.params['allowedValues'])}`
          : '';
    throw complaint(name, {
      en: `${place.en}: ${first.message ?? first.keyword}${extra}`,
      zh: `${place.zh}：${first.message ?? first.keyword}${extra}`,
    });
  }
  const file = withOrders(value);
  const wrong = firstInconsistency(file);
  if (wrong) {
    const place = at(wrong.pointer);
    throw complaint(name, { en: `${place.en}: ${wrong.why.en}`, zh: `${place.zh}：${wrong.why.zh}` });
  }
  return file;
}

/** What a file may leave out because it can mean only one thing. Changes the file it is given. */
export function withOrders(file: PlantFile): PlantFile {
  delete (file as { $schema?: string }).$schema;
  file.simulated ??= false;
  for (const tag of file.tags) if (widthOf(tag) === 1 || tag.type === 'string') tag.order ??= 'ABCD';
  return file;
}

/** The complaint that helps most: an `if` that failed says less than the field inside it. */
function worst(errors: readonly ErrorObject[]): ErrorObject {
  return errors.find((e) => e.keyword !== 'if' && e.keyword !== 'type') ?? errors[0]!;
}

/** What a schema cannot say: names that must be unique, things that must exist, values that must fit their table. */
export function firstInconsistency(file: PlantFile): PlantProblem | null {
  const connections = new Set<string>();
  const devices = new Map<string, PlantFile['devices'][number]>();
  const tags = new Set<string>();
  const twice = (pointer: string, what: string): PlantProblem => ({
    pointer,
    why: { en: `the id "${what}" stands here a second time`, zh: `标识“${what}”重复` },
  });
  for (const [i, connection] of file.connections.entries()) {
    if (connections.has(connection.id)) return twice(`/connections/${i}/id`, connection.id);
    connections.add(connection.id);
  }
  for (const [i, device] of file.devices.entries()) {
    if (devices.has(device.id)) return twice(`/devices/${i}/id`, device.id);
    devices.set(device.id, device);
    if (!connections.has(device.connection))
      return {
        pointer: `/devices/${i}/connection`,
        why: { en: `there is no connection "${device.connection}"`, zh: `没有连接“${device.connection}”` },
      };
    const backwards = device.neverWrite?.findIndex(({ from, to }) => from > to) ?? -1;
    if (backwards >= 0)
      return { pointer: `/devices/${i}/neverWrite/${backwards}`, why: { en: '"from" is above "to"', zh: '"from" 大于 "to"' } };
  }
  const never = neverWritten(file);
  for (const [i, tag] of file.tags.entries()) {
    if (tags.has(tag.id.toLowerCase())) return twice(`/tags/${i}/id`, tag.id);
    tags.add(tag.id.toLowerCase());
    if (!devices.has(tag.device))
      return { pointer: `/tags/${i}/device`, why: { en: `there is no device "${tag.device}"`, zh: `没有设备“${tag.device}”` } };
    const wrong = tagInconsistency(tag);
    if (wrong) return { pointer: `/tags/${i}${wrong.pointer}`, why: wrong.why };
    if (tag.write.allowed && isNeverWritten(never, tag))
      return {
        pointer: `/tags/${i}/write/allowed`,
        why: {
          en: `${tag.id} lies in what is never written (safety); it cannot be writable`,
          zh: `${tag.id} 属于绝不写入的范围（安全功能），不能设为可写`,
        },
      };
  }
  return null;
}

function tagInconsistency(tag: TagConfig): PlantProblem | null {
  const bits = isBitTable(tag.table);
  if (bits && tag.type !== 'bool')
    return {
      pointer: '/type',
      why: { en: `a ${tag.table} is a bool, not ${tag.type}`, zh: `${tag.table} 只能是 bool，不能是 ${tag.type}` },
    };
  if (!bits && tag.type === 'bit' && tag.bit === undefined)
    return { pointer: '', why: { en: 'a bit of a register needs "bit": 0 to 15', zh: '寄存器中的位需要 "bit"：0 到 15' } };
  if (tag.type === 'string' && tag.length === undefined)
    return { pointer: '', why: { en: 'a string needs its "length" in characters', zh: '字符串需要以字符计的 "length"' } };
  if ((tag.order as string | undefined) === undefined)
    return {
      pointer: '',
      why: {
        en: `${tag.type} takes several registers: say their "order" (ABCD, CDAB, BADC or DCBA)`,
        zh: `${tag.type} 占多个寄存器，请给出 "order"（ABCD、CDAB、BADC 或 DCBA）`,
      },
    };
  if (tag.address + widthOf(tag) > 65536)
    return { pointer: '/address', why: { en: 'the value would end beyond address 65535', zh: '该值将超出地址 65535' } };
  if (tag.write.allowed && (tag.table === 'input' || tag.table === 'discrete'))
    return { pointer: '/write/allowed', why: { en: `the table ${tag.table} cannot be written`, zh: `数据区 ${tag.table} 不可写` } };
  const { min, max } = tag.range;
  if (min !== null && max !== null && min > max) return { pointer: '/range', why: { en: 'min is above max', zh: 'min 大于 max' } };
  if (tag.write.min !== null && tag.write.max !== null && tag.write.min > tag.write.max)
    return { pointer: '/write', why: { en: 'min is above max', zh: 'min 大于 max' } };
  return null;
}

function complaint(file: string, reason: Bilingual, cause?: unknown): HandrailError {
  return new HandrailError('ARGS_PLANT_FILE', {
    detail: { file: basename(file), reason: reason.en },
    message: {
      en: `The plant file ${basename(file)} is not usable: ${reason.en}.`,
      zh: `工厂文件 ${basename(file)} 不可用：${reason.zh}。`,
    },
    cause,
  });
}

/** Writes a plant file whole or not at all: a new file beside it, on disk, then renamed over. */
export function savePlantFile(path: string, file: PlantFile): void {
  const wrong = validate(structuredClone(file))
    ? firstInconsistency(file)
    : {
        pointer: validate.errors?.[0]?.instancePath ?? '',
        why: { en: validate.errors?.[0]?.message ?? '', zh: validate.errors?.[0]?.message ?? '' },
      };
  if (wrong) throw complaint(path, { en: `${wrong.pointer || '/'}: ${wrong.why.en}`, zh: `${wrong.pointer || '/'}：${wrong.why.zh}` });
  writeAtomically(path, `${JSON.stringify(file, null, 2)}\n`);
}

export function writeAtomically(path: string, text: string, options: { sync: boolean } = { sync: true }): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(beside, text, { flag: 'wx' });
    if (options.sync) {
      const handle = openSync(beside, 'r+');
      try {
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    }
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
}
