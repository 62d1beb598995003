import { HandrailError } from '../../shared/errors.ts';
import type { Effect, ToolContract } from '../../shared/contracts/calls.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { compileSchema, type Check } from './schemas.ts';

export type Registered = {
  tool: ToolDefinition;
  contract: ToolContract;
  parameters: readonly string[];
  checkArgs: Check;
  checkResult: Check;
};

const isWrite = (effect: Effect): boolean => effect !== 'read' && effect !== 'none';

/** The tools by name. A contract that is not whole stops the program at its start, not an engineer in the middle of work. */
export function createRegistry(tools: readonly ToolDefinition[]) {
  const byName = new Map<string, Registered>();
  for (const tool of tools) {
    const { contract } = tool;
    if (byName.has(contract.name)) throw broken(contract.name, 'the name is taken');
    byName.set(contract.name, register(tool));
  }
  const known = [...byName.keys()];

  return {
    list: (): Registered[] => [...byName.values()],
    /** Exact for what writes; for reads also in the spelling a model gave it (`Tag-Read`, `functions.tag_read`). */
    find(name: string): Registered {
      const exact = byName.get(name);
      if (exact !== undefined) return exact;
      const near = byName.get(normaliseName(name));
      if (near !== undefined && !isWrite(near.contract.effect)) return near;
      throw new HandrailError('TOOL_UNKNOWN', { detail: { tool: shown(name), known: known.join(', ') } });
    },
  };
}

/** Rule 6 of the tool-call repair page: no edit distance, no part of a name, no guess. */
export function normaliseName(name: string): string {
  const cut = name.slice(0, 200).split('<|')[0]!;
  return cut
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[-\s]/g, '_')
    .replace(/_tool$/, '')
    .replace(/^.*(?:\.|:|\/|__)/, '');
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 60)).slice(1, -1);
const broken = (tool: string, reason: string): HandrailError => new HandrailError('TOOL_CONTRACT', { detail: { tool, reason } });

function register(tool: ToolDefinition): Registered {
  const { contract } = tool;
  const { name } = contract;
  if (!/^[a-z][a-z0-9_]{1,40}$/.test(name)) throw broken(name, 'the name must be snake_case');
  for (const lang of ['en', 'zh'] as const) {
    if (contract.title[lang].trim() === '' || contract.description[lang].trim() === '')
      throw broken(name, `title or description is missing in ${lang}`);
  }
  const limit = contract.executionTimeoutMs;
  if (!Number.isInteger(limit) || limit < 1000 || limit > 30_000) throw broken(name, `executionTimeoutMs is ${limit}, not 1000 to 30000`);
  if (contract.isDeterministic && isWrite(contract.effect)) throw broken(name, 'what writes cannot be deterministic');
  if (contract.effect === 'write-plant') {
    if (tool.plan === undefined || tool.run !== undefined) throw broken(name, 'a tool that writes to the plant plans and does not run');
    if (contract.undo === 'none') throw broken(name, 'a write to the plant needs its undo');
    if (contract.fallback !== 'none' && contract.fallback !== 'ask-person') throw broken(name, 'nothing may stand in for a write');
  } else if (tool.run === undefined) throw broken(name, 'it has nothing to run');
  if (contract.effect === 'write-file' && (tool.files === undefined || contract.undo !== 'file-content'))
    throw broken(name, 'a file write shows its files and keeps their content');
  if (contract.fallback === 'last-known' && tool.lastKnown === undefined) throw broken(name, 'fallback last-known without lastKnown');
  if (contract.parameters.type !== 'object' || contract.parameters.additionalProperties !== false) {
    throw broken(name, 'parameters must be an object that allows no other properties');
  }
  try {
    return {
      tool,
      contract,
      parameters: Object.keys(contract.parameters.properties ?? {}),
      checkArgs: compileSchema(contract.parameters),
      checkResult: compileSchema(contract.returnSchema),
    };
  } catch (error) {
    throw broken(name, error instanceof Error ? error.message : String(error));
  }
}
