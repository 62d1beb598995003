import type { Lang } from '../errors.ts';

/** The plant as the built-in planner sees it: names and limits, no values. The shape of `fixtures/intents/world.json`. */
export type World = {
  /** Local plant time, `YYYY-MM-DDTHH:MM:SS`. */
  now: string;
  serial_ports: string[];
  devices: WorldDevice[];
  tags: WorldTag[];
};
export type WorldDevice = {
  id: string;
  unit: number;
  link: { host: string; tcp_port: number } | { port: string; baud: number };
  connected: boolean;
  aliases: string[];
};
export type WorldTag = { name: string; unit?: string; type?: string; min?: number; max?: number; write: boolean; aliases: string[] };

export type IntentName =
  | 'modbus_read'
  | 'modbus_write'
  | 'tag_read'
  | 'tag_write'
  | 'undo'
  | 'scan_devices'
  | 'list_ports'
  | 'connect'
  | 'trend'
  | 'aggregate'
  | 'analyze_log'
  | 'list_tags'
  | 'explain_error'
  | 'help'
  | 'multi'
  | 'refuse'
  | 'unknown';

/** What a request means, by the rules of `fixtures/intents/README.md`. */
export type Interpretation = {
  intent: IntentName;
  params: Record<string, unknown>;
  needs_clarification: boolean;
  reason: string | null;
};

/**
 * What was said before in this session, for follow-ups ("and pump 2?"), and the files that came with this question: then
 * "the log" and columns by name mean them.
 */
export type Conversation = { last: Interpretation | null; files?: readonly string[] };

export type Interpret = (text: string, world: World, conversation?: Conversation, lang?: Lang) => Interpretation;
