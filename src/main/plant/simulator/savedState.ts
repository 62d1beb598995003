import { readFileSync, renameSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import { writeAtomically } from '../plantFile.ts';
import { newBoilerHouse, type BoilerHouse } from './boilerHouse.ts';

/** What the simulated plant keeps between two runs: its clock and physics, and every register and coil that is not zero. */
export type SavedState = {
  version: 1;
  house: BoilerHouse;
  memory: { unitId: number; table: 'holding' | 'coil'; address: number; value: number }[];
};

const like = (sample: object): object => ({
  type: 'object',
  required: Object.keys(sample),
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(sample).map(([key, value]) => [key, { type: typeof value }])),
});
const sample = newBoilerHouse(0);
const validate = new Ajv2020().compile<SavedState>({
  type: 'object',
  required: ['version', 'house', 'memory'],
  properties: {
    version: { const: 1 },
    house: {
      type: 'object',
      required: ['at', 'commands', 'process'],
      properties: { at: { type: 'number' }, commands: like(sample.commands), process: like(sample.process) },
    },
    memory: {
      type: 'array',
      items: {
        type: 'object',
        required: ['unitId', 'table', 'address', 'value'],
        properties: {
          unitId: { type: 'integer' },
          table: { enum: ['holding', 'coil'] },
          address: { type: 'integer', minimum: 0 },
          value: { type: 'integer', minimum: 0, maximum: 65535 },
        },
      },
    },
  },
});

/** The state found, or null with a note why the plant starts fresh. A file that is not ours to understand is put aside, not lost. */
export function loadState(path: string | undefined): { state: SavedState | null; note: string | null } {
  if (path === undefined) return { state: null, note: null };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { state: null, note: null };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (validate(value)) return { state: value, note: null };
  } catch {
    // put aside below
  }
  renameSync(path, `${path}.unreadable`);
  return { state: null, note: `the saved state of the simulated plant could not be read and was put aside as ${path}.unreadable` };
}

/** Before a write is confirmed it is in the file: an undo in a later process must find it. No fsync: it is only a simulation. */
export function saveState(path: string | undefined, state: SavedState): void {
  if (path !== undefined) writeAtomically(path, JSON.stringify(state), { sync: false });
}
