/** Who waits for whom: dependencies, and a parent for its children. */
export type WaitsFor = (callId: string) => readonly string[];

/** The path of a cycle through `start`, first name repeated at its end, or null. Iterative: a chain may be 10,000 long. */
export function findCycle(start: string, waitsFor: WaitsFor): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  const stack = [start];
  while (stack.length > 0) {
    const at = stack.pop()!;
    for (const next of waitsFor(at)) {
      if (next === start) {
        const path = [start];
        for (let node: string | null = at; node !== null && node !== start; node = cameFrom.get(node) ?? null) path.unshift(node);
        return [start, ...path];
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      stack.push(next);
    }
  }
  return null;
}

/** The first cycle in a batch, or null. Depth first with colours, so that each edge is walked once. */
export function findCycleInBatch(ids: readonly string[], waitsFor: WaitsFor): string[] | null {
  const done = new Set<string>();
  for (const root of ids) {
    if (done.has(root)) continue;
    const path: { id: string; next: number }[] = [{ id: root, next: 0 }];
    const onPath = new Set([root]);
    while (path.length > 0) {
      const top = path[path.length - 1]!;
      const target = waitsFor(top.id)[top.next++];
      if (target === undefined) {
        done.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(target)) {
        const names = path.map((p) => p.id);
        return [...names.slice(names.indexOf(target)), target];
      } else if (!done.has(target)) {
        onPath.add(target);
        path.push({ id: target, next: 0 });
      }
    }
  }
  return null;
}
