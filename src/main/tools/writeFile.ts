import { Type, type Static } from 'typebox';
import iconv from 'iconv-lite';
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile as readWhole, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HandrailError } from '../../shared/errors.ts';
import type { FileItem } from '../../shared/contracts/approvals.ts';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ToolDeps } from './deps.ts';
import { jailOf } from './files/jail.ts';
import { choice, closed, nullable, plain } from './schema.ts';
import { invalid } from './target.ts';

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 400, description: 'inside the work folder' }),
    text: Type.Optional(Type.String({ maxLength: 2_000_000 })),
    encoding: Type.Optional(choice(['utf-8', 'utf-8-bom', 'gb18030', 'utf-16le'], 'default utf-8')),
    restore: Type.Optional(
      Type.String({ pattern: '^([0-9a-f]{64}|none)$', description: 'instead of text: digest of kept content, none removes' }),
    ),
    if_sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'only while the file holds this' })),
    undoes: Type.Optional(Type.String({ maxLength: 64 })),
  },
  closed,
);
type Args = Static<typeof parameters>;
export const fileWritten = Type.Object(
  {
    path: Type.String(),
    bytes: Type.Integer(),
    sha256: Type.String(),
    removed: Type.Boolean(),
    /** What stood there before; its content is kept under this digest. */
    replaced: nullable(Type.Object({ bytes: Type.Integer(), sha256: Type.String() }, closed)),
  },
  closed,
);
const keptMost = 64_000_000;
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a file in the work folder after a person saw path, size and digest. The old content is kept first, so it can be undone. */
export function writeFile({ root, blobs }: Pick<ToolDeps, 'root' | 'blobs'>): ToolDefinition {
  return {
    contract: {
      name: 'write_file',
      title: { en: 'Write a file', zh: '写入文件' },
      description: {
        en: 'Write a text file in the work folder. A person must approve it; it can be undone.',
        zh: '在工作文件夹写入文本文件，须由人员批准，可撤销。',
      },
      parameters: plain(parameters),
      returnSchema: plain(fileWritten),
      executionTimeoutMs: 10_000,
      isDeterministic: false,
      effect: 'write-file',
      fallback: 'none',
      undo: 'file-content',
    },
    async files(args) {
      const asked = args as Args;
      const { full, shown, exists } = await jailOf(root).placeForWriting(asked.path);
      const old = exists ? await readOld(full, shown) : null;
      judgeHeld(asked, shown, old);
      return [itemOf(asked, shown, contentOf(asked), old)];
    },
    async run(args) {
      const asked = args as Args;
      const { full, shown, exists } = await jailOf(root).placeForWriting(asked.path);
      const old = exists ? await readOld(full, shown) : null;
      judgeHeld(asked, shown, old);
      if (old !== null) blobs!.put(old); // on the disk before the file goes
      const bytes = contentOf(asked);
      if (bytes === null) await rm(full);
      else await replace(full, bytes);
      const after = bytes === null ? null : await readWhole(full);
      const item = itemOf(asked, shown, bytes, old);
      if (after !== null && digest(after) !== item.sha256)
        throw new HandrailError('WRITE_DIFFERENT', { detail: { target: shown, now: digest(after), value: item.sha256 } });
      return { path: shown, bytes: item.bytes, sha256: item.sha256, removed: item.removes === true, replaced: item.replaces };
    },
  };

  /** The bytes to write; null: the file goes. */
  function contentOf(asked: Args): Uint8Array | null {
    if ((asked.text === undefined) === (asked.restore === undefined))
      throw invalid('give either text or restore', '请给出 text 或 restore 其一');
    if (blobs === undefined) throw new HandrailError('STORE_WRITE', { detail: { reason: 'old contents cannot be kept in this start' } });
    if (asked.restore === 'none') return null;
    if (asked.restore !== undefined) {
      const kept = blobs.get(asked.restore);
      if (kept === undefined) throw new HandrailError('STORE_NOT_FOUND', { detail: { what: 'kept content', id: asked.restore } });
      return kept;
    }
    return encode(asked.text!, asked.encoding ?? 'utf-8');
  }
}

/** The file is still what whoever asked believes it to be. */
function judgeHeld(asked: Args, shown: string, old: Uint8Array | null): void {
  const now = old === null ? 'none' : digest(old);
  if (asked.if_sha256 === undefined || now === asked.if_sha256) return;
  throw new HandrailError(asked.undoes === undefined ? 'POLICY_REFUSED' : 'WRITE_UNDO_GONE', {
    detail: { target: shown, now, value: asked.if_sha256, reason: `${shown} has changed since` },
  });
}

function itemOf(asked: Args, shown: string, bytes: Uint8Array | null, old: Uint8Array | null): FileItem {
  const content = bytes ?? new Uint8Array(0);
  return {
    path: shown,
    bytes: content.length,
    sha256: digest(content),
    replaces: old === null ? null : { bytes: old.length, sha256: digest(old) },
    ...(bytes === null ? { removes: true } : {}),
    ...(asked.undoes === undefined ? {} : { takesBack: asked.undoes }),
  };
}

function encode(text: string, encoding: NonNullable<Args['encoding']>): Uint8Array {
  if (!text.isWellFormed()) throw invalid('the text is not well-formed', '文本不合法');
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding === 'utf-8-bom') return Buffer.from(`\ufeff${text}`, 'utf8');
  const bytes = iconv.encode(text, encoding, { addBOM: encoding === 'utf-16le' });
  if (iconv.decode(bytes, encoding) !== text)
    throw invalid(`the text has characters that ${encoding} lacks`, `文本含 ${encoding} 没有的字符`);
  return bytes;
}

async function readOld(full: string, shown: string): Promise<Uint8Array> {
  const handle = await open(full, 'r');
  try {
    const { size } = await handle.stat();
    if (size > keptMost)
      throw new HandrailError('POLICY_REFUSED', { detail: { reason: `${shown} is larger than ${keptMost} bytes and could not be kept` } });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Beside it, synced, then renamed over: a crash leaves the old file or the new one, never half of one. */
async function replace(full: string, bytes: Uint8Array): Promise<void> {
  const beside = join(dirname(full), `.handrail-${randomBytes(6).toString('hex')}.part`);
  const handle = await open(beside, 'wx', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await rename(beside, full);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
