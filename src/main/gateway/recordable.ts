/**
 * A value as the record can tell it and every reader reads alike: no lone surrogates, no -0, no NaN, no integers past
 * 2^53. What changes form is still there to be read: a number that JSON cannot carry exactly becomes its text.
 */
export function recordable(value: unknown, depth = 0): unknown {
  if (depth > 60) return '…';
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : value.toWellFormed();
    case 'number':
      if (Object.is(value, -0)) return 0;
      return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : String(value);
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value;
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : recordable(item, depth + 1)));
      if (value instanceof Date) return value.toISOString();
      const plain: Record<string, unknown> = {};
      for (const [key, item] of Object.entries(value)) {
        if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
        Object.defineProperty(plain, key.toWellFormed(), {
          value: recordable(item, depth + 1),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return plain;
    }
    case 'undefined':
    case 'function':
    case 'symbol':
      return null;
  }
}
