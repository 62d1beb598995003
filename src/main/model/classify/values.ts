import type { JsonSchema } from '../../../shared/contracts/calls.ts';
import { readLoose } from './looseJson.ts';

// Rule 8 for reads: what a value may be turned into, and nothing beyond.

const tableSynonyms: Record<string, string[]> = {
  holding: ['holding_register', 'holding_registers', 'hr', '保持寄存器'],
  input: ['input_register', 'input_registers', 'ir', '输入寄存器'],
  coil: ['coils', '线圈'],
  discrete: ['discrete_input', 'discrete_inputs', 'di', '离散输入'],
};

export type Fault = { field: string; what: string };

export function fitArguments(args: Record<string, unknown>, schema: JsonSchema, faults: Fault[]): Record<string, unknown> {
  return fitObject(args, schema, schema, '', faults);
}

function fitObject(
  value: Record<string, unknown>,
  schema: JsonSchema,
  root: JsonSchema,
  path: string,
  faults: Fault[],
): Record<string, unknown> {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (properties === undefined && path !== '') return value;
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const open = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false;
  const out: [string, unknown][] = [];
  for (const [key, raw] of Object.entries(value)) {
    const known = properties !== undefined && Object.hasOwn(properties, key);
    if (!known) {
      if (open) out.push([key, raw]);
      continue;
    }
    // An absent optional is left out; a required one that is null counts as missing.
    if (raw === null) {
      if (required.has(key)) faults.push({ field: join(path, key), what: 'is missing' });
      continue;
    }
    out.push([key, fitValue(raw, properties[key] ?? {}, root, join(path, key), key, faults)]);
  }
  return Object.fromEntries(out);
}

function fitValue(value: unknown, given: JsonSchema, root: JsonSchema, path: string, key: string, faults: Fault[]): unknown {
  const schema = resolve(given, root);
  if (value === 'null') {
    faults.push({ field: path, what: 'is the word "null", which is no value' });
    return value;
  }
  const branches = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  const types = typesOf(schema).concat((branches ?? []).flatMap((b) => typesOf(resolve(b, root))));
  if (typeof value === 'string') return fitString(value, schema, branches ?? [], types, root, path, key, faults);
  if (Array.isArray(value)) {
    const items = itemsOf(schema, branches, root);
    return items === null ? value : value.map((v, i) => fitValue(v, items, root, `${path}/${i}`, key, faults));
  }
  if (value !== null && typeof value === 'object') {
    const objectSchema =
      schema['properties'] !== undefined
        ? schema
        : (branches ?? []).map((b) => resolve(b, root)).find((b) => b['properties'] !== undefined);
    return objectSchema === undefined ? value : fitObject(value as Record<string, unknown>, objectSchema, root, path, faults);
  }
  return value;
}

function fitString(
  value: string,
  schema: JsonSchema,
  branches: JsonSchema[],
  types: string[],
  root: JsonSchema,
  path: string,
  key: string,
  faults: Fault[],
): unknown {
  const options = [schema, ...branches.map((b) => resolve(b, root))].flatMap((s) =>
    Array.isArray(s['enum']) ? (s['enum'] as unknown[]) : [],
  );
  if (options.length > 0 && !options.includes(value)) {
    const listed = options.find((o) => typeof o === 'string' && o.toLowerCase() === value.toLowerCase());
    if (listed !== undefined) return listed;
    if (key === 'table') {
      const meant = Object.entries(tableSynonyms).find(([, words]) => words.includes(value.toLowerCase()))?.[0];
      if (meant !== undefined && options.includes(meant)) return meant;
    }
  }
  if (types.includes('string')) return value;
  if (types.includes('integer') || types.includes('number')) {
    const plain = value.replace(/[０-９]/g, (d) => String.fromCharCode(d.charCodeAt(0) - 0xfee0));
    if (/^-?(0|[1-9][0-9]*)([.][0-9]+)?$/.test(plain)) {
      const number = Number(plain);
      if (types.includes('number') || Number.isInteger(number)) return number === 0 ? 0 : number;
    }
  }
  if (types.includes('boolean') && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  if (types.includes('array') || types.includes('object')) return fitContainer(value, schema, branches, types, root, path, key, faults);
  return value;
}

function fitContainer(
  value: string,
  schema: JsonSchema,
  branches: JsonSchema[],
  types: string[],
  root: JsonSchema,
  path: string,
  key: string,
  faults: Fault[],
): unknown {
  const decoded = decodeContainer(value);
  if (decoded !== undefined && types.includes(Array.isArray(decoded) ? 'array' : 'object'))
    return fitValue(decoded, schema, root, path, key, faults);
  const items = itemsOf(schema, branches, root);
  if (types.includes('array') && items !== null && typesOf(resolve(items, root)).includes('string')) {
    if (/[,，、;；\r\n]/.test(value)) faults.push({ field: path, what: 'must be a list; one text with separators is not taken apart' });
    else return [fitValue(value, items, root, `${path}/0`, key, faults)];
  }
  return value;
}

function decodeContainer(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{［｛]/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    const read = readLoose(trimmed, 0);
    return read.bad || read.cut || trimmed.slice(read.end).trim() !== '' ? undefined : read.value;
  }
}

function itemsOf(schema: JsonSchema, branches: JsonSchema[] | undefined, root: JsonSchema): JsonSchema | null {
  const withItems = [schema, ...(branches ?? []).map((b) => resolve(b, root))].find(
    (s) => s['items'] !== null && typeof s['items'] === 'object' && !Array.isArray(s['items']),
  );
  return withItems === undefined ? null : resolve(withItems['items'] as JsonSchema, root);
}

function typesOf(schema: JsonSchema): string[] {
  const type = schema['type'];
  return Array.isArray(type) ? (type as string[]) : typeof type === 'string' ? [type] : [];
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return schema;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/'))
    at = (at as Record<string, unknown> | undefined)?.[part.replace(/~1/g, '/').replace(/~0/g, '~')];
  return at !== null && typeof at === 'object' ? (at as JsonSchema) : schema;
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}/${key}`);
