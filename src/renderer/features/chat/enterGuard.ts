type Key = { key: string; isComposing: boolean; keyCode: number };

/** Browsers differ in whether the Enter that ends a composition comes before or after its end event. */
const afterCompositionMs = 100;

/**
 * Does this key belong to the input method? Enter that picks a candidate must not send a half-written sentence: not
 * while composing, not with the key code 229 that stands for "handled by the input method", and not just after.
 */
export function createEnterGuard(now: () => number = () => performance.now()): {
  composing(on: boolean): void;
  belongsToInputMethod(event: Key): boolean;
} {
  let on = false;
  let endedAt = -Infinity;
  return {
    composing(value) {
      on = value;
      if (!value) endedAt = now();
    },
    belongsToInputMethod: (event) =>
      on || event.isComposing || event.keyCode === 229 || (event.key === 'Enter' && now() - endedAt < afterCompositionMs),
  };
}
