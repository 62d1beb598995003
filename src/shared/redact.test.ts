import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSpans, redactText, redactValue } from './redact.ts';

test.each([
  ['a Chinese mobile number', 'call 13800138000 now', 'call [PHONE] now'],
  ['a mobile number inside Chinese text', '联系人张工13912345678，夜班', '联系人张工[PHONE]，夜班'],
  ['a mobile number in full-width digits', '手机：１３８００１３８０００', '手机：[PHONE]'],
  ['a mobile number with hyphens', '138-0013-8000', '[PHONE]'],
  ['a mobile number with blanks behind its word', '电话 138 0013 8000', '电话 [PHONE]'],
  ['a country code', 'reach me at +86 138 0013 8000 or +49 170 1234567', 'reach me at [PHONE] or [PHONE]'],
  ['a country code without blanks', '+8613800138000', '[PHONE]'],
  ['a landline', '办公室 010-62345678，0755-26881234', '办公室 [PHONE]，[PHONE]'],
  ['an American number', '(555) 123-4567, phone: 555-123-4567', '[PHONE], phone: [PHONE]'],
  ['a number behind Tel.', 'Tel.13800138000 Tel-13800138000', 'Tel.[PHONE] Tel-[PHONE]'],
  ['a phone after a date', '2024-01-15 13800138000', '2024-01-15 [PHONE]'],
  ['an e-mail address', 'to zhang.san+plc@example.com.cn.', 'to [EMAIL].'],
  ['an e-mail in Chinese text', '邮箱是li_4@plant.cn，请回复', '邮箱是[EMAIL]，请回复'],
  ['an identity number', '身份证 11010519491231002X', '身份证 [ID-NUMBER]'],
  ['an identity number alone', '440524188001010014', '[ID-NUMBER]'],
  ['an identity number in three parts', '110105 19491231 0021 and 440524 18800101 0014', '110105 19491231 0021 and [ID-NUMBER]'],
  ['an old identity number by its word', '身份证号：110105491231002', '身份证号：[ID-NUMBER]'],
  ['a bank card', 'card 4111111111111111', 'card [CARD]'],
  ['a bank card in fours', '4111 1111 1111 1111 / 5500-0000-0000-0004', '[CARD] / [CARD]'],
  ['a bank card in fours before another number', '4111-1111-1111-1111 4111 1111 1111 1111 5500005555555559', '[CARD] [CARD] [CARD]'],
  ['an American Express card', '3782 822463 10005', '[CARD]'],
  ['a UnionPay card of 19 digits', '卡号6212345678901234569', '卡号[CARD]'],
  ['an account by its word', '账号：1100 2233 4455 66，开户行', '账号：[ACCOUNT]，开户行'],
  ['an IBAN', 'pay DE89 3704 0044 0532 0130 00 BIC COBADEFF', 'pay [IBAN] BIC COBADEFF'],
  ['an IBAN without blanks', 'GB29NWBK60161331926819', '[IBAN]'],
  ['a password', 'password=hunter2secret user=bob', 'password=[SECRET] user=bob'],
  ['a password in Chinese', '密码：abc12345，请保密', '密码：[SECRET]，请保密'],
  ['a bearer token', 'Authorization: Bearer abcdef0123456789abcdef', 'Authorization: Bearer [SECRET]'],
  ['a key by its shape', 'use sk-abcdefghijklmnopqrstuvwx here', 'use [SECRET] here'],
  ['a password in an address', 'mqtt://plant:geheim@10.0.0.5:1883/a', 'mqtt://plant:[SECRET]@10.0.0.5:1883/a'],
  ['a private key', 'x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y', 'x [SECRET] y'],
  ['a private key that is cut off', 'x -----BEGIN PRIVATE KEY-----\nMIIE', 'x [SECRET]'],
])('%s is masked', (_name, text, wanted) => {
  expect(redactText(text).text).toBe(wanted);
});

test.each([
  'TI-101.PV 20240115123045 count=13800138 v=4155.5501 plc=192.168.10.20 DB10.DBD20 2024-01-15 10:20:30',
  '2026-11-30T08:00:00.000Z 1764489600000 1764489600000000 1764489600000000000',
  '20240115123045123 202401151230451234',
  'count=13800138000 pulseCount: 13800138000 累计脉冲 13800138000 energy 13800138000 Wh 13800138000Wh 13800138000 kWh',
  'TI-13800138000 DB10.13800138000 tag_13800138000 x13800138000y 13800138000.5 0.13800138000',
  'pump@Line1.PV admin@10.0.0.5 Tank@Area2.LEVEL @ a@ @b a@b',
  '01 03 00 00 00 0A C5 CD 41 11 11 11 11 11 11 11 11 11 11 11',
  '4095 1200 1300 1400 1500 4111 1111 1111 1111 7',
  '4123 4511 1200 1501',
  '138 1024 2048',
  'rows 40001 400001 30001 65535 65536 4294967295 18446744073709551615',
  '192.168.1.13:502 10.0.0.1/24 fe80::1 00:1A:2B:3C:4D:5E',
  '550e8400-e29b-41d4-a716-446655440000 01ARZ3NDEK0000000000000000',
  'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'tokens: 51200, token: 512, monkey=tail keyword: register',
  'telemetry: 1234567, cell voltage 3700000, card serial 12345678, cellCount=3700000, hotel 1234567',
  '+12.5 -3.75 +41 42 43 ±0.5 +1234567 +0800 1e10 3.4028234663852886e+38',
  '1111111111111111 4000000000000000 0000000000000000 4999999999999999',
  'http://192.168.1.5:8080/a/b@c opc.tcp://server:4840/x',
  'serial 13800138000, seq 13912345678, ts=13912345678',
  '110105194912310021 has a wrong check digit',
])('plant data stays: %s', (text) => {
  expect(redactText(text)).toEqual({ text, count: 0 });
});

test('labels decide where the number alone cannot', () => {
  expect(
    redactValue({
      phone: 13800138000,
      count: 13800138000,
      手机: '138 0013 8000',
      name: 'TI-101',
      account: 6217001234567,
      cell_voltage_uv: 3700000,
    }),
  ).toEqual({
    value: { phone: '[PHONE]', count: 13800138000, 手机: '[PHONE]', name: 'TI-101', account: '[ACCOUNT]', cell_voltage_uv: 3700000 },
    count: 3,
  });
});

test('a table is masked by its column names', () => {
  const table = {
    columns: ['tag', 'phone', 'count'],
    rows: [
      ['TI-101', 13800138000, 13800138000],
      ['TI-102', '13912345678', '13912345678'],
    ],
    total_rows: 2,
  };
  expect(redactValue(table)).toEqual({
    value: {
      columns: ['tag', 'phone', 'count'],
      rows: [
        ['TI-101', '[PHONE]', 13800138000],
        ['TI-102', '[PHONE]', '13912345678'],
      ],
      total_rows: 2,
    },
    count: 2,
  });
});

test('secrets go by the name of their key, and the names of two masked keys stay two', () => {
  expect(redactValue({ apiKey: 'x', Password: 'y', token: '', tokens: { sent: 3 }, 'a@b.cn': 1, 'c@d.cn': 2 }).value).toEqual({
    apiKey: '[SECRET]',
    Password: '[SECRET]',
    token: '',
    tokens: { sent: 3 },
    '[EMAIL]': 1,
    '[EMAIL] 2': 2,
  });
});

test('our own ids, digests and frames stay whatever their digits spell', () => {
  const value = {
    call_id: '01ARZ3NDEK4111111111111111',
    frame: '4111111111111111',
    hex: '41 11 11 11 11 11 11 11',
    digest: '4111111111111111',
  };
  expect(redactValue(value)).toEqual({ value, count: 0 });
  expect(redactValue({ session_id: '4111-1111-1111-1111' }).count).toBe(1); // not in the form of an id: judged like any text
});

test('what needs no mask is handed back as the same object', () => {
  const value = { a: [1, { b: 'TI-101' }], c: null };
  expect(redactValue(value).value).toBe(value);
});

test('masking twice is masking once', () => {
  const alphabet = fc.constantFrom(
    '1',
    '3',
    '8',
    '0',
    '4',
    ' ',
    '-',
    '@',
    '.',
    'a',
    'X',
    '+',
    '(',
    ')',
    ':',
    '手机',
    'password=',
    'card ',
    'DE89',
    'com',
  );
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 60 }), (parts) => {
      const once = redactText(parts.join('')).text;
      for (const span of findSpans(parts.join(''))) expect(span.end).toBeGreaterThan(span.start);
      expect(redactText(redactText(once).text).text).toBe(redactText(once).text);
    }),
  );
});

// A quadratic pass over these would take minutes; the time limit is the hang guard.
test.each([
  'y',
  '1',
  '@',
  'a@',
  'a@a.',
  '1 ',
  '1-',
  '+1',
  '13800138000,',
  '4111 1111 1111 1111 ',
  'DE89 ',
  'AA11',
  '(555) ',
  '://',
  'a://b:',
  '-----BEGIN PRIVATE KEY-----',
  'password',
  'password:',
  'bearer ',
  'sk-',
  'eyJaaaaaaaaaa',
  'token ',
  '手机 1 ',
  '账号12345678 ',
  '.',
  '-a',
])(
  'a megabyte of %j ends in time',
  (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(redactText(text).text.length).toBeGreaterThan(0);
  },
  5_000,
);
