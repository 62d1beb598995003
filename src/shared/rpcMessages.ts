import type { HandrailError, Bilingual, ErrorCode, Retry } from './errors.ts';

/** One way of carrying messages: a MessagePort in the window, a WebSocket on the page, two arrays in a test. */
export interface Wire {
  send(message: unknown): void;
  /** `fault` says why a message could not even be decoded. */
  onMessage(listener: (message: unknown, fault?: string) => void): void;
  onClose(listener: (why: string) => void): void;
  close(): void;
}

/** An error between page and core, in both languages: the reader may change the language while it stands on screen. */
export type RpcFailure = { code: ErrorCode; message: Bilingual; advice: Bilingual; retry: Retry; detail: Record<string, unknown> };

export const toFailure = (error: HandrailError): RpcFailure => ({
  code: error.code,
  message: error.text.message,
  advice: error.text.advice,
  retry: error.retry,
  detail: plain(error.detail),
});

/** Details go to the page as JSON; one that cannot be told is left out rather than losing the whole error. */
function plain(detail: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(detail, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))) as Record<
      string,
      unknown
    >;
  } catch {
    return {};
  }
}

/** Page to core. `credit` allows that many more items of a stream. */
export type Ask =
  { t: 'call' | 'open'; id: number; name: string; params: unknown } | { t: 'cancel'; id: number } | { t: 'credit'; id: number; n: number };
/** Core to page. `id` 0 answers a message that had no usable id. */
export type Reply =
  | { t: 'ok'; id: number; result: unknown }
  | { t: 'error'; id: number; error: RpcFailure }
  | { t: 'item'; id: number; item: unknown }
  | { t: 'end'; id: number };

/** Items a stream may be ahead of its reader. Eight batches at 10 Hz are most of a second: enough to hide a slow frame. */
export const streamWindow = 8;

/** What is wrong with a message from the page, or null. */
export function faultOfAsk(raw: unknown): string | null {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return 'it is not an object';
  const message = raw as Record<string, unknown>;
  if (!Number.isSafeInteger(message.id) || (message.id as number) < 1) return 'its id is not a positive whole number';
  switch (message.t) {
    case 'call':
    case 'open':
      return typeof message.name === 'string' && message.name.length <= 64 ? null : 'it names no call';
    case 'cancel':
      return null;
    case 'credit':
      return Number.isSafeInteger(message.n) && (message.n as number) >= 1 && (message.n as number) <= 1024
        ? null
        : 'its credit is not 1 to 1024';
    default:
      return `its kind ${JSON.stringify(message.t) ?? 'undefined'} is not known`;
  }
}

export function isReply(raw: unknown): raw is Reply {
  if (typeof raw !== 'object' || raw === null) return false;
  const message = raw as Record<string, unknown>;
  return Number.isSafeInteger(message.id) && ['ok', 'error', 'item', 'end'].includes(String(message.t));
}
