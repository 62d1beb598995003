/** The plant file's shape (JSON Schema draft 2020-12); the types in `shared/contracts/plant.ts` are the same lines in TypeScript. */
const bilingual = {
  type: 'object',
  required: ['en', 'zh'],
  additionalProperties: false,
  properties: { en: { type: 'string', minLength: 1 }, zh: { type: 'string', minLength: 1 } },
};
const id = { type: 'string', pattern: '^[A-Za-z0-9_.\\-]{1,64}$' };
const numberOrNull = { type: ['number', 'null'] };
const texts = { type: 'array', items: { type: 'string', minLength: 1 } };
const table = { enum: ['holding', 'input', 'coil', 'discrete'] };
const address = { type: 'integer', minimum: 0, maximum: 65535 };

export const plantSchema = {
  type: 'object',
  required: ['name', 'connections', 'devices', 'tags'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    name: bilingual,
    simulated: { type: 'boolean', default: false },
    connections: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'kind'],
        additionalProperties: false,
        properties: {
          id,
          kind: { enum: ['tcp', 'rtu', 'ascii', 'rtu_over_tcp', 'ascii_over_tcp'] },
          host: { type: 'string', minLength: 1 },
          port: { type: 'integer', minimum: 1, maximum: 65535 },
          serial: {
            type: 'object',
            required: ['path'],
            additionalProperties: false,
            properties: {
              path: { type: 'string', minLength: 1 },
              baud: { type: 'integer', minimum: 300, maximum: 4000000, default: 9600 },
              dataBits: { enum: [7, 8], default: 8 },
              parity: { enum: ['none', 'even', 'odd'], default: 'none' },
              stopBits: { enum: [1, 2], default: 1 },
              echo: { type: 'boolean' },
            },
          },
          timing: {
            type: 'object',
            additionalProperties: false,
            properties: {
              timeoutMs: { type: 'integer', minimum: 20, maximum: 60000 },
              betweenRequestsMs: { type: 'integer', minimum: 0, maximum: 5000 },
              inFlight: { type: 'integer', minimum: 1, maximum: 64 },
              idleReleaseMs: { type: 'integer', minimum: 0, maximum: 3600000 },
            },
          },
        },
        allOf: [
          {
            if: { properties: { kind: { enum: ['rtu', 'ascii'] } } },
            then: { required: ['serial'] },
            else: { required: ['host', 'port'] },
          },
        ],
      },
    },
    devices: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'connection', 'unitId'],
        additionalProperties: false,
        properties: {
          id,
          name: bilingual,
          aliases: { ...texts, default: [] },
          connection: id,
          unitId: { type: 'integer', minimum: 0, maximum: 255 },
          limits: {
            type: 'object',
            additionalProperties: false,
            properties: {
              maxRegisters: { type: 'integer', minimum: 1, maximum: 125 },
              maxBits: { type: 'integer', minimum: 1, maximum: 2000 },
              maxGap: { type: 'integer', minimum: 0, maximum: 2000 },
              holes: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['table', 'from', 'to'],
                  additionalProperties: false,
                  properties: { table, from: address, to: address },
                },
              },
            },
          },
          safety: { type: 'boolean' },
          neverWrite: {
            type: 'array',
            items: {
              type: 'object',
              required: ['table', 'from', 'to'],
              additionalProperties: false,
              properties: { table: { enum: ['holding', 'coil'] }, from: address, to: address },
            },
          },
          quirks: { type: 'array', items: { enum: ['fc15-only', 'fc16-only', 'no-fc22', 'even-quantity'] } },
        },
      },
    },
    tags: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'device', 'table', 'address', 'type'],
        additionalProperties: false,
        properties: {
          id,
          name: bilingual,
          aliases: {
            type: 'object',
            additionalProperties: false,
            default: {},
            properties: { en: { ...texts, default: [] }, zh: { ...texts, default: [] } },
          },
          device: id,
          table,
          address,
          type: {
            enum: [
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
              'bit',
            ],
          },
          order: { enum: ['ABCD', 'CDAB', 'BADC', 'DCBA'] },
          length: { type: 'integer', minimum: 1, maximum: 250 },
          bit: { type: 'integer', minimum: 0, maximum: 15 },
          scale: { type: 'number', not: { const: 0 }, default: 1 },
          offset: { type: 'number', default: 0 },
          decimals: { type: 'integer', minimum: 0, maximum: 10, default: 0 },
          unit: { type: 'string', default: '' },
          range: {
            type: 'object',
            additionalProperties: false,
            default: {},
            properties: { min: { ...numberOrNull, default: null }, max: { ...numberOrNull, default: null } },
          },
          normal: {
            type: 'object',
            additionalProperties: false,
            properties: { low: { ...numberOrNull, default: null }, high: { ...numberOrNull, default: null } },
          },
          sentinels: { type: 'array', items: { type: 'number' } },
          write: {
            type: 'object',
            additionalProperties: false,
            default: {},
            properties: {
              allowed: { type: 'boolean', default: false },
              min: { ...numberOrNull, default: null },
              max: { ...numberOrNull, default: null },
              maxStep: { ...numberOrNull, default: null },
              critical: { type: 'boolean' },
              pulse: { type: 'boolean' },
            },
          },
          safety: { type: 'boolean' },
          pollMs: { type: 'integer', minimum: 50, maximum: 86400000, default: 1000 },
          deadband: { type: 'number', minimum: 0, default: 0 },
          group: { type: 'string' },
        },
      },
    },
  },
} as const;
