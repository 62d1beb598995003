import { Type, type Static } from 'typebox';
import iconv from 'iconv-lite';
import { domainToASCII } from 'node:url';
import { HandrailError } from '../../shared/errors.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { HttpHost, ToolDeps } from './deps.ts';
import { fetchOnce, unreachable, type OneAnswer } from './http/fetchOnce.ts';
import { choice, closed, nullable, plain, textMap } from './schema.ts';
import { invalid } from './target.ts';

const parameters = Type.Object(
  {
    url: Type.String({ minLength: 9, maxLength: 2000, description: 'https only, host on the allow list' }),
    method: Type.Optional(choice(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], 'default GET; others where the host allows them')),
    headers: Type.Optional(textMap(2000)),
    body: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000_000, description: 'default 200000' })),
  },
  closed,
);
const returns = Type.Object(
  {
    url: Type.String(),
    status: Type.Integer(),
    content_type: nullable(Type.String()),
    text: nullable(Type.String()),
    base64: nullable(Type.String()),
    bytes: Type.Integer(),
    truncated: Type.Boolean(),
    redirects: Type.Array(Type.String()),
    tls: Type.Object({ protocol: Type.String(), cipher: Type.String() }, closed),
  },
  closed,
);
const mostRedirects = 5;
/** Set by us, or able to change where a request goes or how it is framed. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'accept-encoding',
]);
/** All that goes on to another host: a key can stand in a header of any name, so the harmless ones are listed instead. */
const portableHeaders = new Set(['accept', 'accept-language', 'content-type', 'content-language', 'user-agent', 'range']);

/** HTTPS to allow-listed hosts. Every redirect is judged like a first request; nothing is downgraded, nothing unpacked. */
export function httpRequest({ httpHosts = [] }: Pick<ToolDeps, 'httpHosts'>): ToolDefinition {
  return {
    contract: {
      name: 'http_request',
      title: { en: 'HTTPS request', zh: 'HTTPS 请求' },
      description: {
        en: 'HTTPS request to a host on the allow list, TLS 1.2 or newer.',
        zh: '向允许列表中的主机发送 HTTPS 请求（TLS 1.2 以上）。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 20_000,
      isDeterministic: false,
      effect: 'network',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      const asked = args as Static<typeof parameters>;
      const maxBytes = asked.max_bytes ?? 200_000;
      const redirects: string[] = [];
      let url = parsed(asked.url);
      let method = asked.method ?? 'GET';
      let { body } = asked;
      if (body !== undefined && (method === 'GET' || method === 'HEAD')) throw invalid(`${method} has no body`, `${method} 没有正文`);
      let headers = checkedHeaders(asked.headers ?? {});
      for (;;) {
        const host = allowed(httpHosts, url, method);
        const answer = await fetchOnce({
          url,
          method,
          headers: { accept: '*/*', 'user-agent': 'handrail', 'accept-encoding': 'identity', ...headers },
          body,
          host,
          maxBytes,
          signal: context.signal,
        });
        context.note({ status_code: answer.status });
        const location = answer.headers.location;
        if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return shown(url, answer, redirects, context);
        if (redirects.length >= mostRedirects) throw unreachable(url, `more than ${mostRedirects} redirects`);
        const next = parsed(location, url);
        redirects.push(next.href);
        if (next.host !== url.host) headers = Object.fromEntries(Object.entries(headers).filter(([name]) => portableHeaders.has(name)));
        if (answer.status === 303 || (method === 'POST' && answer.status < 307)) {
          method = 'GET';
          body = undefined;
        }
        url = next;
      }
    },
  };
}

function parsed(text: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw invalid(`${JSON.stringify(text.slice(0, 200))} is no URL`, `${JSON.stringify(text.slice(0, 200))} 不是网址`);
  }
  if (url.protocol !== 'https:') {
    throw new HandrailError('POLICY_HOST', {
      detail: { host: url.hostname, reason: 'not https' },
      message: {
        en: `${url.protocol}//${url.hostname} is not https; nothing is sent in the clear.`,
        zh: `${url.protocol}//${url.hostname} 不是 https，不会明文发送。`,
      },
    });
  }
  if (url.username !== '' || url.password !== '')
    throw invalid('a URL with a name and password in it is not used', '不使用含用户名和密码的网址');
  return url;
}

const plainHost = (host: string): string =>
  domainToASCII(host.replace(/^\[|\]$/g, '').replace(/\.$/, '')).toLowerCase() || host.toLowerCase();

/** Exact host and port. No patterns: "*.example.com" has let in more than was meant often enough. */
function allowed(hosts: readonly HttpHost[], url: URL, method: string): HttpHost {
  const name = plainHost(url.hostname);
  const bare = name.replace(/^\[|\]$/g, '');
  const port = Number(url.port || 443);
  const host = hosts.find((h) => plainHost(h.host).replace(/^\[|\]$/g, '') === bare && (h.port ?? 443) === port);
  if (host === undefined) throw new HandrailError('POLICY_HOST', { detail: { host: port === 443 ? bare : `${bare}:${port}` } });
  if (!(host.methods ?? ['GET', 'HEAD']).includes(method)) {
    throw new HandrailError('POLICY_REFUSED', {
      detail: { reason: `${method} is not allowed for ${bare}`, host: bare, method },
      message: { en: `Refused: ${method} is not allowed for ${bare}.`, zh: `已拒绝：不允许对 ${bare} 使用 ${method}。` },
    });
  }
  return host;
}

function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!/^[a-z0-9-]{1,60}$/.test(lower))
      throw invalid(`${JSON.stringify(name.slice(0, 60))} is no header name`, `${JSON.stringify(name.slice(0, 60))} 不是请求头名称`);
    if (ownHeaders.has(lower)) throw invalid(`the header ${name} is set by Handrail`, `请求头 ${name} 由程序设置`);

    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      throw invalid(`the header ${name} holds characters that headers may not`, `请求头 ${name} 含不允许的字符`);
    checked[lower] = value;
  }
  return checked;
}

function shown(url: URL, answer: OneAnswer, redirects: string[], context: { note(meta: { truncated: boolean }): void }) {
  const type = answer.headers['content-type'] ?? null;
  const encoded = answer.headers['content-encoding'];
  const charset = /charset="?([\w-]+)/i.exec(type ?? '')?.[1] ?? 'utf-8';
  const isText =
    (encoded === undefined || encoded === 'identity') &&
    (type === null || /^text\/|json|xml|javascript|csv|x-www-form/i.test(type)) &&
    iconv.encodingExists(charset);
  context.note({ truncated: answer.truncated });
  return {
    url: url.href,
    status: answer.status,
    content_type: type,
    text: isText ? iconv.decode(answer.body, charset) : null,
    base64: isText ? null : answer.body.toString('base64'),
    bytes: answer.body.length,
    truncated: answer.truncated,
    redirects,
    tls: answer.tls,
  };
}
