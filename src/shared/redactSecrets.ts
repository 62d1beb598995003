import type { Span } from './redact.ts';

/** Known shapes of keys, and a bearer token. Each begins at a border and only runs forward. */
const tokens =
  /(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]{10,})/g;
const scheme = /(?<![A-Za-z0-9])(?:bearer|authorization\s{0,3}[:=]\s{0,3}(?:basic|digest))\s{1,3}([A-Za-z0-9._~+/=-]{8,})/gi;
const named =
  /(?<![A-Za-z0-9])((?:[a-z0-9]{0,20}[_-])?(?:password|passwd|passphrase|pwd|secret|api[_-]?key|(?:access|auth|refresh)[_-]?token|token|private[_-]?key)|登录密码|密码|口令|密钥|令牌)["']?\s{0,3}(?:=|:|：|是|为)\s{0,3}["']?([^\s"'`,;，；。)}\]]{3,256})/gi;

/** Passwords and keys inside running text. Only the value goes, so that the reader sees that there was one. */
export function findCredentials(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(tokens)) spans.push({ start: match.index, end: match.index + match[0].length, kind: 'secret' });
  for (const match of text.matchAll(scheme)) spans.push(tailSpan(match, match[1]!));
  for (const match of text.matchAll(named)) {
    // "token: 512" counts tokens; a password of digits is still a password.
    if (/token$/i.test(match[1]!) && (match[2]!.length < 8 || /^[\d.]+$/.test(match[2]!))) continue;
    if (/^\[(?:SECRET|PHONE|CARD)/.test(match[2]!)) continue;
    spans.push(tailSpan(match, match[2]!));
  }
  findPrivateKeys(text, spans);
  findUserInfo(text, spans);
  return spans;
}

function tailSpan(match: RegExpExecArray, value: string): Span {
  const end = match.index + match[0].length;
  return { start: end - value.length, end, kind: 'secret' };
}

function findPrivateKeys(text: string, spans: Span[]): void {
  let at = text.indexOf('-----BEGIN ');
  while (at !== -1) {
    const head = text.slice(at, at + 64);
    if (!head.includes('PRIVATE KEY-----')) {
      at = text.indexOf('-----BEGIN ', at + 1);
      continue;
    }
    const close = text.indexOf('-----END ', at);
    const lineEnd = close === -1 ? -1 : text.indexOf('-----', close + 9);
    const end = lineEnd === -1 ? text.length : lineEnd + 5; // cut off in the middle: all that is left of it goes
    spans.push({ start: at, end, kind: 'secret' });
    at = text.indexOf('-----BEGIN ', end);
  }
}

/** `mqtt://user:password@host`: the password goes, user and host stay. */
function findUserInfo(text: string, spans: Span[]): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    let colon = -1;
    for (let i = at + 3; i < text.length && i < at + 300; i++) {
      const char = text[i]!;
      if (char === '@') {
        if (colon !== -1 && i > colon + 1) spans.push({ start: colon + 1, end: i, kind: 'secret' });
        break;
      }
      if (char === ':' && colon === -1) colon = i;
      else if (char === '/' || char <= ' ' || char === '"') break;
    }
  }
}
