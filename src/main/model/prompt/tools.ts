import type { JsonSchema, ToolContract } from '../../../shared/contracts/calls.ts';
import type { Lang } from '../../../shared/errors.ts';

export type ToolDeclaration = { type: 'function'; function: { name: string; description: string; parameters: JsonSchema } };

/** More tools than this and small models stop calling the right one. */
export const MAX_TOOLS = 12;

const everyday = [
  'tag_read',
  'modbus_read',
  'list_tags',
  'trend',
  'aggregate',
  'analyze_log',
  'execute',
  'list_ports',
  'scan_devices',
  'job',
  'read_file',
  'list_files',
];
const writes = ['tag_write', 'modbus_write', 'undo'];

/** Words of a request that call for a tool outside the everyday ones, in both languages. */
const calledFor: Record<string, RegExp> = {
  read_file: /file|\.(csv|txt|log|json|xml|xlsx?)\b|文件|文档/i,
  list_files: /files|folder|directory|文件|目录|文件夹/i,
  write_file: /(save|write|export|create).{0,40}(file|csv|txt|report)|保存|写入文件|导出|生成报告/i,
  run_shell: /shell|command|grep|awk|命令|脚本/i,
  http_request: /https?:|\bhttp\b|\burl\b|web|网址|接口|网页/i,
  serial_exchange: /raw|bytes|hex|serial exchange|原始|报文|十六进制|串口发送/i,
  connect: /connect|\bcom\d+\b|tty|\d+\.\d+\.\d+\.\d+|连接|接入/i,
  scan_devices: /scan|search|find devices|discover|扫描|搜索|查找设备/i,
  list_ports: /port|serial|串口|端口|com\d/i,
  job: /job|progress|任务|进度/i,
  analyze_log: /log|timeout|alarm|event|crc|日志|报警|超时|事件|异常/i,
  modbus_write: /register|coil|寄存器|线圈/i,
};

/**
 * The tools worth declaring for this request: what its words call for first, then the everyday ones. Tools that write to the
 * plant are left out while nothing is armed; a model cannot be talked into a call it was never shown.
 */
export function chooseTools(contracts: readonly ToolContract[], text: string, armed: boolean, limit = MAX_TOOLS): ToolContract[] {
  const byName = new Map(contracts.map((c) => [c.name, c]));
  const wanted: string[] = armed ? [...writes] : [];
  for (const [name, words] of Object.entries(calledFor)) if (words.test(text)) wanted.push(name);
  for (const contract of contracts) if (text.includes(contract.name)) wanted.push(contract.name);
  const core = everyday.slice(0, 6);
  const order = [...new Set([...(armed ? writes : []), ...core, ...wanted, ...everyday, ...contracts.map((c) => c.name)])];
  const chosen: ToolContract[] = [];
  for (const name of order) {
    const contract = byName.get(name);
    if (contract === undefined || chosen.length >= limit) continue;
    if (contract.effect === 'write-plant' && !armed) continue;
    // What acts on the world outside is declared only when the person's own words call for it.
    if (!everyday.includes(name) && !writes.includes(name) && !wanted.includes(name)) continue;
    chosen.push(contract);
  }
  return chosen.sort((a, b) => rank(a.name) - rank(b.name));
}

/** Contracts without text among the values they take; one each, so that its compiled schema is kept. */
const numbersOnly = new WeakMap<ToolContract, ToolContract>();

/**
 * What this plant can take: where no writable tag holds text, `tag_write` is offered for numbers and truth values only, so that
 * a number sent as text ("35") is refused as it stands instead of being taken for a text.
 */
export function fitToPlant(contract: ToolContract, tags: readonly { type?: string; write?: boolean }[]): ToolContract {
  const value = (contract.parameters['properties'] as Record<string, JsonSchema> | undefined)?.['value'];
  const types = value?.['type'];
  if (contract.effect !== 'write-plant' || !Array.isArray(types) || !types.includes('string')) return contract;
  if (tags.some((t) => t.type === 'string' && t.write === true)) return contract;
  let fitted = numbersOnly.get(contract);
  if (fitted === undefined) {
    const { maxLength: _, ...rest } = { ...value, type: (types as string[]).filter((t) => t !== 'string') } as JsonSchema;
    const properties = { ...(contract.parameters['properties'] as Record<string, JsonSchema>), value: rest };
    fitted = { ...contract, parameters: { ...contract.parameters, properties } };
    numbersOnly.set(contract, fitted);
  }
  return fitted;
}

/** A steady order, so that the beginning of the prompt stays the same and the server can reuse it. */
function rank(name: string): number {
  const i = [...everyday, ...writes].indexOf(name);
  return i < 0 ? 1000 : i;
}

export function declare(contract: ToolContract, lang: Lang): ToolDeclaration {
  return {
    type: 'function',
    function: {
      name: contract.name,
      description: firstSentence(contract.description[lang], lang === 'zh' ? 20 : 64),
      parameters: slimSchema(contract.parameters, 0),
    },
  };
}

/**
 * Only what reaches a model anyway: type, properties, required, items, enum, description. Limits do not survive the way, so
 * they are said in the description.
 */
function slimSchema(schema: JsonSchema, depth: number): JsonSchema {
  const slim: JsonSchema = {};
  if (schema['type'] !== undefined) slim['type'] = schema['type'];
  const words = Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : null;
  if (words !== null && words.length <= 7) slim['enum'] = words;
  // Of a long list the common ones are named; the others are valid all the same.
  else if (words !== null)
    slim['description'] = `${words.filter((w) => /^(u?int32|float32)$/.test(String(w))).join(', ') || words.slice(0, 5).join(', ')}, …`;
  const description = [typeof schema['description'] === 'string' ? firstSentence(schema['description'], 28) : '', limits(schema)]
    .filter((s) => s !== '')
    .join(' ');
  // A list of the allowed words says what a field is; more would cost every request.
  if (description !== '' && depth > 0 && words === null) slim['description'] = description;
  const items = schema['items'];
  if (items !== null && typeof items === 'object' && depth < 3) slim['items'] = slimSchema(items as JsonSchema, depth + 1);
  const properties = schema['properties'];
  if (properties !== null && typeof properties === 'object' && depth < 3) {
    slim['properties'] = Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>)
        .filter(([k]) => !unspoken.has(k))
        .map(([k, v]) => [k, slimSchema(v, depth + 1)]),
    );
  } else if (schema['type'] === 'object') slim['properties'] = {};
  if (Array.isArray(schema['required']) && schema['required'].length > 0) slim['required'] = schema['required'];
  if (Array.isArray(schema['anyOf']) && depth < 3) slim['anyOf'] = (schema['anyOf'] as JsonSchema[]).map((s) => slimSchema(s, depth + 1));
  return slim;
}

/**
 * Optional arguments that experts use and models misuse. They are valid when sent, but telling of them costs every request;
 * word order and connection come from the plant file, and a program's text can hold its data.
 */
const unspoken = new Set(['connection', 'order', 'inputs', 'defines']);

function limits(schema: JsonSchema): string {
  // The description names them already.
  if (typeof schema['description'] === 'string' && /\d/.test(schema['description'])) return '';
  const [min, max] = [schema['minimum'], schema['maximum']];
  if (typeof max === 'number' && max > 100_000) return '';
  if (typeof min === 'number' && typeof max === 'number') return `${min}..${max}`;
  if (typeof min === 'number') return `>=${min}`;
  return typeof max === 'number' ? `<=${max}` : '';
}

function firstSentence(text: string, max: number): string {
  const end = /[.。;；](\s|$)/.exec(text);
  const first = end === null ? text : text.slice(0, end.index);
  return first.length <= max ? first : `${first.slice(0, max - 1)}…`;
}

/** For a model without tools: the same as one line of text each. */
export function toolLine(d: ToolDeclaration): string {
  const properties = (d.function.parameters['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((d.function.parameters['required'] as string[] | undefined) ?? []);
  const args = Object.entries(properties).map(
    ([name, s]) =>
      `${name}${required.has(name) ? '' : '?'}: ${Array.isArray(s['enum']) ? (s['enum'] as unknown[]).join('|') : typeName(s)}`,
  );
  return `- ${d.function.name}(${args.join(', ')}): ${d.function.description}`;
}

function typeName(schema: JsonSchema): string {
  const type = schema['type'];
  if (type === 'array') return `${typeName((schema['items'] ?? {}) as JsonSchema)}[]`;
  return Array.isArray(type) ? type.join('|') : typeof type === 'string' ? type : 'any';
}
