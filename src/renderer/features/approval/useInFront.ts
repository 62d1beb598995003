import { useSyncExternalStore } from 'react';

const events = ['focus', 'blur', 'visibilitychange'] as const;

/** Is this window the one a person looks at? A card behind another window cannot be approved by accident. */
export function useInFront(): boolean {
  return useSyncExternalStore(
    (listener) => {
      for (const name of events) addEventListener(name, listener, true);
      return () => {
        for (const name of events) removeEventListener(name, listener, true);
      };
    },
    () => document.hasFocus() && document.visibilityState === 'visible',
  );
}
