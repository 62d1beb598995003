import type { Bilingual, WireError } from '../../shared/errors.ts';
import { HandrailError } from '../../shared/errors.ts';
import { useWords } from '../words/words.ts';

type Shape = HandrailError | WireError | { code: string; message: Bilingual; advice: Bilingual };

/** What happened in bold, what to do after it, the code small for the manual. */
export function ErrorText({ error }: { error: Shape }) {
  const { lang } = useWords();
  const { message, advice } =
    error instanceof HandrailError
      ? { message: error.text.message[lang], advice: error.text.advice[lang] }
      : { message: inLanguage(error.message, lang), advice: inLanguage(error.advice, lang) };
  return (
    <span className="error-text">
      <b>{message}</b> {advice} <span className="error-code">{error.code}</span>
    </span>
  );
}
const inLanguage = (text: string | Bilingual, lang: 'zh' | 'en'): string => (typeof text === 'string' ? text : text[lang]);
