export { createTools } from './createTools.ts';
export type { HttpHost, LogAnalysis, PortInfo, Scan, ScanProgress, ScanRequest, ToolDeps } from './deps.ts';
