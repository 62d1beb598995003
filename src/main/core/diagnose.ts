import { runDoctor, type Diagnosis } from '../devices/index.ts';
import type { Devices } from '../../shared/contracts/devices.ts';
import type { PlantFile } from '../../shared/contracts/plant.ts';
import { HandrailError, type Lang } from '../../shared/errors.ts';

const readFunctions = { holding: 3, input: 4, coil: 1, discrete: 2 } as const;

/** Asks each device of a connection, read-only, and says what is wrong with the line; `text` is the same for a person to read. */
export async function diagnoseConnection(
  parts: { devices: Devices; plant: { file: PlantFile } },
  connection: string,
  lang: Lang,
): Promise<{ report: Diagnosis; text: string }> {
  const { file } = parts.plant;
  if (!file.connections.some((c) => c.id === connection))
    throw new HandrailError('ARGS_USAGE', {
      detail: { reason: `there is no connection "${connection}"; there are ${file.connections.map((c) => c.id).join(', ')}` },
    });
  const units = file.devices
    .filter((device) => device.connection === connection)
    .map((device) => {
      // A register that the plant file knows: asking for one that is not there would look like a fault.
      const tag = file.tags.find((t) => t.device === device.id);
      return { unitId: device.unitId, functionCode: readFunctions[tag?.table ?? 'holding'], address: tag?.address ?? 0 };
    });
  const report = await runDoctor(parts.devices, { connection, units });
  return { report, text: inWords(report, lang) };
}

function inWords(report: Diagnosis, lang: Lang): string {
  const words = { evidence: { en: 'evidence', zh: '证据' }, proof: { en: 'repaired frame', zh: '修复后的帧' } };
  return report.findings
    .flatMap((finding) => [
      `${finding.severity === 'fault' ? '✗' : finding.severity === 'note' ? '!' : '✓'} ${finding.title[lang]} (${finding.count})`,
      `  ${finding.cause[lang]}`,
      `  ${finding.remedy[lang]}`,
      ...finding.evidence.map((line) => `  ${words.evidence[lang]}: ${line}`),
      ...(finding.proof === null ? [] : [`  ${words.proof[lang]}: ${finding.proof}`]),
    ])
    .join('\n');
}
