import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { calls, streams, type ApiContext, type CoreApi } from '../../shared/contracts/api.ts';
import { HandrailError } from '../../shared/errors.ts';
import type { Wire } from '../../shared/rpcMessages.ts';
import { serveRpc } from '../../shared/rpcServer.ts';

type Check = (params: unknown, name: string) => void;

const ajv = new Ajv2020({ strict: true, allErrors: false, strictSchema: false, ownProperties: true });
// JSON Schema has no bytes; both wires carry them as they are.
ajv.addKeyword({ keyword: 'typedArray', schemaType: 'string', validate: (_schema: string, value: unknown) => value instanceof Uint8Array });
ajv.addKeyword({
  keyword: 'maxBytes',
  schemaType: 'number',
  validate: (most: number, value: unknown) => value instanceof Uint8Array && value.byteLength <= most,
});

/** Compiled once for the process, on first use: some forty small schemas. */
const compiled = new Map<object, ValidateFunction>();
const checkOf =
  (schema: object): Check =>
  (params, name) => {
    let validate = compiled.get(schema);
    if (!validate) compiled.set(schema, (validate = ajv.compile(schema)));
    if (!validate(params)) throw new HandrailError('ARGS_INVALID', { detail: { call: name, reason: explain(name, validate.errors?.[0]) } });
  };

function explain(name: string, error: ErrorObject | undefined): string {
  const place = error?.instancePath ? `${name}${error.instancePath.replaceAll('/', '.')}` : name;
  const extra =
    error?.keyword === 'additionalProperties' ? ` (${String((error.params as { additionalProperty?: unknown }).additionalProperty)})` : '';
  return `${place}: ${error?.message ?? 'does not fit'}${extra}`;
}

/**
 * Serves the table over one wire, the same for window and page: the name must be in the table and the parameters must
 * fit its schema before anything of the core is called.
 */
export function serveApi(wire: Wire, api: CoreApi, who: Omit<ApiContext, 'signal'>): void {
  const check = <T extends Record<string, { params: object }>>(table: T, name: string, params: unknown): keyof T & string => {
    if (!Object.hasOwn(table, name))
      throw new HandrailError('ARGS_MESSAGE', { detail: { reason: `there is no call named ${JSON.stringify(name)}` } });
    checkOf(table[name]!.params)(params, name);
    return name;
  };
  serveRpc(wire, {
    // The casts are sound: `check` has just compared name and params with the table that both types come from.
    async call(name, params, signal) {
      const known = check(calls, name, params);
      return (api.calls[known] as (params: unknown, context: ApiContext) => Promise<unknown>)(params, { ...who, signal });
    },
    open(name, params, signal) {
      const known = check(streams, name, params);
      return (api.streams[known] as (params: unknown, context: ApiContext) => AsyncIterable<unknown>)(params, { ...who, signal });
    },
  });
}
