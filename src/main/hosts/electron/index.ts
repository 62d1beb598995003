import { app } from 'electron';
import { asHandrailError } from '../../../shared/errors.ts';
import { registerPageScheme } from './pageScheme.ts';
import { showStartError } from './startError.ts';
import { startWindow } from './startWindow.ts';

// Before the app is ready: a scheme cannot be made a real origin later.
registerPageScheme();
if (app.requestSingleInstanceLock()) {
  void startWindow().catch((error: unknown) => showStartError(asHandrailError(error)));
} else {
  // The first instance owns the ports and the record; it comes to the front by its second-instance event.
  app.quit();
}
