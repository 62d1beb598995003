import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../../shared/contracts/calls.ts';
import type { Fault } from './values.ts';

const ajv = new Ajv2020({ strict: false, strictNumbers: true, allErrors: true, validateFormats: false });
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** What of the arguments does not fit the schema: each failing field once, with what it must be. */
export function schemaFaults(args: unknown, schema: JsonSchema): Fault[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(args)) return [];
  const faults = new Map<string, Fault>();
  for (const error of validate.errors ?? []) {
    const field = fieldOf(error);
    if (!faults.has(field)) faults.set(field, { field, what: wanted(field, schema, error) });
  }
  return [...faults.values()];
}

function fieldOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const path = error.instancePath.replace(/^\//, '');
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof name === 'string') return path === '' ? name : `${path}/${name}`;
  return path === '' ? 'arguments' : path;
}

/** "must be an integer from 1 to 247": the whole wish, so that the model need not guess twice. */
function wanted(field: string, schema: JsonSchema, error: ErrorObject): string {
  if (error.keyword === 'required') return 'is missing';
  if (error.keyword === 'additionalProperties') return 'is an unknown argument';
  const property = (schema['properties'] as Record<string, JsonSchema> | undefined)?.[field.split('/')[0]!];
  if (property === undefined || field.includes('/')) return error.message ?? 'does not fit';
  const types = ([] as unknown[]).concat(property['type'] ?? []).join(' or ');
  const range =
    property['minimum'] !== undefined || property['maximum'] !== undefined
      ? ` from ${bound(property['minimum'], '-∞')} to ${bound(property['maximum'], '∞')}`
      : '';
  const choice = Array.isArray(property['enum']) ? ` one of ${(property['enum'] as unknown[]).join(', ')}` : '';
  const size =
    error.keyword === 'minItems' ||
    error.keyword === 'maxItems' ||
    error.keyword === 'minLength' ||
    error.keyword === 'maxLength' ||
    error.keyword === 'pattern'
      ? ` (${error.message ?? ''})`
      : '';
  return `must be ${types}${range}${choice}${size}`.trim();
}

const bound = (value: unknown, open: string): string => (typeof value === 'number' ? String(value) : open);
