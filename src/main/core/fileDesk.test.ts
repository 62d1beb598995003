import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HandrailError } from '../../shared/errors.ts';
import { openFileDesk, safeFileName } from './fileDesk.ts';

const fresh = (): string => mkdtempSync(join(tmpdir(), 'handrail-files-'));

test('a name loses its path, control characters and device names, and keeps its language', () => {
  expect(safeFileName('../../etc/passwd')).toBe('passwd');
  expect(safeFileName('C:\\logs\\锅炉 日志.csv')).toBe('锅炉 日志.csv');
  expect(safeFileName('CON')).toBe('_CON');
  expect(safeFileName('nul.txt')).toBe('_nul.txt');
  expect(safeFileName('..')).toBe('_');
  expect(safeFileName('a\u0000b\u202egpj.exe')).toBe('a_bgpj.exe');
});

test('a second file of the same name gets a number and overwrites nothing', () => {
  const desk = openFileDesk(join(fresh(), 'work'));
  const first = desk.put('a.csv', Buffer.from('1'));
  const second = desk.put('a.csv', Buffer.from('2'));
  expect([first.file, second.file]).toEqual(['a.csv', 'a-2.csv']);
  expect(readFileSync(join(desk.root, 'a.csv'), 'utf8')).toBe('1');
  expect(desk.names()).toEqual(['a-2.csv', 'a.csv']);
});

test('a file named on the command line is brought in once, a missing one is a clear error', () => {
  const folder = fresh();
  writeFileSync(join(folder, 'log.csv'), 't,v\n');
  const desk = openFileDesk(join(folder, 'work'));
  expect(desk.bring(join(folder, 'log.csv'))).toBe('log.csv');
  expect(desk.bring(join(folder, 'log.csv'))).toBe('log.csv');
  expect(() => desk.bring(join(folder, 'none.csv'))).toThrow(HandrailError);
  expect(() => desk.bring(folder)).toThrow(/not a regular file/);
});
