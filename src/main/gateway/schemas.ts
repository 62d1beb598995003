import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Bilingual } from '../../shared/errors.ts';
import type { JsonSchema } from '../../shared/contracts/calls.ts';

export type Check = (value: unknown) => Bilingual | null;

const newAjv = (): Ajv2020 => new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, validateFormats: false });

/** Compiles a schema of ours, strictly; throws with Ajv's reason. The answer of the check names every field that fails. */
export function compileSchema(schema: JsonSchema): Check {
  return checkWith(newAjv().compile(schema));
}

/** A schema that came from outside: bounded, and without patterns, whose matching time nobody bounds. */
export function compileForeignSchema(schema: JsonSchema): Check {
  const text = JSON.stringify(schema);
  if (text.length > 16_384) throw new Error('expected_output_schema is longer than 16 KB');
  if (/"(pattern|patternProperties|\$ref|\$dynamicRef)":/.test(text))
    throw new Error('expected_output_schema may not use pattern, patternProperties or $ref');
  return checkWith(new Ajv2020({ strict: false, allErrors: false, validateFormats: false }).compile(schema));
}

function checkWith(validate: ValidateFunction): Check {
  return (value) => {
    if (validate(value)) return null;
    // That a condition did not hold says nothing; what did not hold stands beside it.
    const faults = (validate.errors ?? [])
      .filter((error) => error.keyword !== 'if')
      .slice(0, 6)
      .map(say);
    return { en: faults.map((f) => f.en).join('; '), zh: faults.map((f) => f.zh).join('；') };
  };
}

function say(error: ErrorObject): Bilingual {
  const params = error.params as Record<string, unknown>;
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  const field = at === '' ? { en: 'the arguments', zh: '参数' } : { en: at, zh: at };
  const inside = (name: unknown): string => (at === '' ? String(name) : `${at}.${String(name)}`);
  switch (error.keyword) {
    case 'required':
      return { en: `${inside(params.missingProperty)} is missing`, zh: `缺少 ${inside(params.missingProperty)}` };
    case 'additionalProperties':
      return { en: `${inside(params.additionalProperty)} is not an argument`, zh: `没有参数 ${inside(params.additionalProperty)}` };
    case 'type':
      return { en: `${field.en} must be ${String(params.type)}`, zh: `${field.zh} 必须是 ${String(params.type)}` };
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String).join(', ');
      return { en: `${field.en} must be one of ${allowed}`, zh: `${field.zh} 必须是其中之一：${allowed}` };
    }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum': {
      const limit = `${String(params.comparison)} ${String(params.limit)}`;
      return { en: `${field.en} must be ${limit}`, zh: `${field.zh} 必须 ${limit}` };
    }
    default:
      return { en: `${field.en} ${error.message ?? 'does not fit'}`, zh: `${field.zh} 不符合 ${error.keyword}` };
  }
}
