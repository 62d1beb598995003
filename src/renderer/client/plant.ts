import { create } from 'zustand';
import type { DeviceConfig, PlantFile, TagConfig } from '../../shared/contracts/plant.ts';
import type { World } from '../../shared/planner/types.ts';
import { callCore } from './connection.ts';

type PlantState = {
  plant: PlantFile | null;
  world: World | null;
  tagById: ReadonlyMap<string, TagConfig>;
  deviceById: ReadonlyMap<string, DeviceConfig>;
};
export const usePlant = create<PlantState>()(() => ({ plant: null, world: null, tagById: new Map(), deviceById: new Map() }));

export async function loadPlant(): Promise<void> {
  const [plant, world] = await Promise.all([callCore('plant.get', {}), callCore('plant.world', {})]);
  usePlant.setState({
    plant,
    world,
    tagById: new Map(plant.tags.map((tag) => [tag.id, tag])),
    deviceById: new Map(plant.devices.map((device) => [device.id, device])),
  });
}
