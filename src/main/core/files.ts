import { statSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeFile, previewFile, type LogAnswer, type LogQuestion } from '../logs/index.ts';
import type { LogAnalysis } from '../tools/index.ts';
import { HandrailError } from '../../shared/errors.ts';
import { safeFileName, type FileDesk } from './fileDesk.ts';
import { analyzeRecord, type RecordAnalysisDeps } from './recordLog.ts';
import type { ApiRooms } from './api.ts';

/** Logs and tables: a file of the work folder by its name, or the program's own record where none is named. */
export function fileRooms(deps: { files: FileDesk } & RecordAnalysisDeps): { analyzeLog: LogAnalysis; preview: ApiRooms['preview'] } {
  const pathOf = (name: string): string => {
    const path = join(deps.files.root, name);
    // Only a plain name of the work folder: a path would lead out of it.
    if (safeFileName(name) !== name || !statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new HandrailError('ARGS_UNREADABLE_FILE', {
        detail: { file: name, reason: `not in the work folder; there are: ${deps.files.names().join(', ') || '-'}` },
      });
    return path;
  };
  return {
    analyzeLog({ file, ...question }, { signal }): Promise<LogAnswer> {
      const asked = question as LogQuestion;
      return file === undefined ? Promise.resolve(analyzeRecord(deps, asked)) : analyzeFile(pathOf(file), asked, { signal });
    },
    preview: (name, offset, limit) => previewFile(pathOf(name), offset, limit),
  };
}
