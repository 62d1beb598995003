import type { Devices } from '../../shared/contracts/devices.ts';
import type { Plant } from '../../shared/contracts/plant.ts';
import type { Blobs, HistoryStore, RecordStore } from '../../shared/contracts/record.ts';
import type { Sandbox } from '../../shared/contracts/sandbox.ts';
import type { Clock } from '../../shared/contracts/tools.ts';
import type { ToolContext } from '../../shared/contracts/tools.ts';

export type PortInfo = { path: string; manufacturer: string | null; serialNumber: string | null };

/** What the log room offers the tool; it picks the file and does the counting in its own process. */
export type LogAnalysis = (
  request: { action: string; topic: string; from?: string; to?: string; file?: string },
  context: Pick<ToolContext, 'signal' | 'lang'>,
) => Promise<unknown>;

/** Everything the tools reach the world by. What is absent makes its tool answer that it is not available. */
export type ToolDeps = {
  plant: Plant;
  /** The reading end of `guardWires`. */
  devices: Devices;
  record: Pick<RecordStore, 'undoable' | 'sessions' | 'calls'>;
  history: Pick<HistoryStore, 'read' | 'series' | 'last'>;
  clock: Clock;
  ids(): string;
  listPorts(): Promise<PortInfo[]>;
  sandbox?: Sandbox;
  analyzeLog?: LogAnalysis;
  /** The folder files may be read from and written to. */
  root?: string;
  blobs?: Blobs;
  /** Hosts http_request may reach, each with what it may do. Empty: none. */
  httpHosts?: readonly HttpHost[];
};
export type HttpHost = { host: string; port?: number; allowPrivate?: boolean; methods?: readonly string[]; ca?: string };
