import type { RawCall } from '../wire.ts';

type Part = { key: string; id: string | null; name: string; args: string };
type Delta = { index?: unknown; id?: unknown; function?: { name?: unknown; arguments?: unknown } | null };

/**
 * Puts calls together from their fragments. Servers number them by index, by id, by both, or repeat index 0 for every
 * parallel call, so a new id or a name that starts anew begins a new call, whatever the index says.
 */
export function createCallParts() {
  const parts: Part[] = [];

  function add(delta: Delta): void {
    const index = typeof delta.index === 'number' ? delta.index : null;
    const id = typeof delta.id === 'string' && delta.id !== '' ? delta.id : null;
    const name = typeof delta.function?.name === 'string' ? delta.function.name : '';
    const args = delta.function?.arguments;
    const text = typeof args === 'string' ? args : args === undefined || args === null ? '' : JSON.stringify(args);
    const open = find(index, id, name);
    if (open === undefined) parts.push({ key: String(index), id, name, args: text });
    else {
      open.id ??= id;
      if (open.name === '') open.name = name;
      open.args += text;
    }
  }

  function find(index: number | null, id: string | null, name: string): Part | undefined {
    if (id !== null) {
      const same = parts.find((p) => p.id === id);
      if (same !== undefined) return same;
      const waiting = index === null ? undefined : parts.findLast((p) => p.key === String(index) && p.id === null);
      return waiting !== undefined && name === '' ? waiting : undefined;
    }
    const last = index === null ? parts.at(-1) : parts.findLast((p) => p.key === String(index));
    // A second name for the same index is a second call: its first one is complete.
    return last !== undefined && name !== '' && last.name !== '' && last.args !== '' ? undefined : last;
  }

  return {
    add,
    calls: (): RawCall[] => parts.map((p) => ({ ...(p.id === null ? {} : { id: p.id }), name: p.name, arguments: p.args })),
    any: (): boolean => parts.length > 0,
  };
}
