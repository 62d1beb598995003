import type { World } from './types.ts';

/**
 * Something built from a plant's names, kept while the names stay the same. The core makes a new World for each turn (its clock
 * moves on), so the same names in a new object must not be built again.
 */
export function perPlant<T>(build: (world: World) => T): (world: World) => T {
  const byObject = new WeakMap<World, T>();
  const byNames: { names: string; made: T }[] = [];
  return (world) => {
    const known = byObject.get(world);
    if (known !== undefined) return known;
    const names = JSON.stringify([world.tags, world.devices, world.serial_ports]);
    let entry = byNames.find((e) => e.names === names);
    if (!entry) {
      entry = { names, made: build(world) };
      byNames.unshift(entry);
      byNames.length = Math.min(byNames.length, 4);
    }
    byObject.set(world, entry.made);
    return entry.made;
  };
}
