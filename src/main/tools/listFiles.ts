import { Type, type Static } from 'typebox';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import type { ToolDeps } from './deps.ts';
import { jailOf } from './files/jail.ts';
import { choice, closed, nullable, plain } from './schema.ts';

const parameters = Type.Object(
  { path: Type.Optional(Type.String({ maxLength: 400, description: 'folder inside the work folder' })) },
  closed,
);
const returns = Type.Object(
  {
    path: Type.String(),
    total: Type.Integer(),
    entries: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          kind: choice(['file', 'folder', 'link', 'other']),
          bytes: nullable(Type.Integer()),
          modified: nullable(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
const most = 500;

export function listFiles({ root }: Pick<ToolDeps, 'root'>): ToolDefinition {
  return {
    contract: {
      name: 'list_files',
      title: { en: 'List files', zh: '列出文件' },
      description: { en: 'List the files of the work folder.', zh: '列出工作文件夹中的文件。' },
      parameters: plain(parameters),
      returnSchema: plain(returns),
      executionTimeoutMs: 5000,
      isDeterministic: false,
      effect: 'read',
      fallback: 'none',
      undo: 'none',
    },
    async run(args, context) {
      const { full, shown } = await jailOf(root).folderOf((args as Static<typeof parameters>).path);
      const names: string[] = [];
      let total = 0;
      for await (const entry of await opendir(full)) {
        context.signal.throwIfAborted();
        total++;
        if (names.length < most) names.push(entry.name);
      }
      context.note({ truncated: total > names.length });
      const entries = await Promise.all(
        names.sort().map(async (name) => {
          const found = await lstat(join(full, name)).catch(() => null);
          const kind =
            found === null
              ? ('other' as const)
              : found.isSymbolicLink()
                ? ('link' as const)
                : found.isFile()
                  ? ('file' as const)
                  : found.isDirectory()
                    ? ('folder' as const)
                    : ('other' as const);
          return {
            name: name.toWellFormed(),
            kind,
            bytes: kind === 'file' ? found!.size : null,
            modified: found === null ? null : found.mtime.toISOString(),
          };
        }),
      );
      return { path: shown, total, entries };
    },
  };
}
