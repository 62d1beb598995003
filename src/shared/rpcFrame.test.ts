import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFrame, encodeFrame } from './rpcFrame.ts';

test('typed arrays of every kind come back as they were, in order', () => {
  const message = {
    a: new Float64Array([1.5, NaN, -0]),
    b: { c: new Uint8Array([1, 2, 3]) },
    d: [new Uint16Array([65535]), new Uint32Array([4294967295])],
    e: new Uint8Array(0),
  };
  expect(decodeFrame(encodeFrame(message))).toEqual(message);
});

test('a frame that lies at an odd place of its buffer decodes the same', () => {
  const frame = encodeFrame({ v: new Float64Array([1, 2]) });
  const pool = new Uint8Array(frame.length + 3);
  pool.set(frame, 3);
  expect(decodeFrame(pool.subarray(3))).toEqual({ v: new Float64Array([1, 2]) });
  expect(decodeFrame(Buffer.from(pool.buffer, 3))).toEqual({ v: new Float64Array([1, 2]) });
});

test('a Node Buffer arrives as bytes, not as a list of numbers', () => {
  expect(decodeFrame(encodeFrame({ bytes: Buffer.from([7, 8]) }))).toEqual({ bytes: new Uint8Array([7, 8]) });
});

test('data that looks like our stand-ins stays data', () => {
  const message = {
    args: { '\0bin': 0, type: 'f64', length: 1 },
    more: [{ '\0obj': [['x', 1]] }],
    deep: { '\0bin': { '\0obj': { '\0bin': 1 } } },
  };
  expect(decodeFrame(encodeFrame(message))).toEqual(message);
});

test('any JSON value survives', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeFrame(encodeFrame(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('no garbage is decoded into something, and none hangs or reads past the end', () => {
  const frame = encodeFrame({ t: 'call', v: new Float64Array([1, 2, 3]) });
  for (let cut = 0; cut < frame.length; cut++) expect(() => decodeFrame(frame.subarray(0, cut)), `cut at ${cut}`).toThrow();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        decodeFrame(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});
