export { createTools } from './createTools.ts';
export type { HttpHost, LogAnalysis, PortInfo, ToolDeps } from './deps.ts';
