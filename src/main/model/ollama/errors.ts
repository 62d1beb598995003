import { HandrailError } from '../../../shared/errors.ts';
import { NoAnswer } from '../http.ts';

/** The server's own words: the text under `error`, or the message inside where that text is JSON itself. Null: none. */
export function serverWords(body: string): string | null {
  let text: unknown = body;
  for (let depth = 0; depth < 5; depth++) {
    if (typeof text === 'string') {
      const trimmed = text.trim();
      if (!trimmed.startsWith('{')) return depth === 0 || trimmed === '' ? null : tidy(trimmed);
      try {
        text = JSON.parse(trimmed) as unknown;
      } catch {
        return null;
      }
    }
    if (text === null || typeof text !== 'object') return null;
    const inner = text as Record<string, unknown>;
    const key = ['error', 'message', 'detail'].find((k) => inner[k] !== undefined) ?? Object.keys(inner).find((k) => k.startsWith('error'));
    if (key === undefined) return null;
    text = inner[key];
  }
  return null;
}

/** What a server adds to its sentence for its own developers: the text it could not read, and what its parser thought of it. */
const parserTalk = /[,;:]?\s*\b(raw=|err=|(json: )?cannot unmarshal\b|invalid character\b|unexpected (end of JSON|token)\b).*$/is;

/** Words for a person: a sentence that carries JSON, markup or a parser's complaint keeps only what stands before it. */
function tidy(sentence: string): string {
  const text = sentence.replace(parserTalk, '').trim();
  if (text === '') return 'the server could not read what the model printed';
  const inner = /^(.*?)[:\s]*(\{.*\})\s*$/s.exec(text);
  if (inner !== null) {
    const words = serverWords(inner[2]!);
    if (words !== null) return `${inner[1]}: ${words}`.replace(/^: /, '');
  }
  return text
    .replace(/<[^>]{1,200}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 500);
}

const isPage = (body: string, type: string): boolean => /text\/html/i.test(type) || /^\s*(<!doctype|<html|<head|<body|<\?xml)/i.test(body);

/** What a status other than 200 means. `installed` fills the advice of a missing model. */
export function errorOfStatus(
  status: number,
  body: string,
  contentType: string,
  about: { model: string; installed: string[] | null },
): HandrailError {
  const words = serverWords(body);
  const reason = words ?? `HTTP ${status}`;
  const detail = { reason, status, model: about.model };
  if (isPage(body, contentType)) return new HandrailError('MODEL_PROTOCOL', { detail: { status } });
  if (status === 401 || status === 403) return new HandrailError('MODEL_FORBIDDEN', { detail });
  if (status === 429 || status === 503) return new HandrailError('MODEL_BUSY', { detail: { ...detail, reason } });
  if (words === null) return new HandrailError('MODEL_PROTOCOL', { detail: { status } });
  if (status === 404 || /invalid model name|model is required/i.test(words)) {
    const installed = about.installed === null ? '-' : about.installed.length === 0 ? '-' : about.installed.join(', ');
    return new HandrailError('MODEL_NOT_FOUND', { detail: { ...detail, installed } });
  }
  if (status === 400 && /exceeds? the (available )?context|context (size|length)|exceed_context_size/i.test(`${words} ${body}`))
    return new HandrailError('CONTEXT_OVERFLOW', { detail });
  if (status === 400 && /does not support/i.test(words)) return new HandrailError('MODEL_CAPABILITY', { detail });
  if (status >= 500) return new HandrailError('MODEL_CRASHED', { detail });
  return new HandrailError('MODEL_PROTOCOL', {
    detail,
    message: { en: `The model server did not accept the request: ${reason}.`, zh: `模型服务未接受请求：${reason}。` },
  });
}

/** Whatever a stream threw, as one of our codes. `started`: the status line had come. */
export function errorOfThrow(thrown: unknown, url: string, started: boolean): Error {
  if (thrown instanceof HandrailError) return thrown;
  if (thrown instanceof NoAnswer)
    return new HandrailError('MODEL_OFFLINE', { detail: { url, reason: plainReason(thrown.code), code: thrown.code }, cause: thrown });
  if (started) return new HandrailError('MODEL_STREAM_INCOMPLETE', { cause: thrown });
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function plainReason(code: string): string {
  const words: Record<string, string> = {
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    ENOTFOUND: 'unknown host',
    EAI_AGAIN: 'unknown host',
    ETIMEDOUT: 'no connection in time',
    EHOSTUNREACH: 'host unreachable',
    EPIPE: 'connection closed',
    HPE_INVALID_CONSTANT: 'not an HTTP server',
  };
  return words[code] ?? code;
}
