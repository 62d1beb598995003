/** How long a person holds, and how long a fresh card cannot be pressed: a click meant for something else must not land. */
export const holdMs = 1200;
export const freshMs = 700;

export type Gate = { fresh: boolean; inFront: boolean; expired: boolean; seenToEnd: boolean; deciding: boolean };
export type Refusal = 'fresh' | 'background' | 'expired' | 'unseen' | 'deciding';

/** Why the card cannot be approved now, or null. Rejecting is always possible. */
export function refusalToHold(gate: Gate): Refusal | null {
  if (gate.deciding) return 'deciding';
  if (gate.expired) return 'expired';
  if (gate.fresh) return 'fresh';
  if (!gate.inFront) return 'background';
  if (!gate.seenToEnd) return 'unseen';
  return null;
}

/** Only Ctrl+Enter, held, counts as holding by keyboard; Enter, Space and letters do nothing. */
export const startsHold = (event: {
  key: string;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  repeat: boolean;
}): boolean => event.key === 'Enter' && event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey && !event.repeat;

/** Typed consent is exact: the shown value, with or without its unit; thousands and decimal marks are not guessed. */
export function typedMatches(typed: string, after: string, unit: string): boolean {
  const plain = (text: string): string =>
    text
      .trim()
      .replaceAll('\u2212', '-')
      .replace(/[\u2009\u202f\u00a0]/g, '')
      .replace(/\s+/g, ' ');
  const given = plain(typed);
  return (
    given !== '' && (given === plain(after) || (unit !== '' && (given === plain(`${after} ${unit}`) || given === plain(`${after}${unit}`))))
  );
}
