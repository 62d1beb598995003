export { classify, withoutThinking } from './classify.ts';
export type { OfferedTool, RawAnswer, Verdict } from './types.ts';
