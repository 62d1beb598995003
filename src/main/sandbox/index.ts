export { createSandbox, type HostedSandbox, type RunHooks, type SandboxHealth, type SandboxOptions } from './sandbox.ts';
export { enforcement, type LevelState } from './levels.ts';
export { runLimits } from './limits.ts';
