import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, NotCanonical } from './canonicalJson.ts';

test('the example of RFC 8785 prints as the RFC prints it', () => {
  const value: unknown = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  // 1E30 is past 2^53 and refused by our narrower rule; the rest is the RFC's own text.
  expect(() => canonicalJson(value)).toThrow(NotCanonical);
  (value as { numbers: number[] }).numbers.splice(1, 1);
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('keys are sorted by UTF-16 code units, as the RFC wants', () => {
  const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
  expect(Object.keys(JSON.parse(text) as object)).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']);
});

test('the order in which an object was built does not show', () => {
  expect(canonicalJson({ b: 1, a: { d: 2, c: 3 } })).toBe(canonicalJson({ a: { c: 3, d: 2 }, b: 1 }));
});

test.each([
  ['-0', -0],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['2^53', 2 ** 53],
  ['a bigint', 1n],
  ['undefined in an array', [undefined]],
  ['a function', () => 1],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['bytes', new Uint8Array(1)],
  ['a lone surrogate', '\ud800'],
  ['a lone surrogate in a key', { '\udc00': 1 }],
  ['undefined itself', undefined],
])('%s is refused with its place', (_name, value) => {
  expect(() => canonicalJson({ here: [value] })).toThrow(/\$\.here\[0\]/);
});

test('an undefined property is absent', () => {
  expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
});

test('nesting without end is an error of ours, not a stack overflow', () => {
  let value: unknown = 1;
  for (let i = 0; i < 100_000; i++) value = [value];
  expect(() => canonicalJson(value)).toThrow(/too deep/);
});

test('the text reads back as the same value and prints the same again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      let text: string;
      try {
        text = canonicalJson(value);
      } catch (error) {
        expect(error).toBeInstanceOf(NotCanonical);
        return;
      }
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
