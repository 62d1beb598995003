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
