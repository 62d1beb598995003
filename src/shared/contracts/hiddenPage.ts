/**
 * A hidden page of a sandboxed renderer, with one worker that runs one program. Whoever has a browser engine opens it (the desktop
 * window; in tests a headless Chromium); the sandbox speaks to it. What comes from a page is not trusted.
 */
export type ToPage = { t: 'start'; lang: 'python' | 'javascript'; setup: Record<string, unknown> } | { t: 'input'; bytes: Uint8Array };

export type FromPage =
  /** `fd`: 1 and 2 the program's streams, 4 its reports; `heap`: bytes of its WebAssembly memory. */
  { t: 'bytes'; fd: number; bytes: Uint8Array; heap: number } | { t: 'exit'; code: number } | { t: 'failed'; reason: string };

export type HiddenPage = {
  send(message: ToPage): void;
  onMessage(listener: (message: FromPage) => void): void;
  /** Called once, when nothing of the page runs any more. */
  onGone(listener: () => void): void;
  /** Ends the renderer process of the page, whatever runs in it. */
  kill(): void;
};

export type HiddenRenderer = {
  /** A page of its own with a session of its own that is in memory only; rejects when it cannot be had. */
  open(): Promise<HiddenPage>;
};

/** Nothing is fetched, connected or framed; WebAssembly may be compiled, and one worker of our own may start. */
export const hiddenPagePolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const hiddenPageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': hiddenPagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cache-control': 'no-store',
};

export const hiddenPageHtml =
  '<!doctype html><html><head><meta charset="utf-8"><title>run</title><script type="module" src="/run-page.js"></script></head><body></body></html>';
