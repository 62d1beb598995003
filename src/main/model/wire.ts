import type { ToolDeclaration } from './prompt/tools.ts';

// What the chat planner needs of a model server, whatever its protocol.

export type RawCall = { id?: string; name: unknown; arguments: unknown };

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: { id: string; name: string; arguments: Record<string, unknown> }[] }
  | { role: 'tool'; id: string; name: string; content: string };

export type ChatRequest = { messages: ChatMessage[]; tools: ToolDeclaration[]; think: boolean | null; numCtx: number; numPredict: number };

export type WireEvent =
  | { type: 'text'; delta: string }
  | { type: 'thinking'; delta: string }
  | { type: 'calls'; calls: RawCall[] }
  | { type: 'done'; reason: string | null; promptTokens: number | null; answerTokens: number | null };

/** What is known of the model; null: the server did not tell. */
export type ModelFacts = {
  tools: boolean | null;
  thinking: boolean | null;
  contextLength: number | null;
  /** The server's count of the prompt includes what it had cached, so a low count proves that it dropped something. */
  countsWholePrompt: boolean;
};

export interface ChatWire {
  readonly model: string;
  facts(signal: AbortSignal): Promise<ModelFacts>;
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<WireEvent>;
  /** Is the model in memory? Tells "loading" from "reading the prompt" while nothing comes. Null: cannot tell. */
  isLoaded(signal: AbortSignal): Promise<boolean | null>;
  /** The window really loaded, where the server tells. */
  loadedContext(signal: AbortSignal): Promise<number | null>;
}
