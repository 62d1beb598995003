import { expect, test } from 'vitest';
import type { PlanInput, TranscriptMessage } from '../../../shared/contracts/agent.ts';
import type { ToolContract } from '../../../shared/contracts/calls.ts';
import { buildPrompt } from './build.ts';

const tool = (name: string, effect: ToolContract['effect'] = 'read'): ToolContract => ({
  name,
  title: { en: name, zh: name },
  description: { en: name, zh: name },
  parameters: { type: 'object', properties: { tags: { type: 'array' } } },
  returnSchema: { type: 'object' },
  executionTimeoutMs: 3000,
  isDeterministic: false,
  effect,
  fallback: 'none',
  undo: 'none',
});
const tools = [tool('tag_read'), tool('trend'), tool('aggregate'), tool('execute', 'execute')];

function inputOf(text: string, transcript: TranscriptMessage[], lang: 'en' | 'zh' = 'en', withTools = tools): PlanInput {
  return {
    sessionId: 's',
    turnId: 't',
    lang,
    text,
    transcript,
    results: [],
    tools: withTools,
    world: {
      now: '2026-03-18T10:30:00',
      serial_ports: [],
      devices: [],
      tags: ['boiler', 'tank'].map((name) => ({ name, write: false, aliases: [] })),
    },
    armedDevices: [],
    replanReason: null,
    attempt: 0,
  };
}

function prompt(text: string, after: TranscriptMessage[] = [], lang: 'en' | 'zh' = 'en', withTools = tools) {
  const input = inputOf(text, [{ role: 'user', content: text }, ...after], lang, withTools);
  const made = buildPrompt(input, { numCtx: 8192, numPredict: 1024, nativeTools: true, fenceId: 'f' });
  return { ...made, declared: made.declarations.map((d) => d.function.name), system: made.messages[0]!.content };
}
const call = (name: string, n: number): TranscriptMessage => ({
  role: 'assistant',
  content: '',
  calls: [{ callId: `c${n}`, tool: name, args: {} }],
});
const answer = (n: number, content: string): TranscriptMessage => ({ role: 'tool', callId: `c${n}`, tool: 'tag_read', content });

test('a request that one call answers is sent without a word of programs', () => {
  const { way, declared, system, messages, offered } = prompt('what is the boiler value?');
  expect(way).toBe('direct');
  expect(declared).not.toContain('execute');
  expect(system).not.toContain('execute');
  expect(messages[1]!.content).not.toContain('program');
  // A model that remembers it may still use it: what is not advised is not unknown.
  expect(offered.map((t) => t.name)).toContain('execute');
});

test('a request that relates many values is advised a program, in the language of the turn', () => {
  const en = prompt('compare boiler and tank by hourly means');
  expect(en).toMatchObject({ way: 'program' });
  expect(en.declared).toContain('execute');
  expect(en.system).toContain('<execute lang="javascript">');
  expect(en.messages[1]!.content).toContain('advice: one short program');
  expect(prompt('对比 boiler 和 tank 的每小时平均值', [], 'zh').messages[1]!.content).toContain('建议：用一个短程序');
});

test('a result that was too large, or two steps that were not enough, bring the program in', () => {
  expect(prompt('what is the boiler value?', [call('tag_read', 1), answer(1, '{"ok":true,"result":{}}')]).way).toBe('direct');
  const large = '{"ok":true,"too_large":true,"characters":90000}';
  expect(prompt('what is the boiler value?', [call('tag_read', 1), answer(1, large)]).way).toBe('program');
  const two = [call('tag_read', 1), answer(1, '{}'), call('tag_read', 2), answer(2, '{}')];
  expect(prompt('what is the boiler value?', two).way).toBe('program');
});

test('a person who asks for a program gets one; where none can run, none is spoken of', () => {
  expect(prompt('write a python script that reads the boiler').way).toBe('program');
  const none = prompt('compare boiler and tank by hourly means', [], 'en', tools.slice(0, 3));
  expect(none.way).toBeNull();
  expect(none.system).not.toContain('execute');
});

test('what no longer fits leaves out whole turns, oldest first, and never the question itself', () => {
  const old: TranscriptMessage[] = Array.from({ length: 12 }, (_, i) => [
    { role: 'user' as const, content: `question ${i} ${'word '.repeat(400)}` },
    { role: 'assistant' as const, content: `answer ${i}`, calls: [] },
  ]).flat();
  const text = 'what is the boiler value?';
  const transcript: TranscriptMessage[] = [...old, { role: 'user', content: text }, call('tag_read', 1), answer(1, '{"ok":true}')];
  const made = buildPrompt(inputOf(text, transcript), { numCtx: 4096, numPredict: 512, nativeTools: true, fenceId: 'f' });
  expect(made.leftOut).toBeGreaterThan(0);
  expect(made.ceiling).toBeLessThanOrEqual(4096 - 512);
  const said = made.messages.map((m) => m.content);
  expect(said.some((content) => content.startsWith(text))).toBe(true);
  expect(said.some((content) => content.startsWith('question 0 '))).toBe(false);
  // A call keeps its result, and a result its call.
  expect(made.messages.map((m) => m.role).slice(-3)).toEqual(['user', 'assistant', 'tool']);
});

test('a schema however complex goes out in words that every server can build a grammar from', () => {
  const complex: ToolContract = {
    ...tool('tag_read'),
    parameters: {
      type: 'object',
      additionalProperties: false,
      $defs: { a: { type: 'string', pattern: '^x' } },
      required: ['tags'],
      properties: {
        tags: { type: 'array', uniqueItems: true, minItems: 1, items: { type: 'string', format: 'uri', not: { const: 'x' } } },
        deep: { type: 'object', patternProperties: { '^a': { type: 'string' } }, properties: { b: { $ref: '#/$defs/a' } } },
      },
    },
  };
  const [declared] = prompt('what is the boiler value?', [], 'en', [complex]).declarations;
  const keys = new Set<string>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if (Array.isArray(schema)) return schema.forEach(walk);
    for (const [key, value] of Object.entries(schema)) {
      keys.add(key);
      if (key === 'properties') Object.values(value as object).forEach(walk);
      else walk(value);
    }
  };
  walk(declared!.function.parameters);
  for (const key of keys) expect(['type', 'properties', 'required', 'items', 'enum', 'description', 'anyOf']).toContain(key);
});

test('a long result that would not fit is shown by its beginning, behind a whole value, and says so', () => {
  const values = Array.from({ length: 1_100 }, (_, i) => 20_000 + i);
  const { messages, ceiling } = prompt('read them', [
    call('tag_read', 1),
    answer(1, `{"ok":true,"result":{"values":[${values.join(',')}]}}`),
  ]);
  expect(ceiling).toBeLessThanOrEqual(8192 - 1024);
  const shown = messages.at(-1)!.content;
  expect(shown).toContain('"too_large":true');
  const last = /(\d+)"/.exec(/"beginning":".*?[^\\]"/.exec(shown)![0])![1]!;
  expect(last).toHaveLength(5);
});

test('tag_write takes text only where the plant has a writable tag of text', () => {
  const parameters = { type: 'object', properties: { value: { type: ['number', 'boolean', 'string'], maxLength: 250 } } };
  const write = { ...tool('tag_write', 'write-plant'), parameters };
  const types = (tags: { type?: string; write: boolean }[]): unknown => {
    const input = inputOf('set it', [{ role: 'user', content: 'set it' }], 'en', [write]);
    const world = { ...input.world, tags: tags.map((t, i) => ({ name: `t${i}`, aliases: [], ...t })) };
    const made = buildPrompt(
      { ...input, world, armedDevices: ['plc'] },
      { numCtx: 8192, numPredict: 1024, nativeTools: true, fenceId: 'f' },
    );
    return (made.offered[0]!.parameters['properties'] as { value: { type: unknown } }).value.type;
  };
  expect(types([{ write: true }, { type: 'string', write: false }])).toEqual(['number', 'boolean']);
  expect(types([{ type: 'string', write: true }])).toEqual(['number', 'boolean', 'string']);
});
