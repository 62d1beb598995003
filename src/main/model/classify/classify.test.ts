import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeCase } from '../../../../test/eval/toolCalls.ts';
import { classify, type OfferedTool, type RawAnswer } from './index.ts';

const linesOf = (file: string): string[] =>
  readFileSync(fileURLToPath(new URL(`../../../../test/fixtures/toolCalls/${file}`, import.meta.url)), 'utf8')
    .trim()
    .split('\n');
const lines = [...linesOf('tool-call-repair.jsonl'), ...linesOf('own.jsonl')];
const cases = lines.map((line) => JSON.parse(line) as Parameters<typeof judgeCase>[0] & { why: string });

test.each(cases.map((c) => [c.id, c.why, c] as const))('case %s: %s', (_id, _why, item) => {
  expect(judgeCase(item)).toBeNull();
});

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const tools: OfferedTool[] = [
  { name: 'tag_read', effect: 'read', parameters: object({ tags: { type: 'array', items: { type: 'string' }, minItems: 1 } }, ['tags']) },
  {
    name: 'modbus_read',
    effect: 'read',
    parameters: object(
      {
        unit: { type: 'integer', minimum: 1, maximum: 247 },
        table: { type: 'string', enum: ['holding', 'input', 'coil', 'discrete'] },
        address: { type: 'integer', minimum: 0, maximum: 65535 },
        count: { type: 'integer', minimum: 1 },
        scale: { type: 'number' },
        fast: { type: 'boolean' },
      },
      ['table', 'address'],
    ),
  },
  { name: 'list_ports', effect: 'read', parameters: object({}) },
  {
    name: 'tag_write',
    effect: 'write',
    parameters: object({ tag: { type: 'string' }, value: { type: ['number', 'boolean'] } }, ['tag', 'value']),
  },
  { name: 'undo', effect: 'write', parameters: object({ steps: { type: 'integer' } }) },
];
const of = (answer: RawAnswer | string) => classify(typeof answer === 'string' ? { content: answer } : answer, tools);
const short = (answer: RawAnswer | string) => {
  const v = of(answer);
  return { calls: v.calls.map((c) => [c.name, c.arguments]), text: v.text, code: v.reject?.code ?? null };
};
const boiler = ['tag_read', { tags: ['boiler'] }];
const callText = '{"name": "tag_read", "arguments": {"tags": ["boiler"]}}';
const structured = (name: unknown, args: unknown, id?: string): RawAnswer => ({
  content: '',
  toolCalls: [{ name, arguments: args, ...(id === undefined ? {} : { id }) }],
});

describe('forms', () => {
  test.each([
    [
      'harmony',
      `Thinking done.<|start|>assistant<|channel|>commentary to=functions.tag_read <|constrain|>json<|message|>{"tags": ["boiler"]}<|call|>`,
      'Thinking done.',
    ],
    ['tool request', `[TOOL_REQUEST]${callText}[END_TOOL_REQUEST]`, ''],
    ['functools', `functools[${callText}]`, ''],
    ['python tag', `<|python_tag|>${callText}`, ''],
    ['python tag, pythonic', `<|python_tag|>tag_read.call(tags=["boiler"])`, ''],
    ['gemma', `<start_function_call>call:tag_read{tags:[<escape>boiler<escape>]}<end_function_call>`, ''],
    ['mistral with name', `[TOOL_CALLS]tag_read[ARGS]{"tags": ["boiler"]}`, ''],
    ['xml inside tool_call', `<tool_call>\n<function=tag_read>\n<parameter=tags>\n["boiler"]\n</parameter>\n</function>\n</tool_call>`, ''],
    ['a fence inside the tag', `<tool_call>\n\`\`\`json\n${callText}\n\`\`\`\n</tool_call>`, ''],
    ['python in a fence', '```tool_code\ntag_read(tags=["boiler"])\n```', ''],
    ['type and function around it', `{"type": "function", "function": ${callText}}`, ''],
    ['a list', `[${callText}]`, ''],
    ['full-width signs', '｛"name"：　"tag_read"，"arguments"：｛"tags"：［"boiler"］｝｝', ''],
    ['typographic quotes and comments', '{“name”: “tag_read”, /* now */ “arguments”: {“tags”: [“boiler”],}} ', ''],
    ['bare keys', '<tool_call>{name: "tag_read", arguments: {tags: ["boiler"]}}', ''],
    [
      'an apostrophe inside single quotes',
      `<tool_call>{'name': 'tag_read', 'arguments': {'tags': ['boiler']}, 'why': 'it's asked'}</tool_call>`,
      '',
    ],
    ['two marked calls, the text before them stays', `First.\n<tool_call>${callText}</tool_call>`, 'First.'],
  ])('%s', (_name, content, text) => {
    expect(short(content)).toEqual({ calls: [boiler], text, code: null });
  });

  test('a closing tag inside a string is part of the string', () => {
    expect(short('<tool_call>{"name": "tag_read", "arguments": {"tags": ["a</tool_call>b"]}}</tool_call>').calls).toEqual([
      ['tag_read', { tags: ['a</tool_call>b'] }],
    ]);
  });
  test('a marked form followed by prose is an example, and the text stays whole', () => {
    const content = `<tool_call>${callText}</tool_call> would be the way.`;
    expect(short(content)).toEqual({ calls: [], text: content, code: 'not_a_call' });
  });
  test.each([
    `{"name": "weather", "arguments": {}}`,
    `{"name": "tag_read"}`,
    `{"result": 5}`,
    `tag_read("boiler")`,
    `${callText} as asked`,
    `[1, 2, 3]`,
    'tag_read',
  ])('%s is plain text', (content) => {
    expect(short(content)).toEqual({ calls: [], text: content, code: 'not_a_call' });
  });
  test('a marked call of an unknown tool, or without a name, is unknown and is cut from the text', () => {
    expect(short('Now: <tool_call>{"name": "weather", "arguments": {}}</tool_call>')).toEqual({
      calls: [],
      text: 'Now:',
      code: 'unknown_tool',
    });
    expect(short('<tool_call>{"arguments": {}}</tool_call>').code).toBe('unknown_tool');
    expect(short('<tool_call>nonsense</tool_call>').code).toBe('unknown_tool');
  });
});

describe('cut off', () => {
  test.each([
    '<tool_call>{"name": "modbus_read", "arguments": {"table": "holding", "address": 15',
    '<tool_call>{"name": "tag_read", "arguments": {"tags": ["boi',
    '<tool_call>{"name": "tag_read", "arguments": {"tags"',
    '<tool_call>{"name": "tag_read", "arguments": {"tags":',
    '<tool_call>{"name": "tag_read", "arguments": {"tags": ["a",',
    '<tool_call>{"name": "modbus_read", "arguments": {"fast": tru',
    '<tool_call>{"name": "tag_write", "arguments": {"tag": "p", "value": 3',
    '[modbus_read(table="holding", address=1',
    '{"name": "tag_read", "arguments": {"tags": ["boiler',
  ])('%s is truncated and nothing of it counts', (content) => {
    expect(short(content)).toMatchObject({ calls: [], text: '', code: 'truncated' });
  });
  test('missing closers after a complete token are put', () => {
    expect(short('<tool_call>{"name": "tag_read", "arguments": {"tags": ["boiler"').calls).toEqual([boiler]);
    expect(short('<tool_call>{"name": "modbus_read", "arguments": {"table": "holding", "address": 1, "fast": true').calls).toEqual([
      ['modbus_read', { table: 'holding', address: 1, fast: true }],
    ]);
    expect(short('{"name": "tag_read", "arguments": {"tags": ["boiler"]').calls).toEqual([boiler]);
  });
  test('a cut call beside a good one takes everything with it', () => {
    expect(short(`<tool_call>${callText}</tool_call><tool_call>{"name": "tag_read", "arguments": {"tags": ["b`)).toMatchObject({
      calls: [],
      code: 'truncated',
    });
    expect(
      of({
        content: '',
        toolCalls: [
          { name: 'tag_read', arguments: { tags: ['a'] } },
          { name: 'tag_read', arguments: '{"tags": ["b' },
        ],
      }).reject?.code,
    ).toBe('truncated');
  });
  test.each(['length', 'load', 'error'])('done reason %s: nothing is taken, structured or not', (doneReason) => {
    expect(short({ content: 'So', doneReason, toolCalls: [{ name: 'tag_read', arguments: { tags: ['a'] } }] })).toEqual({
      calls: [],
      text: 'So',
      code: 'truncated',
    });
  });
  test('the arguments string of a write that was cut is truncated, not merely wrong', () => {
    expect(short(structured('tag_write', '{"tag": "p", "value": 3')).code).toBe('truncated');
    expect(short(structured('tag_write', 'nothing')).code).toBe('invalid_arguments');
  });
});

describe('names', () => {
  test.each([
    'tag_read',
    ' tag_read ',
    'TagRead',
    'tag-read',
    'Tag Read',
    'functions.tag_read',
    'default_api:tagReadTool',
    'mcp__plant__tag_read',
    'plant/tag_read',
    'tag_read<|channel|>x',
    '`tag_read`',
  ])('%s is tag_read', (name) => {
    expect(short(structured(name, { tags: ['boiler'] })).calls).toEqual([boiler]);
  });
  test.each([
    'tag_rea',
    'read_tag',
    'tag_read_all',
    'tags_read',
    '',
    null,
    7,
    'tag_write ',
    'Tag_Write',
    'functions.tag_write',
    'undoTool',
  ])('%s is unknown', (name) => {
    expect(short(structured(name, { tags: ['boiler'] }))).toMatchObject({ calls: [], code: 'unknown_tool' });
  });
});

describe('values of reads', () => {
  const value = (key: string, v: unknown) => short(structured('modbus_read', { table: 'holding', address: 0, [key]: v }));
  test.each([
    ['count', '10', 10],
    ['count', '１０', 10],
    ['count', '10.0', 10],
    ['scale', '-3.5', -3.5],
    ['fast', 'TRUE', true],
    ['table', 'HR', 'holding'],
    ['table', '线圈', 'coil'],
    ['table', 'Input_Registers', 'input'],
  ])('%s %j becomes %j', (key, given, wanted) => {
    expect(value(key, given).calls[0]?.[1]).toMatchObject({ [key]: wanted });
  });
  test.each([
    ['count', '0x10'],
    ['count', '1e3'],
    ['count', '010'],
    ['count', '1,000'],
    ['count', ' 5 '],
    ['count', '5 pcs'],
    ['count', ''],
    ['count', '16.5'],
    ['count', 16.5],
    ['count', 0],
    ['fast', 1],
    ['fast', 'yes'],
    ['table', 'hold'],
    ['count', 'null'],
    ['scale', NaN],
  ])('%s %j fits nothing', (key, given) => {
    const v = of(structured('modbus_read', { table: 'holding', address: 0, [key]: given }));
    expect(v.reject).toMatchObject({ code: 'invalid_arguments', tellModel: expect.stringContaining(key) as string });
  });
  test('a list of strings takes one string, but not one with separators in it', () => {
    expect(short(structured('tag_read', { tags: 'boiler' })).calls).toEqual([boiler]);
    expect(short(structured('tag_read', { tags: '["boiler"]' })).calls).toEqual([boiler]);
    for (const tags of ['a,b', 'a，b', 'a、b', 'a;b', 'a\nb'])
      expect(short(structured('tag_read', { tags })).code).toBe('invalid_arguments');
  });
  test('strings stay strings, unknown keys and optional nulls go, and all failing fields are named', () => {
    expect(short(structured('tag_read', { tags: ['00713'], x: 1 })).calls).toEqual([['tag_read', { tags: ['00713'] }]]);
    expect(short(structured('modbus_read', { table: 'holding', address: 0, count: null })).calls).toEqual([
      ['modbus_read', { table: 'holding', address: 0 }],
    ]);
    const told = of(structured('modbus_read', { table: 'x', address: 'y', unit: 300 })).reject?.tellModel ?? '';
    for (const field of ['table', 'address', 'unit']) expect(told).toContain(field);
    expect(of(structured('modbus_read', { table: null })).reject?.tellModel).toMatch(/table.*address|address.*table/);
  });
  test.each([[undefined], [null], [''], [[]], ['```json\n{}\n```'], ['"{}"']])('%j is no arguments', (args) => {
    expect(short(structured('list_ports', args)).calls).toEqual([['list_ports', {}]]);
  });
  test.each([[5], [true], [['a']], ['boiler'], ['"\\"\\\\\\"{}\\\\\\"\\""']])('%j is no arguments object', (args) => {
    expect(of(structured('tag_read', args)).reject).toMatchObject({
      code: 'invalid_arguments',
      tellModel: expect.stringContaining('arguments') as string,
    });
  });
});

describe('writes are exact', () => {
  test.each([
    [{ tag: 'p', value: '3' }],
    [{ tag: 'p', value: 3, force: true }],
    [{ tag: 'p', value: null }],
    [{ tag: 'p' }],
    ["{'tag': 'p', 'value': 3}"],
    ['{"tag": "p", "value": 3,}'],
    ['"{\\"tag\\": \\"p\\", \\"value\\": 3}"'],
    [undefined],
    [''],
  ])('%j is refused', (args) => {
    expect(short(structured('tag_write', args))).toMatchObject({ calls: [], code: 'invalid_arguments' });
  });
  test('one strict string of an object is the normal form of some servers', () => {
    expect(short(structured('tag_write', '{"tag": "p", "value": 3}')).calls).toEqual([['tag_write', { tag: 'p', value: 3 }]]);
  });
  test('good reads beside a refused write are taken, and the code is that of the first refused', () => {
    expect(short(`<tool_call>${callText}</tool_call>\n<tool_call>{"name": "undo", "arguments": {}}</tool_call>`)).toEqual({
      calls: [boiler],
      text: '',
      code: 'invalid_arguments',
    });
    expect(
      of(`<tool_call>{"name": "undo", "arguments": {}}</tool_call><tool_call>{"name": "x", "arguments": {}}</tool_call>`).reject?.code,
    ).toBe('unknown_tool');
  });
});

test('no text, however mangled, yields a write; and nothing makes the classifier throw', () => {
  const piece = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    '{"name": "tag_write", "arguments": {"tag": "p", "value": 3}}',
    "{'name': 'undo', 'arguments': {}}",
    '[TOOL_CALLS]',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    ',',
    'tag_write(tag="p", value=3)',
    '<function=tag_write>',
    '<parameter=value>',
    '```json\n',
    '```',
    '<think>',
    '</think>',
    '｛',
    '：',
    'tag_write',
    ' ',
    '\n',
    '\\',
    '<|channel|>commentary to=tag_write <|message|>',
    'true',
    '12',
    'NaN',
    callText,
    '\ud800',
    '//',
    '#',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 25 }),
      fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 10 }),
      (content, thinking) => {
        const verdict = of({ content: content.join(''), thinking: thinking.join('') });
        expect(verdict.calls.filter((c) => c.name === 'tag_write' || c.name === 'undo')).toEqual([]);
      },
    ),
    { numRuns: 3_000, endOnFailure: true },
  );
}, 60_000);
