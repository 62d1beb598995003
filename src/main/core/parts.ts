import type { LivePlant } from '../plant/index.ts';
import type { HostedSandbox } from '../sandbox/index.ts';
import type { Agent } from '../../shared/contracts/agent.ts';
import type { Arming } from '../../shared/contracts/approvals.ts';
import type { Gateway } from '../../shared/contracts/calls.ts';
import type { Devices } from '../../shared/contracts/devices.ts';
import type { HistoryStore, RecordStore } from '../../shared/contracts/record.ts';
import type { World } from '../../shared/planner/types.ts';
import type { Lang } from '../../shared/errors.ts';
import type { ApprovalDesk } from './approvalDesk.ts';
import type { FileDesk } from './fileDesk.ts';
import type { PlantDesk } from './plantDesk.ts';
import type { SettingsStore } from './settings.ts';

export type Door = 'cli' | 'web' | 'electron' | 'mcp';

/** What `core.ts` has joined; the API for window and page is built on it. */
export type CoreParts = {
  door: Door;
  dataFolder: string;
  lang: Lang;
  operator(): string;
  agent: Agent;
  gateway: Gateway;
  arming: Arming;
  desk: ApprovalDesk;
  devices: Devices;
  plant: LivePlant;
  record: RecordStore;
  history: HistoryStore;
  sandbox: HostedSandbox;
  settings: SettingsStore;
  files: FileDesk;
  plants: PlantDesk;
  world(): World;
  /** The planner that the next turn will use, and how it stands. */
  modelState(): { planner: string; state: 'ready' | 'loading' | 'offline' | 'error' };
};
