import type { Planner } from '../../../shared/contracts/agent.ts';
import { createChatPlanner, type ChatPlannerOptions } from '../chat/planner.ts';
import { createOllamaClient, type OllamaOptions } from './client.ts';

/** An Ollama model behind the planner port. */
export function createOllamaPlanner(options: OllamaOptions & Omit<ChatPlannerOptions, 'wire' | 'name'>): Planner {
  const { wire } = createOllamaClient(options);
  return createChatPlanner({ ...options, name: `ollama:${options.model}`, wire });
}
