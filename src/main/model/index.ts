export { createChatPlanner, type ChatPlannerOptions } from './chat/planner.ts';
export { classify, type OfferedTool, type RawAnswer, type Verdict } from './classify/index.ts';
export { createOllamaClient, type OllamaClient, type OllamaOptions } from './ollama/client.ts';
export { createOllamaPlanner } from './ollama/planner.ts';
export { createOpenAiClient, type OpenAiClient, type OpenAiOptions } from './openai/client.ts';
export { createOpenAiPlanner } from './openai/planner.ts';
export { estimateTokens } from './prompt/estimate.ts';
