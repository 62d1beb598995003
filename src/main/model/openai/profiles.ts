/** What differs between OpenAI-compatible servers, as far as it changes what we send or believe. */
export type Profile = {
  name: 'generic' | 'lm-studio' | 'llama.cpp' | 'vllm';
  /** Asks for counts at the end of the stream; servers that do not know the option answer 400. */
  includeUsage: boolean;
  /** `tool_calls` as finish reason even when the answer was cut at the token limit (vLLM). */
  finishLies: boolean;
  /** The server starts tools only when asked to (parallel off by default on llama.cpp). */
  parallelToolCalls: boolean | null;
  /** Turns thinking on or off through the chat template. */
  templateThinking: boolean;
};

export const profiles: Record<Profile['name'], Profile> = {
  generic: { name: 'generic', includeUsage: true, finishLies: true, parallelToolCalls: null, templateThinking: false },
  'lm-studio': { name: 'lm-studio', includeUsage: true, finishLies: false, parallelToolCalls: null, templateThinking: false },
  'llama.cpp': { name: 'llama.cpp', includeUsage: true, finishLies: false, parallelToolCalls: true, templateThinking: true },
  vllm: { name: 'vllm', includeUsage: true, finishLies: true, parallelToolCalls: null, templateThinking: true },
};
