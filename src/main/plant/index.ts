export { createPlant, type PlantDeps } from './createPlant.ts';
export { loadPlantFile, parsePlantFile, savePlantFile } from './plantFile.ts';
export { simulatedPlantFile, simulatedUnits } from './simulated.ts';
export { createSimulator, type Simulator, type SimulatorOptions } from './simulator/createSimulator.ts';
export { listFaults, parseFault, type FaultListing, type FaultName } from './simulator/faults.ts';
export type { PtyPair } from './simulator/rtuServer.ts';
export { localTime, worldOf } from './worldOf.ts';
export { decodeTag, encodeForTag, masked, reasonTexts, staleAfterMs, type EncodedWrite } from '../../shared/plant/tagValue.ts';
