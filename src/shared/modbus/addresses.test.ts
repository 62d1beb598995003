import { expect, test } from 'vitest';
import { addressInRequest, parseAddress, showAddress, toReference, toSixDigitReference } from './index.ts';

const holding107 = { table: 'holding', address: 107 };

test('both forms are always shown', () => {
  expect(showAddress('holding', 107)).toBe('FC03 · wire 107 · 40108 · 0x006B');
  expect(toReference('coil', 0)).toBe('00001');
  expect(toReference('input', 9998)).toBe('39999');
  expect(toReference('holding', 9999)).toBe('410000');
  expect(toSixDigitReference('holding', 65535)).toBe('465536');
});

test('a bare 40108 has three readings', () => {
  const result = parseAddress('40108');
  expect(result.kind === 'ambiguous' && result.readings.map((r) => [r.notation, r.table, r.address])).toEqual([
    ['five-digit', 'holding', 107],
    ['zero-based', null, 40108],
    ['one-based', null, 40107],
  ]);
});

test('A03: 42999 without a notation is ambiguous', () => {
  const result = parseAddress('42999');
  expect(result.kind === 'ambiguous' && result.readings.map((r) => r.address)).toEqual([2998, 42999, 42998]);
});

test('A07: discrete input 10029 is wire address 28', () => {
  expect(parseAddress('10029', { notation: 'five-digit' })).toMatchObject({ kind: 'one', at: { table: 'discrete', address: 28 } });
});

test('A17: 1!40001 is a coil, 1!400001 a holding register', () => {
  expect(parseAddress('1!40001')).toMatchObject({ at: { unitId: 1, table: 'coil', address: 40000 } });
  expect(parseAddress('1!400001')).toMatchObject({ at: { unitId: 1, table: 'holding', address: 0 } });
});

test.each(['4x0108', '4X00108', '%MW107', '40108.4', '1!400108'])('%s is holding register 107', (text) => {
  expect(parseAddress(text, { notation: 'five-digit' })).toMatchObject({ kind: 'one', at: holding107 });
});

test('hexadecimal forms, IEC forms and bits', () => {
  expect(parseAddress('0x6B', { table: 'holding' })).toMatchObject({ at: holding107 });
  expect(parseAddress('6Bh', { table: 'holding' })).toMatchObject({ at: holding107 });
  expect(parseAddress('%IW3')).toMatchObject({ at: { table: 'input', address: 3 } });
  expect(parseAddress('%I3')).toMatchObject({ at: { table: 'discrete', address: 3 } });
  expect(parseAddress('%Q3')).toMatchObject({ at: { table: 'coil', address: 3 } });
  expect(parseAddress('107:4:1', { notation: 'zero-based' })).toMatchObject({ at: { address: 107, bit: 4, width: 1 } });
});

test('what is no address is named', () => {
  for (const text of ['', 'abc', '70000', '-1', '0', '20001', '40000', '107.16'])
    expect(parseAddress(text, { notation: text === '40000' || text === '20001' ? 'five-digit' : 'one-based' }).kind).toBe('invalid');
  expect(parseAddress('4x0001', { table: 'coil' }).kind).toBe('invalid');
});

test("in a person's request five and six digits are references and the rest is zero-based", () => {
  expect(addressInRequest('40001')).toEqual({ table: 'holding', address: 0, isReference: true });
  expect(addressInRequest('00017')).toEqual({ table: 'coil', address: 16, isReference: true });
  expect(addressInRequest('465536')).toEqual({ table: 'holding', address: 65535, isReference: true });
  expect(addressInRequest('40001', true)).toEqual({ table: null, address: 40001, isReference: false });
  expect(addressInRequest('100')).toEqual({ table: null, address: 100, isReference: false });
  expect(addressInRequest('20001')).toEqual({ table: null, address: 20001, isReference: false });
});
