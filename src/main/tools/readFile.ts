import { Type, type Static } from 'typebox';
import iconv from 'iconv-lite';
import type { FileHandle } from 'node:fs/promises';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { createDecoder, detectEncoding } from '../logs/index.ts';
import type { ToolDeps } from './deps.ts';
import { jailOf } from './files/jail.ts';
import { choice, closed, nullable, plain } from './schema.ts';
import { invalid } from './target.ts';

const encodings = ['auto', 'utf-8', 'utf-16le', 'utf-16be', 'gbk', 'gb18030', 'big5', 'windows-1252'] as const;
const lineEnds = ['lf', 'crlf', 'cr', 'mixed', 'none'] as const;
const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 400, description: 'inside the work folder' }),
    from_line: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000, description: 'first line, default 1' })),
    max_lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, description: 'default 200' })),
    encoding: Type.Optional(choice(encodings)),
  },
  closed,
);
const returns = Type.Object(
  {
    path: Type.String(),
    bytes: Type.Integer(),
    encoding: Type.String(),
    bom: Type.Boolean(),
    line_ends: choice(lineEnds),
    from_line: Type.Integer(),
    lines: Type.Integer(),
    text: Type.String(),
    truncated: Type.Boolean(),
    next_line: nullable(Type.Integer()),
    /** Characters that the encoding could not explain: the text is doubtful where it shows U+FFFD. */
    undecodable: Type.Integer(),
    cut_lines: Type.Integer(),
    binary: Type.Boolean(),
  },
  closed,
);

export const readLimits = { pieceBytes: 65_536, textChars: 64_000, lineChars: 4000, scanBytes: 256_000_000 };

/** Text of a file in the work folder, by lines, in constant memory however large the file or a line is. */
export function readFile({ root }: Pick<ToolDeps, 'root'>): ToolDefinition {
  return {
    contract: {
      name: 'read_file',
      title: { en: 'Read a file', zh: '读取文件' },
      description: {
        en: 'Read lines of a text file in the work folder; GBK, UTF-16 and others are recognised.',
        zh: '按行读取工作文件夹中的文本文件，自动识别 GBK、UTF-16 等编码。',
      },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 15_000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      const asked = args as Static<typeof parameters>;
      const { handle, size, shown } = await jailOf(root).openForReading(asked.path);
      try {
        const result = await readLines(handle, size, asked, context.signal);
        context.note({ truncated: result.truncated });
        return { path: shown, bytes: size, ...result };
      } finally {
        await handle.close();
      }
    },
  };
}

async function readLines(handle: FileHandle, size: number, asked: Static<typeof parameters>, signal: AbortSignal) {
  const buffer = new Uint8Array(readLimits.pieceBytes);
  const first = await handle.read(buffer, 0, buffer.length, 0);
  const head = buffer.slice(0, first.bytesRead);
  const detected = detectEncoding(head);
  const encoding = asked.encoding === undefined || asked.encoding === 'auto' ? detected : { name: asked.encoding, bom: detected.bom };
  if (!iconv.encodingExists(encoding.name)) throw invalid(`there is no encoding ${encoding.name}`, `没有编码 ${encoding.name}`);
  const wide = encoding.name.replace('-', '').startsWith('utf16');
  const collector = createCollector(asked.from_line ?? 1, asked.max_lines ?? 200);
  const decoder = createDecoder(encoding);
  let at = 0;
  let piece: Uint8Array = head;
  while (piece.length > 0 && !collector.isFull() && at < readLimits.scanBytes) {
    signal.throwIfAborted();
    collector.take(decoder.write(piece));
    at += piece.length;
    const next = await handle.read(buffer, 0, buffer.length, at);
    piece = buffer.subarray(0, next.bytesRead);
  }
  const isWhole = piece.length === 0;
  if (isWhole) collector.take(decoder.end());
  const found = collector.end(isWhole);
  return {
    encoding: encoding.name,
    bom: detected.bom,
    ...found,
    binary: !wide && head.includes(0),
    truncated: found.next_line !== null || found.cut_lines > 0 || (at >= size ? false : !isWhole),
  };
}

/** Splits decoded text in lines, keeps the wanted ones, and forgets the rest as it goes. */
function createCollector(fromLine: number, maxLines: number) {
  const kept: string[] = [];
  let chars = 0;
  let line = 1;
  let current = '';
  let overlong = false;
  let sawAny = false;
  let endsWithCr = false;
  let cutLines = 0;
  let undecodable = 0;
  const ends = { lf: 0, crlf: 0, cr: 0 };
  let full = false;
  let next: number | null = null;

  const isWanted = (): boolean => line >= fromLine;
  const close = (): void => {
    if (isWanted()) {
      if (kept.length >= maxLines || chars + current.length > readLimits.textChars) {
        full = true;
        next = line;
        return;
      }
      kept.push(current);
      chars += current.length + 1;
      if (overlong) cutLines++;
    }
    line++;
    current = '';
    overlong = false;
    sawAny = false;
  };
  const append = (text: string): void => {
    if (text === '') return;
    sawAny = true;
    if (!isWanted()) return;
    for (const c of text) if (c === '\ufffd') undecodable++;
    const room = readLimits.lineChars - current.length;
    if (text.length > room) overlong = true;
    if (room > 0) current += text.slice(0, room);
  };

  return {
    isFull: () => full,
    take(text: string): void {
      let from = 0;
      if (endsWithCr && text !== '') {
        endsWithCr = false;
        if (text[0] === '\n') {
          ends.crlf++;
          from = 1;
        } else ends.cr++;
        close();
      }
      while (from < text.length && !full) {
        const end = nextEnd(text, from);
        append(text.slice(from, end));
        if (end === text.length) return;
        if (text[end] === '\n') {
          ends.lf++;
          close();
          from = end + 1;
        } else if (end + 1 === text.length) {
          endsWithCr = true; // the other half of a CRLF may come with the next piece
          return;
        } else {
          const isPair = text[end + 1] === '\n';
          ends[isPair ? 'crlf' : 'cr']++;
          close();
          from = end + (isPair ? 2 : 1);
        }
      }
    },
    end(isWhole: boolean) {
      if (endsWithCr && !full) {
        ends.cr++;
        close();
      }
      if (!full && (sawAny || current !== '')) {
        if (isWhole) close();
        else if (isWanted()) {
          // The rest of this line was not looked at.
          overlong = true;
          close();
          next ??= null;
        }
      }
      const kinds = (['lf', 'crlf', 'cr'] as const).filter((kind) => ends[kind] > 0);
      return {
        line_ends: kinds.length === 0 ? ('none' as const) : kinds.length === 1 ? kinds[0]! : ('mixed' as const),
        from_line: fromLine,
        lines: kept.length,
        text: kept.join('\n'),
        next_line: next,
        undecodable,
        cut_lines: cutLines,
      };
    },
  };
}

function nextEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (lf < 0) return cr < 0 ? text.length : cr;
  return cr < 0 ? lf : Math.min(lf, cr);
}
