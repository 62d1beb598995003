import { Type, type TSchema } from 'typebox';
import type { JsonSchema } from '../../shared/contracts/calls.ts';

export const closed = { additionalProperties: false };
/** A word of a fixed list, as the plain `enum` that models understand best. */
export const choice = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) });
export const nullable = (schema: TSchema) => Type.Unsafe({ anyOf: [schema, { type: 'null' }] });

/** Names to texts. Not `Type.Record`: its pattern is a keyword that models and MCP clients stumble over. */
export const textMap = (maxLength: number) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string', maxLength } });

export const bilingual = Type.Object({ en: Type.String(), zh: Type.String() }, closed);
export const scalar = Type.Unsafe<number | boolean | string>({ type: ['number', 'boolean', 'string'] });
export const image = Type.Unsafe<number[] | boolean[]>({ type: 'array', items: { type: ['integer', 'boolean'] } });
export const table = choice(['holding', 'input', 'coil', 'discrete']);
export const wireTypes = [
  'bool',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float32',
  'float64',
  'string',
  'bcd16',
  'bcd32',
] as const;
export const orders = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const;
export const wireError = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    advice: Type.String(),
    retry: choice(['no', 'yes', 'after-check']),
    detail: Type.Unsafe({ type: 'object' }),
  },
  closed,
);
export const tagNames = Type.Array(Type.String({ minLength: 1, maxLength: 120 }), { minItems: 1, maxItems: 200 });

/** Who is asked: a unit number or a device of the plant file, and the wire where that does not say it. */
export const who = {
  unit: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'station 1-247' })),
  device: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  connection: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
};

/** As plain data: what Ajv, models and MCP see. */
export const plain = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

export const writeResult = Type.Object(
  {
    writes: Type.Array(
      Type.Object(
        {
          tag: nullable(Type.String()),
          device: Type.String(),
          connection: Type.String(),
          unit_id: Type.Integer(),
          table,
          address: Type.Integer(),
          reference: Type.String(),
          unit: Type.String(),
          before: nullable(scalar),
          after: scalar,
          now: nullable(scalar),
          raw: Type.Object({ before: nullable(image), after: image, now: nullable(image) }, closed),
          sent: Type.Boolean(),
          verdict: choice(['confirmed', 'not-taken', 'clamped', 'overwritten', 'different', 'unknown']),
          read_back: Type.Array(Type.Object({ after_ms: Type.Integer(), value: nullable(scalar) }, closed)),
          undoable: Type.Boolean(),
          undoes: nullable(Type.String()),
        },
        closed,
      ),
    ),
    approved_by: nullable(Type.String()),
  },
  closed,
);
