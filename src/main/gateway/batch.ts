import type { HandrailError } from '../../shared/errors.ts';
import type { CallRequest } from '../../shared/contracts/calls.ts';
import type { CallBook } from './callBook.ts';
import { findCycleInBatch } from './graph.ts';
import type { Job } from './job.ts';
import { createWriteRequest, type WriteRequest, type WriteRequestDeps } from './writeRequest.ts';

/** A cycle among calls that wait for each other: a call for its dependencies, an open parent for its children. */
export function cycleOf(requests: readonly CallRequest[], ids: readonly string[], book: CallBook): string[] | null {
  if (requests.every((r) => (r.dependsOn ?? []).length === 0)) return null;
  const inBatch = new Map(requests.map((r, i) => [ids[i]!, r]));
  const children = new Map<string, string[]>();
  requests.forEach((r, i) => {
    for (let parent = r.parentCallId ?? null; parent !== null; parent = book.open.get(parent)?.parent ?? null) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [ids[i]!]);
      else known.push(ids[i]!);
    }
  });
  return findCycleInBatch(ids, (id) => [
    ...(inBatch.get(id)?.dependsOn ?? book.open.get(id)?.dependsOn ?? []),
    ...(children.get(id) ?? []),
  ]);
}

/**
 * The plant writes of one batch, turn by turn, each as one request with one card. A listed write that was refused before it
 * came to policy is a member too: it refuses the others. Dry runs stand alone.
 */
export function groupWrites(
  batch: {
    requests: readonly CallRequest[];
    ids: readonly string[];
    jobs: readonly Job[];
    refused: readonly { callId: string; error: HandrailError }[];
  },
  deps: WriteRequestDeps,
): Map<string, WriteRequest> {
  const groups = new Map<string, WriteRequest>();
  const writing = batch.jobs.filter((job) => job.registered.contract.effect === 'write-plant' && job.request.dryRun !== true);
  if (writing.length === 0) return groups;
  const order = inOrder(batch.requests, batch.ids);
  for (const listed of Map.groupBy(writing, (job) => `${job.call.session_id} ${job.call.turn_id}`).values()) {
    const members = [...listed.map((job) => job.call.call_id), ...batch.refused.map((r) => r.callId)].sort(
      (a, b) => order.get(a)! - order.get(b)!,
    );
    const group = createWriteRequest(members, deps);
    for (const { callId, error } of batch.refused) {
      group.arrive(callId, null, error);
      group.leave(callId, null);
    }
    for (const job of listed) groups.set(job.call.call_id, group);
  }
  return groups;
}

/** Place of each call in an order where whoever is waited for comes first, else as listed. */
export function inOrder(requests: readonly CallRequest[], ids: readonly string[]): Map<string, number> {
  const at = new Map(ids.map((id, i) => [id, i]));
  const order = new Map<string, number>();
  for (const root of ids) {
    const stack = [root];
    while (stack.length > 0) {
      const id = stack[stack.length - 1]!;
      const next = order.has(id) ? undefined : (requests[at.get(id)!]!.dependsOn ?? []).find((d) => at.has(d) && !order.has(d));
      if (next !== undefined) stack.push(next);
      else {
        if (!order.has(id)) order.set(id, order.size);
        stack.pop();
      }
    }
  }
  return order;
}
