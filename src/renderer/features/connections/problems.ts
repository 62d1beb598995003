import type { PlantProblem } from '../../../shared/contracts/plant.ts';
import type { Lang } from '../../../shared/errors.ts';

export type Why = (pointer: string) => string | undefined;

/** What is wrong at one place of the edited file. A complaint about a thing as a whole stands at its `id`. */
export function placesOf(problems: readonly PlantProblem[], lang: Lang): Why {
  const byPlace = new Map<string, string>();
  for (const { pointer, why } of problems) if (!byPlace.has(pointer)) byPlace.set(pointer, why[lang]);
  return (pointer) => byPlace.get(pointer) ?? (pointer.endsWith('/id') ? byPlace.get(pointer.slice(0, -3)) : undefined);
}
/** How many complaints lie inside a place. */
export const countWithin = (problems: readonly PlantProblem[], pointer: string): number =>
  problems.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)).length;
