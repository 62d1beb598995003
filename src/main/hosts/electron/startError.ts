import { app, dialog } from 'electron';
import type { HandrailError } from '../../../shared/errors.ts';

/** A start that fails says why in both languages and ends: there is no window yet that could. */
export function showStartError(error: HandrailError): void {
  const { message, advice } = error.text;
  dialog.showErrorBox('Handrail', `${message.en}\n${advice.en}\n\n${message.zh}\n${advice.zh}\n\n${error.code}`);
  app.exit(1);
}
