import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { segmentsOf } from '../../../src/main/tools/files/jail.ts';
import { approve, createRig, type Rig } from '../../harness/gatewayRig.ts';

let rig: Rig;
let root: string;
beforeAll(async () => {
  rig = await createRig({ work: true, realTime: true });
  root = join(rig.folder, 'work');
});
beforeEach(() => {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
});
afterAll(() => rig.close());
const put = (name: string, bytes: string | Uint8Array): void => writeFileSync(join(root, name), bytes);
type Read = {
  text: string;
  encoding: string;
  bom: boolean;
  line_ends: string;
  lines: number;
  truncated: boolean;
  next_line: number | null;
  undecodable: number;
  cut_lines: number;
  binary: boolean;
};
const read = async (args: Record<string, unknown>): Promise<Read> => {
  const answer = await rig.call('read_file', args);
  expect(answer.error).toBeNull();
  return answer.result as Read;
};

describe('paths out of the work folder are refused', () => {
  const hostile = [
    '../secret',
    'a/../../secret',
    '..',
    '/etc/passwd',
    '/proc/self/environ',
    '//etc/passwd',
    'C:\\Windows\\win.ini',
    'c:/x',
    '\\\\host\\share',
    'a\\..\\b',
    '~/.ssh/id_rsa',
    'a\0b',
    'a\nb',
    'a/./b',
    'a//b',
    '.',
    'CON',
    'nul.txt',
    'com1.log',
    'aux.',
    'LPT9',
    'name.',
    'name ',
    'x:stream',
    'a\u202eb',
    'a\u200b/../b',
    '．．/secret',
    'a'.repeat(401),
    'b'.repeat(300),
    '\ud800',
  ];
  test.each(hostile.map((path) => [JSON.stringify(path), path]))('%s', async (_, path) => {
    if (path === '．．/secret') {
      // Full-width dots are ordinary characters on every file system and stay such: no folder of that name is there.
      expect((await rig.call('read_file', { path })).error!.code).toBe('ARGS_UNREADABLE_FILE');
      return;
    }
    for (const tool of ['read_file', 'write_file', 'list_files']) {
      const answer = await rig.call(tool, tool === 'write_file' ? { path, text: 'x' } : { path });
      if (tool === 'list_files' && path === '.') continue;
      expect([answer.ok, ['POLICY_PATH', 'ARGS_INVALID'].includes(answer.error!.code)]).toEqual([false, true]);
    }
    expect(rig.cards).toEqual([]);
  });
  test('a link inside that points outside is not followed, neither as file nor as folder', async () => {
    writeFileSync(join(rig.folder, 'secret'), 'secret');
    symlinkSync(join(rig.folder, 'secret'), join(root, 'link'));
    symlinkSync(rig.folder, join(root, 'up'));
    for (const path of ['link', 'up/secret']) {
      expect((await rig.call('read_file', { path })).error).toMatchObject({ code: 'POLICY_PATH' });
      expect((await rig.call('write_file', { path, text: 'x' })).error).toMatchObject({ code: 'POLICY_PATH' });
    }
    expect((await rig.call('list_files', { path: 'up' })).error).toMatchObject({ code: 'POLICY_PATH' });
    expect((await rig.call('list_files', {})).result).toMatchObject({
      entries: [
        { name: 'link', kind: 'link', bytes: null },
        { name: 'up', kind: 'link', bytes: null },
      ],
    });
    expect(readFileSync(join(rig.folder, 'secret'), 'utf8')).toBe('secret');
  });
  test('a link that lies above a folder to be made is refused before anything is made', async () => {
    symlinkSync(rig.folder, join(root, 'up'));
    expect((await rig.call('write_file', { path: 'up/new/file', text: 'x' })).ok).toBe(false);
    expect(() => statSync(join(rig.folder, 'new'))).toThrow();
  });
  test('a pipe does not hold the reader', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect((await rig.call('read_file', { path: 'pipe' })).error).toMatchObject({ code: 'POLICY_PATH' });
  });
  test('a folder is no file, a missing file is named', async () => {
    mkdirSync(join(root, 'sub'));
    expect((await rig.call('read_file', { path: 'sub' })).error).toMatchObject({ code: 'POLICY_PATH' });
    expect((await rig.call('read_file', { path: 'gone.txt' })).error).toMatchObject({
      code: 'ARGS_UNREADABLE_FILE',
      detail: { file: 'gone.txt' },
    });
  });
  test('Chinese names with spaces are ordinary', () => {
    expect(segmentsOf('日志/1 号 泵.csv')).toEqual(['日志', '1 号 泵.csv']);
  });
});

describe('encodings', () => {
  const text = '时间,温度\n08:00,85.3\n1号泵启动，压力正常。锅炉水位报警已复位\n';
  test.each<[string, Uint8Array, string, boolean]>([
    ['UTF-8', Buffer.from(text), 'utf8', false],
    ['UTF-8 with BOM', Buffer.from(`\ufeff${text}`), 'utf8', true],
    ['GBK', iconv.encode(text, 'gbk'), 'gb18030', false],
    ['GB18030 with four-byte characters', iconv.encode(`${text}㐀\n`, 'gb18030'), 'gb18030', false],
    ['UTF-16LE with BOM', iconv.encode(text, 'utf-16le', { addBOM: true }), 'utf16le', true],
    ['UTF-16BE with BOM', iconv.encode(text, 'utf-16be', { addBOM: true }), 'utf16be', true],
  ])('%s is recognised', async (_, bytes, encoding, bom) => {
    put('log.csv', bytes);
    const found = await read({ path: 'log.csv' });
    expect(found).toMatchObject({ encoding, bom, undecodable: 0, line_ends: 'lf' });
    expect(found.text.startsWith('时间,温度\n08:00,85.3\n1号泵启动')).toBe(true);
    expect(found.text).not.toContain('\ufeff');
  });
  test.each(['utf-16le', 'utf-16be'])('%s without a mark is recognised by its zero bytes', async (encoding) => {
    put('log.txt', iconv.encode('08:00 pump 1 started\n08:01 timeout unit 3\n', encoding, { addBOM: false }));
    expect(await read({ path: 'log.txt' })).toMatchObject({
      encoding: encoding.replace('-', ''),
      bom: false,
      text: '08:00 pump 1 started\n08:01 timeout unit 3',
    });
  });
  test('a character that a piece cuts in two is whole', async () => {
    const line = `${'甲'.repeat(1000)}\n`;
    put('big.txt', Buffer.from('x' + line.repeat(40)));
    const found = await read({ path: 'big.txt', max_lines: 40 });
    expect([found.undecodable, found.text.replaceAll('甲', '').replaceAll('\n', '')]).toEqual([0, 'x']);
  });
  test('bytes that the asked encoding cannot explain are counted, not hidden', async () => {
    put('mixed.txt', Buffer.concat([Buffer.from('ok\n'), Buffer.from([0xff, 0xfe, 0xfd]), Buffer.from('\n')]));
    expect((await read({ path: 'mixed.txt', encoding: 'utf-8' })).undecodable).toBeGreaterThan(0);
  });
});

describe('lines and limits', () => {
  test.each<[string, string, number]>([
    ['a\nb\nc', 'lf', 3],
    ['a\r\nb\r\n', 'crlf', 2],
    ['a\rb\rc\r', 'cr', 3],
    ['a\nb\r\nc\rd', 'mixed', 4],
    ['', 'none', 0],
    ['one', 'none', 1],
    ['\n\n', 'lf', 2],
  ])('%j has line ends %s and %i lines', async (text, ends, lines) => {
    put('f', text);
    const found = await read({ path: 'f' });
    expect([found.line_ends, found.lines, found.truncated]).toEqual([ends, lines, false]);
  });
  test('a CRLF that two pieces share is one line end', async () => {
    put('f', `${'x'.repeat(65_535)}\r\n${'y'}\r\n`);
    expect(await read({ path: 'f' })).toMatchObject({ line_ends: 'crlf', lines: 2, cut_lines: 1 });
  });
  test('a page says where the next one begins', async () => {
    put('f', Array.from({ length: 500 }, (_, i) => `line ${i + 1}`).join('\n'));
    const first = await read({ path: 'f', max_lines: 100 });
    expect([first.lines, first.next_line, first.truncated]).toEqual([100, 101, true]);
    const last = await read({ path: 'f', from_line: 451, max_lines: 100 });
    expect([last.text.split('\n')[0], last.lines, last.next_line]).toEqual(['line 451', 50, null]);
  });
  test('a sparse file of 2 GB is read by limits in constant memory', async () => {
    put('big.log', 'first line\nsecond line\n');
    truncateSync(join(root, 'big.log'), 2 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    const page = await read({ path: 'big.log', max_lines: 2 });
    expect(page.text).toBe('first line\nsecond line');
    const all = await read({ path: 'big.log' });
    expect(all).toMatchObject({ truncated: true, cut_lines: 1, binary: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
  });
});

describe('writing', () => {
  test('shows path, size and digest, keeps the old content, and can be undone', async () => {
    put('note.txt', 'old');
    const written = await rig.call('write_file', { path: 'note.txt', text: 'new 新\n' });
    expect(written).toMatchObject({ ok: true, result: { path: 'note.txt', bytes: 8, replaced: { bytes: 3 } } });
    expect(rig.cards[0]).toMatchObject({ items: [], files: [{ path: 'note.txt', bytes: 8, replaces: { bytes: 3 } }] });
    expect(readFileSync(join(root, 'note.txt'), 'utf8')).toBe('new 新\n');
    const undone = await rig.call('undo', {});
    expect(undone.error).toBeNull();
    expect(readFileSync(join(root, 'note.txt'), 'utf8')).toBe('old');
    expect((await rig.call('undo', {})).error!.code).toBe('WRITE_UNDO_NONE');
    expect((await rig.store.record.verify()).ok).toBe(true);
  });
  test('undoing a file that was made removes it; its content is kept', async () => {
    await rig.call('write_file', { path: 'a/b.txt', text: 'x' });
    expect((await rig.call('undo', {})).result).toMatchObject({ path: 'a/b.txt', removed: true });
    expect(() => statSync(join(root, 'a/b.txt'))).toThrow();
  });
  test('a file that changed since is not undone', async () => {
    await rig.call('write_file', { path: 'n.txt', text: 'ours' });
    put('n.txt', 'theirs');
    expect((await rig.call('undo', {})).error!.code).toBe('WRITE_UNDO_GONE');
    expect(readFileSync(join(root, 'n.txt'), 'utf8')).toBe('theirs');
  });
  test('a person who refuses leaves the file as it was', async () => {
    const other = await createRig({
      work: true,
      realTime: true,
      approver: { ask: async (card) => approve(card, { approved: false, how: 'reject' }) },
    });
    const file = join(other.folder, 'work', 'n.txt');
    writeFileSync(file, 'old');
    const refused = await other.call('write_file', { path: 'n.txt', text: 'new' });
    expect([refused.error!.code, readFileSync(file, 'utf8')]).toEqual(['APPROVAL_DECLINED', 'old']);
    await other.close();
  });
  test('a text that its encoding cannot hold is refused, not filled with question marks', async () => {
    expect((await rig.call('write_file', { path: 'n.txt', text: '\ud800' })).ok).toBe(false);
    const ok = await rig.call('write_file', { path: 'gb.txt', text: '温度', encoding: 'gb18030' });
    expect([ok.ok, readFileSync(join(root, 'gb.txt')).toString('hex')]).toEqual([true, 'cec2b6c8']);
  });
  test.each(['program:x', 'mcp:peer'])('%s may not write files', async (caller) => {
    expect((await rig.call('write_file', { path: 'n.txt', text: 'x' }, { caller })).error!.code).toBe('POLICY_REFUSED');
  });
});
