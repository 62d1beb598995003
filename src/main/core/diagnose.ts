import { asHandrailError, HandrailError, type Lang, type WireError } from '../../shared/errors.ts';
import type { Devices } from '../../shared/contracts/devices.ts';
import type { PlantFile } from '../../shared/contracts/plant.ts';

export type UnitFinding = { device: string; unit: number; ok: boolean; error: WireError | null };
export type LineFinding = { healthy: boolean; report: { connection: string; units: UnitFinding[] }; text: string };

/** Asks each device of a connection once, read-only, and says who answers and what is wrong with the others. */
export async function diagnoseConnection(
  parts: { devices: Devices; plant: { file: PlantFile } },
  connection: string,
  lang: Lang,
): Promise<LineFinding> {
  const { file } = parts.plant;
  if (!file.connections.some((c) => c.id === connection))
    throw new HandrailError('ARGS_USAGE', {
      detail: { reason: `there is no connection "${connection}"; there are ${file.connections.map((c) => c.id).join(', ')}` },
    });
  const units: UnitFinding[] = [];
  for (const device of file.devices.filter((d) => d.connection === connection)) {
    const tag = file.tags.find((t) => t.device === device.id);
    const functionCode = { holding: 3, input: 4, coil: 1, discrete: 2 }[tag?.table ?? 'holding'];
    const error = await parts.devices
      .request({ connection, unitId: device.unitId, functionCode, address: tag?.address ?? 0, quantity: 1, priority: 'person' })
      .then(
        () => null,
        (thrown: unknown) => asHandrailError(thrown).toWire(lang),
      );
    units.push({ device: device.id, unit: device.unitId, ok: error === null, error });
  }
  const line = (u: UnitFinding): string =>
    `${u.device} (${u.unit}): ${u.error === null ? { en: 'answers', zh: '有应答' }[lang] : `${u.error.message} ${u.error.advice}`}`;
  return { healthy: units.every((u) => u.ok), report: { connection, units }, text: units.map(line).join('\n') };
}
