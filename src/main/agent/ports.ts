import type { Planner } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, Gateway, ResultEnvelope } from '../../shared/contracts/calls.ts';
import type { RecordStore, SnapshotStore } from '../../shared/contracts/record.ts';
import type { Clock } from '../../shared/contracts/tools.ts';
import type { World } from '../../shared/planner/types.ts';
import type { Fuses } from './fuses.ts';

/** What the agent is handed by the core. Each is the few methods it uses. */
export type AgentDeps = {
  gateway: Pick<Gateway, 'call' | 'callAll' | 'contracts' | 'cancel' | 'onNews'>;
  /** The planner a session is set to; asked anew for every turn, so a change counts from the next one. */
  plannerFor(sessionId: string): Planner;
  record: Pick<RecordStore, 'append' | 'events' | 'calls'>;
  snapshots: SnapshotStore;
  clock: Clock;
  /** Fresh ids, sortable by time. */
  ids(): string;
  world(): World;
  armedDevices(): readonly string[];
  /** Another judge of a drafted answer beside grounding; null: nothing against it. Its time is the fuse of VERIFICATION. */
  verify?(draft: string, results: readonly { call: CallEnvelope; result: ResultEnvelope }[]): Promise<string | null>;
  /** Further tools whose results are text from outside (those of other programs). */
  taintedTools?: readonly string[];
  fuses?: Partial<Fuses>;
};
