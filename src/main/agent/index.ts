export { createAgent } from './agent.ts';
export { createBuiltinPlanner, type NextStep } from './builtinPlanner.ts';
export { fuseBounds, seedFuses, settleFuses, type Fuses } from './fuses.ts';
export type { AgentDeps } from './ports.ts';
