import type { JsonSchema } from '../../../shared/contracts/calls.ts';

/** A tool as it was offered in this turn. `write`: anything that acts on the world; only exact calls of it count. */
export type OfferedTool = { name: string; effect: 'read' | 'write'; parameters: JsonSchema };

/** A whole finished answer as it was received. */
export type RawAnswer = {
  content: string;
  thinking?: string;
  toolCalls?: { id?: string; name: unknown; arguments: unknown }[];
  /** Absent or empty: ended by itself. */
  doneReason?: string | null;
};

export type AcceptedCall = { name: string; arguments: Record<string, unknown>; id?: string; from: 'structured' | 'text' | 'thinking' };
export type RefusalCode = 'unknown_tool' | 'invalid_arguments' | 'not_a_call';
export type RefusedCall = { name: string; code: RefusalCode; tellModel: string; id?: string };
export type RejectCode = 'truncated' | RefusalCode;

export type Verdict = {
  calls: AcceptedCall[];
  /** What the person sees as text. */
  text: string;
  reject: { code: RejectCode; tellModel: string | null } | null;
  /** Accepted and refused calls in the order they stood, for answering each of them. */
  sequence: ({ accepted: AcceptedCall } | { refused: RefusedCall })[];
};

/** A call found in an answer, before names and arguments are judged. */
export type FoundCall = {
  name: unknown;
  /** Undefined: left out. */
  args: unknown;
  /** The answer ended inside it. */
  cut: boolean;
  /** It could not be read even with repair. */
  bad: boolean;
  id?: string;
};
