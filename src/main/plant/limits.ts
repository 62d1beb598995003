import type { DeviceConfig, PlantFile } from '../../shared/contracts/plant.ts';
import { breakEvenGap, protocolLimits, type Hole, type PlanLimits } from '../../shared/plant/planRequests.ts';

/** What the program found out about a device by asking, beside what its profile says. */
export type Learned = { holes: Hole[]; alone: Set<string>; maxRegisters: number; maxBits: number; deviceTimeMs: number };

export const nothingLearned = (): Learned => ({ holes: [], alone: new Set(), ...protocolLimits, deviceTimeMs: 5 });

/** Profile and experience together, as the planner wants them. */
export function limitsFor(device: DeviceConfig, file: PlantFile, learned: Learned): PlanLimits {
  const connection = file.connections.find((c) => c.id === device.connection);
  const profile = device.limits ?? {};
  const baud = connection?.serial?.baud ?? null;
  return {
    maxRegisters: Math.min(profile.maxRegisters ?? protocolLimits.maxRegisters, learned.maxRegisters),
    maxBits: Math.min(profile.maxBits ?? protocolLimits.maxBits, learned.maxBits),
    maxGap: profile.maxGap ?? breakEvenGap({ baud, deviceTimeMs: learned.deviceTimeMs }),
    holes: [...(profile.holes ?? []), ...learned.holes],
    alone: learned.alone,
    evenQuantity: device.quirks?.includes('even-quantity') ?? false,
  };
}
