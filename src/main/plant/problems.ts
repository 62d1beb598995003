import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js';
import type { Bilingual } from '../../shared/errors.ts';
import type { PlantFile, PlantProblem } from '../../shared/contracts/plant.ts';
import { firstInconsistency, withOrders } from './plantFile.ts';
import { plantSchema } from './plantSchema.ts';

const validateAll = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
}).compile<PlantFile>(plantSchema);

/**
 * Everything that is wrong with a plant file as a person has edited it, field by field, in both languages; empty where it
 * may be saved. What a schema cannot say is told one at a time, once every field by itself is right.
 */
export function plantProblems(value: unknown): PlantProblem[] {
  const file: unknown = structuredClone(value);
  if (!validateAll(file)) {
    const found = (validateAll.errors ?? []).filter((error) => error.keyword !== 'if').map(problemOf);
    return found.filter((problem, i) => found.findIndex((other) => other.pointer === problem.pointer) === i);
  }
  const wrong = firstInconsistency(withOrders(file));
  return wrong === null ? [] : [wrong];
}

function problemOf(error: ErrorObject): PlantProblem {
  const at = error.keyword === 'required' ? `${error.instancePath}/${String(error.params['missingProperty'])}` : error.instancePath;
  return { pointer: at, why: schemaWords(error) };
}

/** What a schema's complaint means, in the reader's language; ajv itself speaks English only. */
export function schemaWords(error: ErrorObject): Bilingual {
  const p = error.params;
  switch (error.keyword) {
    case 'required':
      return { en: 'this is needed', zh: '此项必填' };
    case 'minLength':
      return { en: 'this must not be empty', zh: '此项不能为空' };
    case 'minimum':
      return { en: `at least ${String(p['limit'])}`, zh: `不小于 ${String(p['limit'])}` };
    case 'maximum':
      return { en: `at most ${String(p['limit'])}`, zh: `不大于 ${String(p['limit'])}` };
    case 'type':
      return { en: `this must be of type ${String(p['type'])}`, zh: `类型应为 ${String(p['type'])}` };
    case 'enum': {
      const allowed = (p['allowedValues'] as unknown[]).map(String).join(', ');
      return { en: `one of ${allowed}`, zh: `只能是 ${allowed} 之一` };
    }
    case 'pattern':
      return {
        en: 'letters, digits, dot, dash and underline only, 1 to 64 of them',
        zh: '只能用字母、数字、点、短横和下划线，1 到 64 个',
      };
    case 'additionalProperties':
      return {
        en: `there is no field "${String(p['additionalProperty'])}" here`,
        zh: `此处没有字段“${String(p['additionalProperty'])}”`,
      };
    case 'not':
      return { en: 'this value is not allowed here', zh: '此处不允许该值' };
    default:
      return { en: error.message ?? error.keyword, zh: `不符合规则 ${error.keyword}` };
  }
}
