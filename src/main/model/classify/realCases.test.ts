import { expect, test } from 'vitest';
import { classify, type OfferedTool, type RawAnswer } from './index.ts';

// Real answers of models, by the id that test/integration/realCases.test.ts keeps. Each input is a shape that was reported.

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
    parameters: object({ unit: { type: 'integer' }, table: { type: 'string' }, address: { type: 'integer' }, filter: { type: 'object' } }, [
      'address',
    ]),
  },
  { name: 'read_file', effect: 'read', parameters: object({ path: { type: 'string' } }, ['path']) },
  { name: 'list_ports', effect: 'read', parameters: object({}) },
  { name: 'tag_write', effect: 'write', parameters: object({ tag: { type: 'string' }, value: { type: 'number' } }, ['tag', 'value']) },
];
const of = (answer: RawAnswer | string) => {
  const verdict = classify(typeof answer === 'string' ? { content: answer } : answer, tools);
  return { calls: verdict.calls.map((c) => [c.name, c.arguments]), text: verdict.text, code: verdict.reject?.code ?? null };
};
const structured = (name: unknown, args: unknown, more: Partial<RawAnswer> = {}): RawAnswer => ({
  content: '',
  toolCalls: [{ name, arguments: args }],
  ...more,
});
const boiler = ['tag_read', { tags: ['boiler'] }];
const write = '{"name": "tag_write", "parameters": {"tag": "pump", "value": 3}}';

test('C01 a call in a fence with "parameters": a read is recovered, a write is asked for again', () => {
  expect(of('```json\n{"name": "tag_read", "parameters": {"tags": ["boiler"]}}\n```').calls).toEqual([boiler]);
  const refused = of(`\`\`\`json\n${write}\n\`\`\``);
  expect(refused.calls).toEqual([]);
  expect(refused.code).not.toBeNull();
});

test('C03 the same call spread over 79 pieces is the same call, and no part of it is text', () => {
  const whole = '<tool_call>{"name": "tag_read", "arguments": {"tags": ["boiler"]}}</tool_call>';
  const pieces = Array.from({ length: 79 }, (_, i) => whole.slice(i, i === 78 ? undefined : i + 1));
  expect(of(pieces.join(''))).toEqual({ calls: [boiler], text: '', code: null });
});

test('C09 a bare <function=…> without its wrapper is a read', () => {
  expect(of('<function=tag_read>\n<parameter=tags>\n["boiler"]\n</parameter>\n</function>').calls).toEqual([boiler]);
});

test('C13 finish "stop" with the call as text in the content is a read', () => {
  expect(
    of({ content: '[TOOL_REQUEST]{"name": "tag_read", "arguments": {"tags": ["boiler"]}}[END_TOOL_REQUEST]', doneReason: 'stop' }).calls,
  ).toEqual([boiler]);
});

test('C17 an empty id and a padded name are mended for a read, a malformed object of arguments is named', () => {
  expect(of({ content: '', toolCalls: [{ id: '', name: ' tag_read ', arguments: { tags: ['boiler'] } }] }).calls).toEqual([boiler]);
  expect(of(structured('tag_read', '{tags')).code).not.toBeNull();
});

test('C19 "" as arguments is {} where nothing is required, and an error where something is', () => {
  expect(of(structured('list_ports', '')).calls).toEqual([['list_ports', {}]]);
  expect(of(structured('tag_read', '')).code).toBe('invalid_arguments');
});

test('C21 numbers, lists and objects as strings are read once, where the schema says so', () => {
  expect(of(structured('tag_read', { tags: '["boiler"]' })).calls).toEqual([boiler]);
  expect(of(structured('modbus_read', { address: '10', filter: '{"a": 1}' })).calls).toEqual([
    ['modbus_read', { address: 10, filter: { a: 1 } }],
  ]);
  expect(of(structured('tag_write', { tag: 'pump', value: '3' })).calls).toEqual([]);
});

test('C23 a string of digits that is a string stays one', () => {
  expect(of(structured('read_file', { path: '00713' })).calls).toEqual([['read_file', { path: '00713' }]]);
});

test.each(['0x10', '1,000', '1e3', ' 1 2 ', '', 'abc'])('C25 %j is no number', (address) => {
  expect(of(structured('modbus_read', { address })).calls).toEqual([]);
});

test('C27 a prefix before a name is taken off for a read and never for a write', () => {
  expect(of(structured('functions.tag_read', { tags: ['boiler'] })).calls).toEqual([boiler]);
  expect(of(structured('functions.tag_write', { tag: 'pump', value: 3 })).calls).toEqual([]);
  expect(of(structured('google:tool:shell:index:0', {})).code).toBe('unknown_tool');
});

test('C31 full-width signs are mended outside strings for a read; a write with them is asked for again', () => {
  expect(of('｛"name"："tag_read"，"arguments"：｛"tags"：［"boiler"］｝｝').calls).toEqual([boiler]);
  expect(of('｛"name"："tag_write"，"arguments"：｛"tag"："pump"，"value"：3｝｝').calls).toEqual([]);
});

test('C33 typographic quotes and a comma too many are mended for a read; a string that only they would close counts as open', () => {
  expect(of('{“name”: “tag_read”, "arguments": {"tags": [“boiler”,],},}').calls).toEqual([boiler]);
  // Opened by a plain quote, it may go on: what an answer might still have said is not guessed at.
  expect(of('{"name": "tag_read", "arguments": {"tags": ["boiler”,],},}')).toMatchObject({ calls: [], code: 'truncated' });
});

test('C51 an answer that ends at its cap with an open string is not run, whatever its finish says', () => {
  expect(of(structured('tag_read', '{"tags": ["boi', { doneReason: 'tool_calls' })).code).toBe('truncated');
});

test('C53 one whole and one partial call at the length stop: none is run', () => {
  const answer = {
    content: '',
    toolCalls: [
      { name: 'tag_read', arguments: { tags: ['boiler'] } },
      { name: 'tag_read', arguments: '{"tags": ["ta' },
    ],
    doneReason: 'length',
  };
  expect(of(answer)).toMatchObject({ calls: [], code: 'truncated' });
});
