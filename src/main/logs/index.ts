export { analyzeFile, type AnalyzeOptions } from './analyzeFile.ts';
export { createDecoder, detectEncoding, type Encoding } from './encoding.ts';
export {
  topics,
  type ColumnFn,
  type ColumnStats,
  type LogAnswer,
  type LogEvent,
  type LogQuestion,
  type Split,
  type Topic,
} from './types.ts';
export { analyzeEvents, type KnownEvent } from './eventLog.ts';
export { previewFile, type Preview } from './preview.ts';
