import type { ResultEnvelope } from '../../shared/contracts/calls.ts';
import { wellFormedText } from './wellFormed.ts';

/** Tools whose results carry text that somebody outside wrote: files, logs, devices' own strings, other programs. */
const untrusted = new Set([
  'read_file',
  'list_files',
  'analyze_log',
  'http_request',
  'run_shell',
  'serial_exchange',
  'scan_devices',
  'execute',
  'job',
]);

export function isUntrusted(tool: string, more: readonly string[] = []): boolean {
  return untrusted.has(tool) || more.includes(tool) || tool.startsWith('mcp_') || tool.includes('__');
}

/** What a card shows a person who is asked for a write after such text was read: the source and its first words. */
export function taintOf(tool: string, result: ResultEnvelope, more: readonly string[] = []): string[] {
  if (!isUntrusted(tool, more) || !result.ok) return [];
  const text = longestText(result.result);
  return text === '' ? [] : [wellFormedText(`${tool}: ${text.replace(/\s+/g, ' ').slice(0, 120)}`)];
}

function longestText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return Object.values(value)
    .map(longestText)
    .reduce((a, b) => (b.length > a.length ? b : a), '');
}
