import type { Bilingual } from '../../../shared/errors.ts';

/** Words of the log bench. */
export const benchWords = {
  'bench.files': { en: 'Files', zh: '文件' },
  'bench.open': { en: 'Open', zh: '打开' },
  'bench.drop': { en: 'Drop a log or CSV here', zh: '将日志或 CSV 拖到此处' },
  'bench.table': { en: 'Table', zh: '表格' },
  'bench.rows': { en: '{n} rows', zh: '{n} 行' },
  'bench.before': { en: 'Before', zh: '上一页' },
  'bench.after': { en: 'After', zh: '下一页' },
  'bench.unread': { en: '{n, plural, one {# row could not be read.} other {# rows could not be read.}}', zh: '有 {n} 行无法读取。' },
  'bench.unread.first': { en: 'First: line {line}, {reason}', zh: '首个：第 {line} 行，{reason}' },
  'bench.hint': { en: 'Any common dialect: the file is read here, on this machine.', zh: '支持常见格式，文件仅在本机读取。' },
  'bench.questions': { en: 'Questions', zh: '提问' },
  'bench.ask': { en: 'Ask about this file', zh: '就此文件提问' },
  'bench.ask.count': { en: 'How many rows are in the log?', zh: '日志里有多少行？' },
  'bench.ask.max': { en: 'What is the highest {column} in the log, and when?', zh: '日志里{column}最高是多少，什么时候？' },
  'bench.ask.errors': { en: 'Which errors are in the log?', zh: '日志里有哪些错误？' },
} as const satisfies Record<string, Bilingual>;
