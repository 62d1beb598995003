import { expect, test } from 'vitest';
import { refusalToHold, startsHold, typedMatches } from './hold.ts';

const open = { fresh: false, inFront: true, expired: false, seenToEnd: true, deciding: false };
const key = { key: 'Enter', ctrlKey: true, shiftKey: false, altKey: false, metaKey: false, repeat: false };

test('a card can be held only when seen to its end, in front, not fresh, not expired', () => {
  expect(refusalToHold(open)).toBeNull();
  expect(refusalToHold({ ...open, fresh: true })).toBe('fresh');
  expect(refusalToHold({ ...open, inFront: false })).toBe('background');
  expect(refusalToHold({ ...open, expired: true, inFront: false })).toBe('expired');
  expect(refusalToHold({ ...open, seenToEnd: false })).toBe('unseen');
});

test('only Ctrl+Enter starts a hold by keyboard', () => {
  expect(startsHold(key)).toBe(true);
  for (const wrong of [{ ctrlKey: false }, { key: ' ' }, { key: 'y' }, { repeat: true }, { shiftKey: true }, { altKey: true }])
    expect(startsHold({ ...key, ...wrong })).toBe(false);
});

test('typed consent is the shown value and nothing near it', () => {
  expect(typedMatches('42.0', '42.0', 'Hz')).toBe(true);
  expect(typedMatches(' 42.0 Hz ', '42.0', 'Hz')).toBe(true);
  expect(typedMatches('-5', '\u22125', '')).toBe(true);
  expect(typedMatches('1284906', '1\u2009284\u2009906', '')).toBe(true);
  for (const wrong of ['42', '42.00', '42,0', '420', '42.0 kHz', '', '   ']) expect(typedMatches(wrong, '42.0', 'Hz'), wrong).toBe(false);
});
