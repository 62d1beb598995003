// Runs the REAL built main entry with `electron` replaced by the recording double, and hands its scheme, its ipc and its
// ports to Chromium over loopback. Messages cross as v8 bytes in base64, so that typed arrays arrive as such.
import { registerHooks } from 'node:module';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { WebSocketServer } from 'ws';

const double = new URL('../harness/electronDouble.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: double, shortCircuit: true, format: 'module-typescript' } : next(specifier, context),
});
const electron = await import(double);
await import(pathToFileURL(process.env.HANDRAIL_MAIN).href);
while (!electron.windows[0]?.url) await new Promise((resolve) => setTimeout(resolve, 5));
const { webContents } = electron.windows[0];
const tagged = (value) =>
  JSON.stringify(value, (_key, v) => (ArrayBuffer.isView(v) ? { $view: v.constructor.name, values: [...v].map(String) } : v));

const http = createServer(async (request, response) => {
  const answer = await electron.schemes.get('handrail')(new Request(`handrail://app${request.url}`));
  const headers = {};
  // The only change to what the entry answers: the test's own bridge is a socket, which the window does not have.
  answer.headers.forEach((value, name) => {
    headers[name] = value.replace("connect-src 'self'", "connect-src 'self' ws:");
  });
  response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
});
new WebSocketServer({ server: http }).on('connection', (socket) => {
  const ports = [];
  const onPosted = ({ channel, message, ports: given }) => {
    const ids = given.map((port) => {
      const id = ports.push(port) - 1;
      port.on('message', (event) => socket.send(tagged({ kind: 'port', id, data: event.data })));
      port.start();
      return id;
    });
    socket.send(tagged({ kind: 'posted', channel, message, ids }));
  };
  webContents.on('double:posted', onPosted);
  socket.on('close', () => {
    webContents.off('double:posted', onPosted);
    ports.forEach((port) => port.close());
  });
  socket.on('message', async (data) => {
    const message = JSON.parse(String(data));
    if (message.kind === 'port') return ports[message.id].postMessage(message.data);
    try {
      const result = await electron.handlers.get(message.channel)(
        { senderFrame: { url: 'handrail://app/index.html', parent: null }, sender: webContents },
        ...message.args,
      );
      socket.send(tagged({ kind: 'reply', id: message.id, result }));
    } catch (error) {
      socket.send(tagged({ kind: 'reply', id: message.id, error: String(error) }));
    }
  });
});
http.listen(0, '127.0.0.1', () => console.log(`DOUBLE http://127.0.0.1:${http.address().port}`));
process.on('SIGTERM', () => process.exit(0));
