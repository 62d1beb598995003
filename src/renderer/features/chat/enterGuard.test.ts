import { expect, test } from 'vitest';
import { createEnterGuard } from './enterGuard.ts';

test('Enter that ends a composition never sends, whichever event the browser fires first', () => {
  let now = 0;
  const guard = createEnterGuard(() => now);
  const enter = { key: 'Enter', isComposing: false, keyCode: 13 };
  expect(guard.belongsToInputMethod(enter)).toBe(false);
  guard.composing(true);
  expect(guard.belongsToInputMethod(enter)).toBe(true);
  guard.composing(false);
  now = 99;
  expect(guard.belongsToInputMethod(enter)).toBe(true);
  now = 101;
  expect(guard.belongsToInputMethod(enter)).toBe(false);
  expect(guard.belongsToInputMethod({ ...enter, keyCode: 229 })).toBe(true);
  expect(guard.belongsToInputMethod({ ...enter, isComposing: true })).toBe(true);
});
