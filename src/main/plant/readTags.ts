import { asHandrailError, HandrailError } from '../../shared/errors.ts';
import type { Devices, Priority, Reading, WireReply } from '../../shared/contracts/devices.ts';
import type { DeviceConfig, PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import { isBitTable, planRequests, splitRequest, type PlannedRequest, type Span } from '../../shared/plant/planRequests.ts';
import { decodeTag, spanOf, type ValueReason } from '../../shared/plant/tagValue.ts';
import { limitsFor, type Learned } from './limits.ts';

const functionOf = { coil: 1, discrete: 2, holding: 3, input: 4 } as const;

export type TagReader = {
  file: PlantFile;
  devices: Pick<Devices, 'request'>;
  clock: { now(): number };
  learned(device: string): Learned;
};
export type ReadOptions = { priority: Priority; signal?: AbortSignal; isStopped?: () => boolean };

/** Requests of one device, one after another; a refused block is split until what is wrong is known, the rest is kept. */
export async function readDevice(
  reader: TagReader,
  device: DeviceConfig,
  tags: readonly TagConfig[],
  options: ReadOptions,
  give: (reading: Reading, reply: WireReply | null) => void,
): Promise<void> {
  const learned = reader.learned(device.id);
  const byId = new Map(tags.map((tag) => [tag.id, tag]));
  const plan = planRequests(
    tags.map((tag) => spanOf(tag, device.unitId)),
    () => limitsFor(device, reader.file, learned),
  );
  let silent: HandrailError | null = null;
  for (const request of plan) {
    if (options.isStopped?.()) return;
    // A device that did not answer is not asked ten times more in the same round: the others on the wire are waiting.
    if (silent) for (const span of request.spans) give(badReading(byId.get(span.tag)!, reader.clock, silent), null);
    else silent = await readBlock(reader, device, request, byId, options, learned, give);
  }
}

/** Reads one block; returns the error when the device did not answer at all, so that its caller can stop asking. */
async function readBlock(
  reader: TagReader,
  device: DeviceConfig,
  request: PlannedRequest,
  tags: ReadonlyMap<string, TagConfig>,
  options: ReadOptions,
  learned: Learned,
  give: (reading: Reading, reply: WireReply | null) => void,
): Promise<HandrailError | null> {
  const outcome = await ask(reader, device, request, options);
  if (!(outcome instanceof HandrailError)) {
    noteDeviceTime(learned, reader.file, device, request, outcome.durationMs);
    for (const span of request.spans) give(readingOf(tags.get(span.tag)!, span, request, outcome, reader.clock), outcome);
    return null;
  }
  if (outcome.code === 'CANCELLED') throw outcome;
  const exception = outcome.code === 'DEVICE_EXCEPTION' ? outcome.detail['exception'] : null;
  const split = exception === 2 || exception === 3 ? splitRequest(request) : null;
  if (split) {
    const results: boolean[] = [];
    const note = (reading: Reading, reply: WireReply | null): void => {
      results.push(reading.quality !== 'bad' || reading.error === null);
      give(reading, reply);
    };
    const silent =
      (await readBlock(reader, device, split.left, tags, options, learned, note)) ??
      (await readBlock(reader, device, split.right, tags, options, learned, note));
    if (silent === null && results.every(Boolean)) learn(learned, request, split);
    return silent;
  }
  if ((exception === 2 || exception === 3) && request.spans.length === 1) learned.alone.add(request.spans[0]!.tag);
  for (const span of request.spans) give(badReading(tags.get(span.tag)!, reader.clock, outcome), null);
  return isSilence(outcome) ? outcome : null;
}

/** Nobody is there: the port is gone, the unit does not answer, or a gateway says that of it. One damaged answer is no silence. */
export function isSilence(error: HandrailError): boolean {
  if (error.code === 'DEVICE_EXCEPTION') return error.detail['exception'] === 10 || error.detail['exception'] === 11;
  return error.code === 'DEVICE_NO_ANSWER' || error.code === 'TIMEOUT' || error.code.startsWith('PORT_');
}

/** Both halves answer, the whole did not: the gap between is not there, or without a gap the device wants shorter reads. */
function learn(learned: Learned, request: PlannedRequest, split: NonNullable<ReturnType<typeof splitRequest>>): void {
  if (split.gap) {
    if (!learned.holes.some((hole) => hole.table === request.table && hole.from <= split.gap!.from && hole.to >= split.gap!.to))
      learned.holes.push({ table: request.table, ...split.gap });
    return;
  }
  const longest = Math.max(split.left.quantity, split.right.quantity);
  if (isBitTable(request.table)) learned.maxBits = Math.min(learned.maxBits, longest);
  else learned.maxRegisters = Math.min(learned.maxRegisters, longest);
}

async function ask(
  reader: TagReader,
  device: DeviceConfig,
  request: PlannedRequest,
  options: ReadOptions,
): Promise<WireReply | HandrailError> {
  try {
    return await reader.devices.request({
      connection: device.connection,
      unitId: device.unitId,
      functionCode: functionOf[request.table],
      address: request.address,
      quantity: request.quantity,
      priority: options.priority,
      signal: options.signal,
    });
  } catch (thrown) {
    return asHandrailError(thrown);
  }
}

/** How long the device thinks, from what the wire does not explain; it decides how wide a gap is worth reading along. */
function noteDeviceTime(learned: Learned, file: PlantFile, device: DeviceConfig, request: PlannedRequest, durationMs: number): void {
  const baud = file.connections.find((c) => c.id === device.connection)?.serial?.baud;
  if (baud === undefined || !Number.isFinite(durationMs)) return;
  const answerBytes = 5 + (isBitTable(request.table) ? Math.ceil(request.quantity / 8) : 2 * request.quantity);
  const thinking = Math.min(200, Math.max(0, durationMs - ((8 + answerBytes) * 11_000) / baud));
  learned.deviceTimeMs += (thinking - learned.deviceTimeMs) * 0.1;
}

function readingOf(tag: TagConfig, span: Span, request: PlannedRequest, reply: WireReply, clock: { now(): number }): Reading {
  const from = span.address - request.address;
  const all: readonly number[] | readonly boolean[] | undefined = isBitTable(request.table) ? reply.bits : reply.words;
  const raw = (all ?? []).slice(from, from + span.length);
  if (raw.length !== span.length) {
    // The line promises what was asked for; if it ever breaks that, no tag may get its neighbour's registers.
    return badReading(
      tag,
      clock,
      new HandrailError('FRAME_MISMATCH', { detail: { reason: `${all?.length ?? 0} of ${request.quantity} came` } }),
    );
  }
  const decoded = decodeTag(tag, raw);
  if (decoded.quality === 'bad')
    return {
      tag: tag.id,
      quality: 'bad',
      value: null,
      unit: tag.unit,
      readAt: null,
      lastTriedAt: reply.readAt,
      raw: null,
      reason: decoded.reason,
      error: null,
    };
  // Doubt about whose answer it is outweighs doubt about the number.
  const doubt: ValueReason | null = reply.unverified ? 'unverified' : decoded.quality === 'uncertain' ? decoded.reason : null;
  return {
    tag: tag.id,
    quality: doubt === null ? 'good' : 'uncertain',
    value: decoded.value,
    unit: tag.unit,
    readAt: reply.readAt,
    raw,
    ...(doubt === null ? {} : { reason: doubt }),
  };
}

export function badReading(tag: TagConfig, clock: { now(): number }, error: HandrailError): Reading {
  return {
    tag: tag.id,
    quality: 'bad',
    value: null,
    unit: tag.unit,
    readAt: null,
    lastTriedAt: new Date(clock.now()).toISOString(),
    raw: null,
    reason: error.code,
    error,
  };
}
