export { createSandbox, type HostedSandbox, type RunHooks, type SandboxHealth, type SandboxOptions } from './sandbox.ts';
export { enforcement } from './enforcement.ts';
export type { LevelState } from './levels.ts';
export { runLimits } from './limits.ts';
