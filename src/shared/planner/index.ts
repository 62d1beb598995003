export { interpret, languageOf } from './interpret.ts';
export type { Conversation, Interpret, Interpretation, IntentName, World, WorldDevice, WorldTag } from './types.ts';
