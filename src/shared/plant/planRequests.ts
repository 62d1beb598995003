import type { ModbusTable } from '../contracts/approvals.ts';

/** The registers (or bits) one tag occupies. A span is never split over two requests: half a float is a wrong value. */
export type Span = { tag: string; unitId: number; table: ModbusTable; address: number; length: number };
export type Hole = { table: ModbusTable; from: number; to: number };
export type PlanLimits = {
  maxRegisters: number;
  maxBits: number;
  /** Unused registers (or bits) that may be read along to save a request. */
  maxGap: number;
  /** Addresses that must not be read along: known to be refused, or to have side effects. */
  holes: readonly Hole[];
  /** Tags that the device refused by themselves: read alone, so that they cannot blank their neighbours. */
  alone: ReadonlySet<string>;
  /** Some meters answer even quantities only (all their values are 32 bits wide). */
  evenQuantity: boolean;
};
export type PlannedRequest = { unitId: number; table: ModbusTable; address: number; quantity: number; spans: readonly Span[] };

export const protocolLimits = { maxRegisters: 125, maxBits: 2000 } as const;
export const noLimits: PlanLimits = { ...protocolLimits, maxGap: 0, holes: [], alone: new Set(), evenQuantity: false };

export const isBitTable = (table: ModbusTable): boolean => table === 'coil' || table === 'discrete';

/**
 * Tags to requests: per unit and table, sorted, joined from the left as far as gap, limit and holes allow. Greedy from the
 * left in order of start gives the fewest requests (checked against dynamic programming on the 1,000-tag table).
 * Throws when the plan would not cover a tag: a forgotten tag would show an old value for ever.
 */
export function planRequests(spans: readonly Span[], limitsOf: (unitId: number) => PlanLimits): PlannedRequest[] {
  const groups = new Map<string, Span[]>();
  for (const span of spans) {
    const key = `${span.unitId} ${span.table}`;
    const group = groups.get(key);
    if (group) group.push(span);
    else groups.set(key, [span]);
  }
  const requests: PlannedRequest[] = [];
  for (const group of groups.values()) requests.push(...planGroup(group, limitsOf(group[0]!.unitId)));
  checkCoverage(spans, requests);
  return requests;
}

function planGroup(group: readonly Span[], limits: PlanLimits): PlannedRequest[] {
  const { unitId, table } = group[0]!;
  const max = isBitTable(table) ? limits.maxBits : limits.maxRegisters;
  const holes = limits.holes.filter((hole) => hole.table === table);
  const sorted = [...group].sort((a, b) => a.address - b.address || a.address + a.length - (b.address + b.length));
  const requests: PlannedRequest[] = [];
  let open: { from: number; end: number; spans: Span[] } | null = null;
  const close = () => {
    if (open)
      requests.push({
        unitId,
        table,
        address: open.from,
        quantity: evened(open.from, open.end - open.from, max, limits.evenQuantity),
        spans: open.spans,
      });
    open = null;
  };
  for (const span of sorted) {
    const end = span.address + span.length;
    if (limits.alone.has(span.tag)) {
      requests.push({
        unitId,
        table,
        address: span.address,
        quantity: evened(span.address, span.length, max, limits.evenQuantity),
        spans: [span],
      });
      continue;
    }
    const current: { from: number; end: number; spans: Span[] } | null = open;
    if (current !== null && joins(current, span, max, limits.maxGap, holes)) {
      current.spans.push(span);
      current.end = Math.max(current.end, end);
    } else {
      close();
      open = { from: span.address, end, spans: [span] };
    }
  }
  close();
  return requests;
}

function joins(open: { from: number; end: number }, span: Span, max: number, maxGap: number, holes: readonly Hole[]): boolean {
  const end = Math.max(open.end, span.address + span.length);
  if (span.address - open.end > maxGap || end - open.from > max) return false;
  return !holes.some((hole) => hole.from < span.address && hole.to >= open.end);
}

function evened(address: number, quantity: number, max: number, even: boolean): number {
  return even && quantity % 2 === 1 && quantity < max && address + quantity < 65536 ? quantity + 1 : quantity;
}

function checkCoverage(spans: readonly Span[], requests: readonly PlannedRequest[]): void {
  const covered = new Map<Span, number>();
  for (const request of requests) {
    for (const span of request.spans) {
      const inside = span.address >= request.address && span.address + span.length <= request.address + request.quantity;
      if (!inside)
        throw new RangeError(
          `the plan reads ${request.table} ${request.address}+${request.quantity}, which does not hold all of ${span.tag}`,
        );
      covered.set(span, (covered.get(span) ?? 0) + 1);
    }
  }
  for (const span of spans) {
    if (covered.get(span) !== 1) throw new RangeError(`the plan reads ${span.tag} ${covered.get(span) ?? 0} times instead of once`);
  }
}

/**
 * A refused block in two: at its widest gap, else nearest the middle, so that a hole is found in few steps and a bad tag
 * ends alone. `gap` is what lay between the halves; null when the block holds one tag and cannot be split.
 */
export function splitRequest(
  request: PlannedRequest,
): { left: PlannedRequest; right: PlannedRequest; gap: { from: number; to: number } | null } | null {
  const { spans } = request;
  if (spans.length < 2) return null;
  const ends: number[] = [];
  let end = 0;
  for (const span of spans) {
    end = Math.max(end, span.address + span.length);
    ends.push(end);
  }
  const middle = request.address + request.quantity / 2;
  let best = 1;
  let bestScore = -Infinity;
  for (let at = 1; at < spans.length; at++) {
    const gap = spans[at]!.address - ends[at - 1]!;
    const score = Math.max(gap, 0) * 65536 - (gap < 0 ? 1e9 : 0) - Math.abs(spans[at]!.address - middle);
    if (score > bestScore) {
      bestScore = score;
      best = at;
    }
  }
  const part = (some: readonly Span[]): PlannedRequest => {
    const from = Math.min(...some.map((s) => s.address));
    const to = Math.max(...some.map((s) => s.address + s.length));
    return { unitId: request.unitId, table: request.table, address: from, quantity: to - from, spans: some };
  };
  const from = ends[best - 1]!;
  const to = spans[best]!.address - 1;
  return { left: part(spans.slice(0, best)), right: part(spans.slice(best)), gap: to >= from ? { from, to } : null };
}

/**
 * How many unused registers cost less than one more request on a serial line: a request costs 13 characters, two silences
 * and the device's own time; a register costs two characters. Over TCP a register is nearly free: as many as fit.
 */
export function breakEvenGap(line: { baud: number | null; deviceTimeMs: number }): number {
  if (line.baud === null) return protocolLimits.maxRegisters - 1;
  const characterMs = 11_000 / line.baud;
  const silenceMs = line.baud > 19_200 ? 1.75 : 3.5 * characterMs;
  return Math.max(0, Math.floor((13 * characterMs + 2 * silenceMs + line.deviceTimeMs) / (2 * characterMs)));
}
