import { HandrailError } from '../../src/shared/errors.ts';

export type NamedCall = string | { name: string; arguments: Record<string, unknown> };
export type Expectation = {
  calls?: NamedCall[];
  executed?: NamedCall[];
  proposed?: NamedCall[];
  confirmations?: number;
  toolErrors?: number;
  toolMessages?: number;
  final?: string | (string | null)[];
  finalContains?: string | string[];
  length?: number | (number | null)[];
  error_code?: string | null | (string | null)[];
  errorContains?: string | string[];
  neverShown?: string[];
  requests?: number;
  maxRequests?: number;
  aborted?: boolean;
};
export type Scenario = {
  name?: string;
  models?: { name: string }[];
  ask?: string[];
  model?: string;
  toolResults?: Record<string, unknown>;
  arm?: boolean;
  approve?: 'yes' | 'no';
  cancelAfterMs?: number;
  expect?: Expectation;
};

const fileKeys = [
  'name',
  'description',
  'version',
  'num_ctx',
  'models',
  'turns',
  'afterLast',
  'pull',
  'status',
  'ask',
  'model',
  'toolResults',
  'arm',
  'approve',
  'cancelAfterMs',
  'expect',
];
const expectKeys = [
  'calls',
  'executed',
  'proposed',
  'confirmations',
  'toolErrors',
  'toolMessages',
  'final',
  'finalContains',
  'length',
  'error_code',
  'errorContains',
  'neverShown',
  'requests',
  'maxRequests',
  'aborted',
];
const forPeople = (key: string): boolean => key === 'summary' || key.startsWith('note');

/** A scenario as its page describes it; a key the page does not name fails the file. */
export function readScenario(text: string): Scenario {
  const scenario = JSON.parse(text) as Scenario;
  const unknown = [
    ...Object.keys(scenario).filter((k) => !fileKeys.includes(k) && !forPeople(k)),
    ...Object.keys(scenario.expect ?? {})
      .filter((k) => !expectKeys.includes(k) && !forPeople(k))
      .map((k) => `expect.${k}`),
  ];
  if (unknown.length > 0) throw new HandrailError('ARGS_INVALID', { detail: { reason: `unknown keys: ${unknown.join(', ')}` } });
  return scenario;
}
