import { Type, type Static } from 'typebox';
import { HandrailError } from '../../shared/errors.ts';
import type { ScalarValue } from '../../shared/contracts/approvals.ts';
import type { Plant, TagConfig } from '../../shared/contracts/plant.ts';
import type { CallRow, PlantWriteItem } from '../../shared/contracts/record.ts';
import type { PlannedWrite, ToolDefinition, WireImage, WriteTarget } from '../../shared/contracts/tools.ts';
import { decodeTag, widthOf } from '../../shared/plant/tagValue.ts';
import type { ToolDeps } from './deps.ts';
import { observe, targetOfTag } from './planWrite.ts';
import { closed, plain, writeResult } from './schema.ts';
import { fileWritten } from './writeFile.ts';
import { shown } from './show.ts';
import { tagOf } from './target.ts';

const parameters = Type.Object(
  {
    steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 6, description: 'how many of the last writes, default 1' })),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
  },
  closed,
);
type Args = Static<typeof parameters>;
type Done = { callId: string; item: PlantWriteItem };

/** Takes back confirmed writes, newest first, each only while the device still holds what we wrote. */
export function undo({ plant, devices, record }: Pick<ToolDeps, 'plant' | 'devices' | 'record'>): ToolDefinition {
  return {
    contract: {
      name: 'undo',
      title: { en: 'Undo writes', zh: '撤销写入' },
      description: {
        en: 'Undo the last writes, or the last write to a tag. A person must approve it.',
        zh: '撤销最近的写入，或某点位的最近一次写入，须由人员批准。',
      },
      parameters: plain(parameters),
      returnSchema: { anyOf: [plain(writeResult), plain(fileWritten)] },
      executionTimeoutMs: 15_000,
      isDeterministic: false,
      effect: 'write-plant',
      fallback: 'none',
      undo: 'before-value',
    },
    /** When the last thing written was a file, undoing it is writing the file: its own card, its own record. */
    async instead(args) {
      const { steps, tag } = args as Args;
      const [row] = record.undoable(1);
      const write = row?.writes[row.writes.length - 1]?.write;
      if (tag !== undefined || (steps ?? 1) !== 1 || row === undefined || write?.kind !== 'file') return null;
      return {
        tool: 'write_file',
        args: { path: write.path, restore: write.before?.sha256 ?? 'none', if_sha256: write.after.sha256, undoes: row.call.call_id },
      };
    },
    async plan(args, context) {
      const { steps, tag } = args as Args;
      const done = doneWrites(record.undoable(50));
      const chosen = tag === undefined ? done.slice(0, steps ?? 1) : newestOf(done, plant, tag, steps ?? 1);
      if (chosen.length === 0) throw new HandrailError('WRITE_UNDO_NONE');
      const writes: PlannedWrite[] = [];
      for (const one of chosen) {
        const write = planUndo(plant, devices, one);
        const now = await write.read(context.signal);
        if (!same(now.raw, one.item.raw.after)) {
          throw new HandrailError('WRITE_UNDO_GONE', {
            detail: { target: one.item.tag ?? one.item.reference, now: now.value ?? '?', value: one.item.after },
          });
        }
        writes.push(write);
      }
      return writes;
    },
  };
}

/** What can be taken back, newest first: confirmed, sent, not a pulse, with a known before-value. */
function doneWrites(rows: readonly CallRow[]): Done[] {
  return rows.flatMap((row) =>
    [...row.writes].reverse().flatMap((known): Done[] => {
      const { write } = known;
      if (write.kind !== 'plant' || known.state !== 'done' || known.verdict !== 'confirmed' || !write.can_undo || write.raw.before === null)
        return [];
      return [{ callId: row.call.call_id, item: write }];
    }),
  );
}

function newestOf(done: readonly Done[], plant: Plant, name: string, steps: number): Done[] {
  const tag = tagOf(plant, name);
  return done.filter((d) => d.item.tag === tag.id).slice(0, steps);
}

const same = (a: WireImage, b: WireImage): boolean => a.length === b.length && a.every((word, i) => word === b[i]);

function planUndo(plant: Plant, devices: Pick<ToolDeps['devices'], 'request'>, { callId, item }: Done): PlannedWrite {
  const tag = item.tag === null ? undefined : plant.tag(item.tag);
  const isHere =
    tag !== undefined &&
    tag.table === item.table &&
    tag.address === item.address &&
    plant.device(tag.device)?.id === item.device &&
    widthOf(tag) === item.raw.after.length;
  const target: WriteTarget = isHere ? targetOfTag(plant, tag) : bareTarget(plant, item);
  const back = item.raw.before!;
  const decode = (raw: WireImage): ScalarValue | null =>
    isHere ? decodedBy(tag, raw) : same(raw, item.raw.after) ? item.after : same(raw, back) ? item.now : raw.join(', ');
  return {
    target,
    after: { value: decode(back) ?? item.now ?? back.join(', '), raw: back },
    request: {
      connection: target.connection,
      unitId: target.unitId,
      address: target.address,
      quantity: back.length,
      ...requestOf(item, plant.device(target.device)?.quirks ?? []),
    },
    read: (signal) => observe(devices, { ...target, length: back.length }, decode, signal),
    undo: { en: 'This takes our own write back; to have it again, write it again.', zh: '此操作撤回我们自己的写入；如需恢复请重新写入。' },
    takesBack: { callId, raw: item.raw.after, value: item.after },
  };
}

function decodedBy(tag: TagConfig, raw: WireImage): ScalarValue | null {
  const decoded = decodeTag(tag, raw);
  return decoded.quality === 'bad' ? null : shown(decoded.value);
}

/** The tag is gone or has moved since: what was recorded is written back as raw words, and the policy sees a bare register. */
function bareTarget(plant: Plant, item: PlantWriteItem): WriteTarget {
  const device = plant.device(item.device);
  const covering = plant.file.tags.filter(
    (t) =>
      t.device === item.device &&
      t.table === item.table &&
      t.address < item.address + item.raw.after.length &&
      item.address < t.address + widthOf(t),
  );
  return {
    tag: null,
    label: item.label,
    aliases: [],
    device: item.device,
    connection: device?.connection ?? item.connection,
    unitId: device?.unitId ?? item.unitId,
    table: item.table,
    address: item.address,
    reference: item.reference,
    unit: item.unit,
    range: item.range,
    standing: covering.some((t) => !t.write.allowed) ? 'read-only' : 'listed',
    critical: item.critical === true,
    pulse: false,
  };
}

/** One bit of a register was written with a mask, so it is taken back with one: its neighbours may have moved since. */
function requestOf(
  item: PlantWriteItem,
  quirks: readonly string[],
): Pick<PlannedWrite['request'], 'functionCode' | 'words' | 'bits' | 'andMask' | 'orMask'> {
  const back = item.raw.before!;
  if (typeof back[0] === 'boolean')
    return { functionCode: back.length === 1 && !quirks.includes('fc15-only') ? 5 : 15, bits: back as boolean[] };
  const words = back as number[];
  if (item.functionCode === 22) {
    const changed = words[0]! ^ (item.raw.after[0] as number);
    return { functionCode: 22, andMask: ~changed & 0xffff, orMask: words[0]! & changed };
  }
  return { functionCode: words.length === 1 && !quirks.includes('fc16-only') ? 6 : 16, words };
}
