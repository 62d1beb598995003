import { errorTexts, type ErrorCode } from './errorTexts.ts';

export type { ErrorCode } from './errorTexts.ts';

export type Lang = 'zh' | 'en';
/** One sentence in both languages; everything a person can read is one of these or comes from a catalogue. */
export type Bilingual = { readonly en: string; readonly zh: string };
/** May the same thing be asked again? `after-check`: only once the plant has been looked at. */
export type Retry = 'no' | 'yes' | 'after-check';

/** An error as it crosses a border, in the reader's language. */
export type WireError = {
  code: ErrorCode;
  message: string;
  advice: string;
  retry: Retry;
  detail: Record<string, unknown>;
};

export type ErrorOptions = {
  /** Fills the `{names}` of the catalogue's sentences and goes to the record. JSON values only. */
  detail?: Record<string, unknown>;
  /** Better words than the catalogue's, where the place that fails knows more. */
  message?: Bilingual;
  advice?: Bilingual;
  retry?: Retry;
  cause?: unknown;
};

/**
 * The one error class. Branch on `code`, never on text. The words come from `errorTexts.ts` in the language of whoever
 * reads them, so an error can be recorded once and shown in either.
 */
export class HandrailError extends Error {
  readonly code: ErrorCode;
  readonly text: { readonly message: Bilingual; readonly advice: Bilingual };
  readonly retry: Retry;
  readonly detail: Record<string, unknown>;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const entry = errorTexts[code];
    const detail = options.detail ?? {};
    const message = options.message ?? fillBoth(entry.message, detail);
    super(message.en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HandrailError';
    this.code = code;
    this.text = { message, advice: options.advice ?? fillBoth(entry.advice, detail) };
    this.retry = options.retry ?? entry.retry;
    this.detail = detail;
  }

  toWire(lang: Lang): WireError {
    return { code: this.code, message: this.text.message[lang], advice: this.text.advice[lang], retry: this.retry, detail: this.detail };
  }
}

/** What was thrown, as an error of ours: anything unknown becomes INTERNAL with its text kept as detail. */
export function asHandrailError(thrown: unknown): HandrailError {
  if (thrown instanceof HandrailError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new HandrailError('INTERNAL', { detail: { reason }, cause: thrown });
}

function fillBoth(text: Bilingual, detail: Record<string, unknown>): Bilingual {
  return { en: fill(text.en, detail), zh: fill(text.zh, detail) };
}

/** Replaces `{name}` by the detail of that name; an unknown name stays visible, so that a gap is noticed. */
export function fill(template: string, detail: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = detail[name];
    if (value === undefined || value === null) return whole;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
  });
}
