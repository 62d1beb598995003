import type { Planner } from '../../../shared/contracts/agent.ts';
import { createChatPlanner, type ChatPlannerOptions } from '../chat/planner.ts';
import { createOpenAiClient, type OpenAiOptions } from './client.ts';

/** A model on an OpenAI-compatible local server behind the planner port. */
export function createOpenAiPlanner(options: OpenAiOptions & Omit<ChatPlannerOptions, 'wire' | 'name'>): Planner {
  const { wire } = createOpenAiClient(options);
  return createChatPlanner({ ...options, name: `openai:${options.model}`, wire });
}
