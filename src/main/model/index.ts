export { createOllamaPlanner } from './ollama/planner.ts';
export { createChatPlanner, type ChatPlannerOptions } from './chat/planner.ts';
export { classify, type OfferedTool, type RawAnswer, type Verdict } from './classify/index.ts';
export { createOllamaClient, type OllamaClient, type OllamaOptions } from './ollama/client.ts';
