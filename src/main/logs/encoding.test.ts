import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { createDecoder, detectEncoding } from './encoding.ts';

const simplified = '时间,锅炉温度(℃),给水流量\n2026-03-18 10:00:00,20.5,1\n';
const traditional = '時間,鍋爐溫度,給水流量,設備狀態,運轉中\n2026-03-18 10:00:00,20.5,1\n';

test.each<[string, string, string]>([
  ['gb18030', simplified, 'gb18030'],
  ['big5', traditional, 'big5'],
  ['utf8', simplified, 'utf8'],
  ['utf16le', simplified, 'utf16le'],
  ['utf16be', 'time,temp\n1,2\n', 'utf16be'],
  ['windows-1252', 'Zeit;Außentemperatur;Durchfluß\n1;2;3\nWärmemenge für Kessel 1;;\n', 'windows-1252'],
])('%s is recognised by its bytes', (encoding, text, name) => {
  const bytes = new Uint8Array(iconv.encode(text, encoding, { addBOM: false }));
  const found = detectEncoding(bytes);
  expect(createDecoder(found).write(bytes)).toBe(text);
  if (name !== 'windows-1252') expect(found.name).toBe(name);
});

test('a character that a piece cuts in two is whole again in the next', () => {
  const bytes = new Uint8Array(iconv.encode('锅炉温度', 'gb18030'));
  for (let cut = 1; cut < bytes.length; cut++) {
    const decoder = createDecoder({ name: 'gb18030', bom: false });
    expect(decoder.write(bytes.subarray(0, cut)) + decoder.write(bytes.subarray(cut)) + decoder.end()).toBe('锅炉温度');
  }
});
