import { HandrailError, type Bilingual } from '../../shared/errors.ts';

type Reason = { match: RegExp; code: 'STORE_WRITE' | 'STORE_CORRUPT'; text: Bilingual };

const reasons: readonly Reason[] = [
  { match: /^SQLITE_FULL/, code: 'STORE_WRITE', text: { en: 'the disk is full', zh: '磁盘已满' } },
  {
    match: /^SQLITE_READONLY|^SQLITE_PERM|^SQLITE_AUTH|EACCES|EPERM|EROFS/,
    code: 'STORE_WRITE',
    text: { en: 'the data folder is read-only', zh: '数据文件夹为只读' },
  },
  {
    match: /^SQLITE_BUSY|^SQLITE_LOCKED|^SQLITE_PROTOCOL/,
    code: 'STORE_WRITE',
    text: { en: 'another program holds the record locked', zh: '另一程序锁定了记录文件' },
  },
  {
    match: /^SQLITE_CANTOPEN|ENOENT|ENOTDIR/,
    code: 'STORE_WRITE',
    text: { en: 'the data folder cannot be opened', zh: '无法打开数据文件夹' },
  },
  { match: /ENOSPC|EDQUOT/, code: 'STORE_WRITE', text: { en: 'the disk is full', zh: '磁盘已满' } },
  {
    match: /^SQLITE_CORRUPT|^SQLITE_NOTADB/,
    code: 'STORE_CORRUPT',
    text: { en: 'it is no intact database file', zh: '它不是完好的数据库文件' },
  },
  { match: /^SQLITE_IOERR|EIO/, code: 'STORE_WRITE', text: { en: 'the disk reported an error', zh: '磁盘报告错误' } },
];

/** What SQLite or the file system threw, as STORE_WRITE or STORE_CORRUPT with a reason that a person can act on. */
export function storeWriteError(thrown: unknown, file: string): HandrailError {
  if (thrown instanceof HandrailError) return thrown;
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const known = reasons.find((reason) => reason.match.test(code));
  const reason = known?.text ?? { en: text, zh: text };
  const kind = known?.code ?? 'STORE_WRITE';
  const message =
    kind === 'STORE_WRITE'
      ? { en: `The record cannot be written: ${reason.en}.`, zh: `记录无法写入：${reason.zh}。` }
      : { en: `The record is damaged: ${reason.en} (${file}).`, zh: `记录已损坏：${reason.zh}（${file}）。` };
  return new HandrailError(kind, { message, detail: { reason: reason.en, reason_zh: reason.zh, sqlite: code, file }, cause: thrown });
}
