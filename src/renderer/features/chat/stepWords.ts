import type { ShownStep } from '../../client/turns.ts';
import type { WordKey } from '../../words/words.ts';

export const stepWords: Record<ShownStep['state'], WordKey> = {
  PLANNING: 'step.plan',
  TOOL_CALLING: 'step.calls',
  SANDBOX_EXECUTION: 'step.sandbox',
  VERIFICATION: 'step.verify',
};
