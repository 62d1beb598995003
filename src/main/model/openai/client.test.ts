import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { WireEvent } from '../wire.ts';
import { createOpenAiClient, type OpenAiOptions } from './client.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((s) => s.close()));

/** A server that answers each chat request with the next of these bodies. */
async function serve(
  answers: { status?: number; type?: string; body: string }[],
): Promise<{ url: string; bodies: Record<string, unknown>[] }> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/models') return void response.end('{"data":[]}');
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      const answer = answers[Math.min(bodies.length, answers.length) - 1]!;
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'text/event-stream' }).end(answer.body);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const sse = (...chunks: unknown[]): string => `${chunks.map((c) => `data: ${JSON.stringify(c)}\n\n`).join('')}data: [DONE]\n\n`;
const delta = (d: unknown, finish: string | null = null) => ({ choices: [{ index: 0, delta: d, finish_reason: finish }] });
const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: [], think: null, numCtx: 4096, numPredict: 100 };

async function chat(url: string, profile: OpenAiOptions['profile'] = 'generic'): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of createOpenAiClient({ baseUrl: url, model: 'm', profile }).wire.chat(request, new AbortController().signal))
    events.push(event);
  return events;
}
const calls = (events: WireEvent[]) => events.flatMap((e) => (e.type === 'calls' ? e.calls : []));

test('arguments in fragments, by index, become one call each', async () => {
  const { url } = await serve([
    {
      body: sse(
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"n":' } }] }),
        delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'y', arguments: '{}' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
        delta({}, 'tool_calls'),
      ),
    },
  ]);
  expect(calls(await chat(url))).toEqual([
    { id: 'a', name: 'x', arguments: '{"n":1}' },
    { id: 'b', name: 'y', arguments: '{}' },
  ]);
});

test('parallel calls that all say index 0, or none, stay apart by id and by name', async () => {
  const zero = sse(
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }] }),
    delta({ tool_calls: [{ index: 0, id: 'b', function: { name: 'x', arguments: '{"n":2}' } }] }),
    delta({}, 'tool_calls'),
  );
  const none = sse(
    delta({ tool_calls: [{ function: { name: 'x', arguments: '{"n":1}' } }, { function: { name: 'x', arguments: '{"n":2}' } }] }),
    delta({}, 'tool_calls'),
  );
  const { url } = await serve([{ body: zero }, { body: none }]);
  expect(calls(await chat(url)).map((c) => c.arguments)).toEqual(['{"n":1}', '{"n":2}']);
  expect(calls(await chat(url)).map((c) => c.arguments)).toEqual(['{"n":1}', '{"n":2}']);
});

test('an answer cut at the limit is cut, even where the server says tool_calls', async () => {
  const { url } = await serve([
    { body: sse(delta({ content: 'x' }), delta({}, 'tool_calls'), { choices: [], usage: { prompt_tokens: 9, completion_tokens: 100 } }) },
  ]);
  expect((await chat(url, 'vllm')).at(-1)).toEqual({ type: 'done', reason: 'length', promptTokens: 9, answerTokens: 100 });
});

test('thinking under either name is thinking, comments and event names are nothing', async () => {
  const { url } = await serve([
    {
      body: `: ping\n\nevent: message\n${sse(delta({ reasoning_content: 'a' }), delta({ reasoning: 'b' }), delta({ content: 'c' }), delta({}, 'stop'))}`,
    },
  ]);
  expect((await chat(url)).map((e) => ('delta' in e ? `${e.type} ${e.delta}` : e.type))).toEqual([
    'thinking a',
    'thinking b',
    'text c',
    'done',
  ]);
});

test.each([
  ['a stream without an end', { body: 'data: {"choices":[{"delta":{"content":"half"}}]}\n\n' }, 'MODEL_STREAM_INCOMPLETE'],
  ['an error event', { body: 'data: {"error":{"message":"out of memory"}}\n\n' }, 'MODEL_CRASHED'],
  ['a page', { type: 'text/html', body: '<html>login</html>' }, 'MODEL_PROTOCOL'],
  [
    'a prompt that is too long',
    {
      status: 400,
      type: 'application/json',
      body: '{"error":{"message":"request (9 tokens) exceeds the available context size (4 tokens)"}}',
    },
    'CONTEXT_OVERFLOW',
  ],
  [
    'tools without a parser',
    { status: 400, type: 'application/json', body: '{"message":"\\"auto\\" tool choice requires --enable-auto-tool-choice"}' },
    'MODEL_CAPABILITY',
  ],
  [
    'an unknown model',
    { status: 404, type: 'application/json', body: '{"error":{"message":"model m does not exist"}}' },
    'MODEL_NOT_FOUND',
  ],
  ['a wrong key', { status: 401, type: 'application/json', body: '{"error":{"message":"no"}}' }, 'MODEL_FORBIDDEN'],
] as const)('%s has its name', async (_what, answer, code) => {
  const { url } = await serve([answer]);
  await expect(chat(url)).rejects.toMatchObject({ code });
});

test('a server that does not know the usage option is asked again without it', async () => {
  const { url, bodies } = await serve([
    { status: 400, type: 'application/json', body: '{"error":{"message":"unknown field stream_options"}}' },
    { body: sse(delta({ content: 'ok' }), delta({}, 'stop')) },
  ]);
  expect((await chat(url)).map((e) => e.type)).toEqual(['text', 'done']);
  expect(bodies.map((b) => 'stream_options' in b)).toEqual([true, false]);
});

test('a connection that is refused says so', async () => {
  await expect(chat('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'MODEL_OFFLINE' });
});

test('a result of a tool goes out as one string, arguments as a string of JSON, and no format beside tools', async () => {
  const { url, bodies } = await serve([{ body: sse(delta({ content: 'ok' }), delta({}, 'stop')) }]);
  const tool = { type: 'function' as const, function: { name: 'x', description: 'x', parameters: { type: 'object', properties: {} } } };
  const messages = [
    { role: 'user' as const, content: 'hi' },
    { role: 'assistant' as const, content: '', calls: [{ id: 'a', name: 'x', arguments: { n: 1 } }] },
    { role: 'tool' as const, id: 'a', name: 'x', content: '{"ok":true}' },
  ];
  const stream = createOpenAiClient({ baseUrl: url, model: 'm' }).wire.chat(
    { ...request, messages, tools: [tool] },
    new AbortController().signal,
  );
  for await (const event of stream) void event;
  const body = bodies[0] as { messages: { role: string; content: unknown; tool_calls?: { function: { arguments: unknown } }[] }[] };
  expect(body.messages.map((m) => typeof m.content)).toEqual(['string', 'string', 'string']);
  expect(body.messages[1]!.tool_calls![0]!.function.arguments).toBe('{"n":1}');
  expect(body).not.toHaveProperty('format');
  expect(body).not.toHaveProperty('response_format');
});

const frames = (...chunks: unknown[]): string => chunks.map((c) => `data: ${JSON.stringify(c)}\n\n`).join('');
const oneCall = delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }] });

test.each<[what: string, body: string]>([
  ['calls without an end mark, though with a finish reason', frames(oneCall, delta({}, 'tool_calls'))],
  ['text without an end mark and without a reason', frames(delta({ content: 'half' }))],
  ['nothing at all', ''],
])('%s broke off', async (_what, body) => {
  const { url } = await serve([{ body }]);
  await expect(chat(url)).rejects.toMatchObject({ code: 'MODEL_STREAM_INCOMPLETE' });
});

test('text with a finish reason is whole without an end mark, and so is an answer in one piece', async () => {
  const whole = JSON.stringify({
    choices: [
      { message: { content: '', tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{}' } }] }, finish_reason: 'tool_calls' },
    ],
  });
  const { url } = await serve([{ body: frames(delta({ content: 'ok' }, 'stop')) }, { body: whole, type: 'application/json' }]);
  expect((await chat(url)).map((e) => e.type)).toEqual(['text', 'done']);
  expect(calls(await chat(url))).toEqual([{ id: 'a', name: 'x', arguments: '{}' }]);
});

test.each<[what: string, body: string]>([
  ['an object under error', frames(oneCall, { error: { message: 'out of memory', code: 500 } })],
  ['an event named error', `${frames(oneCall)}event: error\ndata: {"message":"out of memory"}\n\n`],
  ['an object of the kind error', frames(oneCall, { object: 'error', message: 'out of memory', code: 500 })],
])('an error in mid-stream as %s ends the answer with the words of the server and without its calls', async (_what, body) => {
  const { url } = await serve([{ body: `${body}data: [DONE]\n\n` }]);
  const seen: WireEvent[] = [];
  const run = async (): Promise<void> => {
    const { wire } = createOpenAiClient({ baseUrl: url, model: 'm', profile: 'vllm' });
    for await (const event of wire.chat(request, new AbortController().signal)) seen.push(event);
  };
  await expect(run()).rejects.toMatchObject({ code: 'MODEL_CRASHED', detail: { reason: 'out of memory' } });
  expect(calls(seen)).toEqual([]);
});

test('arguments cut at any byte come together again, for every profile', async () => {
  const args = '{"tags":["锅炉温度 \\"a\\"","b"],"n":-1.5e3}';
  for (const profile of ['generic', 'lm-studio', 'llama.cpp', 'vllm'] as const) {
    for (let cut = 0; cut <= args.length; cut += 1) {
      const body = sse(
        { choices: [] },
        delta({ role: 'assistant', content: null }),
        delta({ reasoning_content: 'hm' }),
        delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'x', arguments: args.slice(0, cut) } }] }),
        delta({ tool_calls: [{ index: 0, id: '', function: { name: null, arguments: args.slice(cut) } }] }),
        delta({}, 'tool_calls'),
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 20 } },
      );
      const { url } = await serve([{ body }]);
      const events = await chat(url, profile);
      expect(calls(events)).toEqual([{ id: 'a', name: 'x', arguments: args }]);
      expect(events.at(-1)).toEqual({ type: 'done', reason: 'tool_calls', promptTokens: 5, answerTokens: 20 });
    }
  }
});

test.each<[what: string, deltas: unknown[], wanted: string[]]>([
  [
    'index 0 for all, ids only at the start',
    [
      { index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 0, id: 'b', function: { name: 'x', arguments: '{"n"' } },
      { index: 0, function: { arguments: ':2}' } },
    ],
    ['{"n":1}', '{"n":2}'],
  ],
  [
    'no index and no id, fragments follow their name',
    [
      { function: { name: 'x', arguments: '{"n"' } },
      { function: { arguments: ':1}' } },
      { function: { name: 'x', arguments: '{"n"' } },
      { function: { arguments: ':2}' } },
    ],
    ['{"n":1}', '{"n":2}'],
  ],
  [
    'ids repeated on each fragment, interleaved',
    [
      { id: 'a', function: { name: 'x', arguments: '{"n"' } },
      { id: 'b', function: { name: 'x', arguments: '{"n"' } },
      { id: 'a', function: { arguments: ':1}' } },
      { id: 'b', function: { arguments: ':2}' } },
    ],
    ['{"n":1}', '{"n":2}'],
  ],
  [
    'the id comes after the name',
    [
      { index: 0, function: { name: 'x' } },
      { index: 0, id: 'a', function: { arguments: '{"n":1}' } },
    ],
    ['{"n":1}'],
  ],
  ['arguments as an object', [{ index: 0, id: 'a', function: { name: 'x', arguments: { n: 1 } } }], ['{"n":1}']],
])('fragments: %s', async (_what, deltas, wanted) => {
  const { url } = await serve([{ body: sse(...deltas.map((d) => delta({ tool_calls: [d] })), delta({}, 'tool_calls')) }]);
  expect(calls(await chat(url)).map((c) => c.arguments)).toEqual(wanted);
});

test.each<[status: number, body: string, type: string, code: string]>([
  [401, '{"error":{"message":"no key"}}', 'application/json', 'MODEL_FORBIDDEN'],
  [404, '{"error":{"message":"The model `m` does not exist."}}', 'application/json', 'MODEL_NOT_FOUND'],
  [400, '{"error":{"message":"This model\'s maximum context length is 4096 tokens"}}', 'application/json', 'CONTEXT_OVERFLOW'],
  [400, '{"error":"request (5000 tokens) exceeds the available context size (4096 tokens)"}', 'application/json', 'CONTEXT_OVERFLOW'],
  [400, '{"error":{"message":"\\"auto\\" tool choice requires --enable-auto-tool-choice"}}', 'application/json', 'MODEL_CAPABILITY'],
  [503, '{"error":{"message":"Loading model"}}', 'application/json', 'MODEL_BUSY'],
  [500, '{"error":{"message":"boom"}}', 'application/json', 'MODEL_CRASHED'],
  [502, '<html>bad gateway</html>', 'text/html', 'MODEL_PROTOCOL'],
  [200, '<html>log in</html>', 'text/html', 'MODEL_PROTOCOL'],
])('status %s with %s', async (status, body, type, code) => {
  const { url } = await serve([{ status, body, type }]);
  await expect(chat(url)).rejects.toMatchObject({ code });
});
