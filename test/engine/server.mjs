// A small OpenAI-compatible server over a real llama.cpp engine, for the end-to-end test of the adapter. Each request is
// rendered to ChatML, decoded by the engine token by token, and streamed as deltas; a call the model writes between its tags
// becomes tool_calls in fragments, as such servers send them.
//
//   node server.mjs MODEL.gguf        prints {"port": N} on its first line
import { createServer } from 'node:http';
import { getLlama, LlamaCompletion } from 'node-llama-cpp';

const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const contextSize = 8192;

/** The template of the model file, by hand: what the model was laid out for. */
function render(messages, tools) {
  const system = messages[0]?.role === 'system' ? messages[0].content : '';
  let text = `<|im_start|>system\n${system}${tools?.length ? `\n\n<tools>\n${tools.map((t) => JSON.stringify(t)).join('\n')}\n</tools>` : ''}<|im_end|>\n`;
  for (const m of messages) {
    if (m.role === 'user') text += `<|im_start|>user\n${m.content}<|im_end|>\n`;
    if (m.role === 'assistant') {
      const calls = (m.tool_calls ?? [])
        .map((c) => `\n<tool_call>\n{"name": "${c.function.name}", "arguments": ${c.function.arguments}}\n</tool_call>`)
        .join('');
      text += `<|im_start|>assistant\n${m.content ?? ''}${calls}<|im_end|>\n`;
    }
    if (m.role === 'tool') text += `<|im_start|>user\n<tool_response>\n${m.content}\n</tool_response><|im_end|>\n`;
  }
  return `${text}<|im_start|>assistant\n`;
}

async function complete(request, onText, signal) {
  const context = await model.createContext({ contextSize, threads: 1 });
  try {
    const completion = new LlamaCompletion({ contextSequence: context.getSequence() });
    const tokens = model.tokenize(render(request.messages, request.tools), true);
    if (tokens.length + 64 > contextSize)
      throw Object.assign(new Error(`request (${tokens.length} tokens) exceeds the available context size (${contextSize} tokens)`), {
        status: 400,
      });
    let answer = 0;
    const grammar = request.response_format?.json_schema
      ? await llama.createGrammarForJsonSchema(request.response_format.json_schema.schema)
      : undefined;
    await completion.generateCompletion(tokens, {
      temperature: 0,
      maxTokens: request.max_tokens ?? 256,
      signal,
      grammar,
      customStopTriggers: ['<|im_end|>'],
      onToken: (t) => (answer += t.length),
      onTextChunk: onText,
    });
    return { prompt_tokens: tokens.length, completion_tokens: answer };
  } finally {
    await context.dispose();
  }
}

async function chat(request, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  const delta = (d, finish = null) =>
    send({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: request.model,
      choices: [{ index: 0, delta: d, finish_reason: finish }],
    });
  const stop = new AbortController();
  response.on('close', () => stop.abort());
  let text = '';
  let inCall = false;
  const usage = await complete(
    request,
    (piece) => {
      text += piece;
      if (text.includes('<tool_call>')) inCall = true;
      else if (!inCall) delta({ content: piece });
    },
    stop.signal,
  );
  const call = /<tool_call>\s*(\{[\s\S]*\})\s*<\/tool_call>/.exec(text);
  if (call !== null) {
    const { name, arguments: args } = JSON.parse(call[1]);
    const json = JSON.stringify(args);
    delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } }] });
    for (let i = 0; i < json.length; i += 20) delta({ tool_calls: [{ index: 0, function: { arguments: json.slice(i, i + 20) } }] });
  }
  delta({}, call === null ? 'stop' : 'tool_calls');
  if (request.stream_options?.include_usage)
    send({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      choices: [],
      usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
    });
  response.end('data: [DONE]\n\n');
}

const server = createServer(async (request, response) => {
  const json = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    if (request.url === '/v1/models')
      return json(200, { object: 'list', data: [{ id: 'tiny', object: 'model', meta: { n_ctx_train: contextSize } }] });
    if (request.url !== '/v1/chat/completions') return json(404, { error: { message: 'not found' } });
    let body = '';
    for await (const chunk of request) body += chunk;
    await chat(JSON.parse(body), response);
  } catch (error) {
    if (!response.headersSent) json(error.status ?? 500, { error: { code: error.status ?? 500, message: error.message } });
    else response.end(`data: ${JSON.stringify({ error: { message: error.message } })}\n\n`);
  }
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
process.once('SIGTERM', () => process.exit(0));
