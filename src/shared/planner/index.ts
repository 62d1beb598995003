export { interpret, languageOf } from './interpret.ts';
export { nextStep, renderAnswer } from './speech/steps.ts';
export { helpText, question, refusalText, tagLabel, unknownText, type Question } from './speech/questions.ts';
export type { Conversation, Interpret, Interpretation, IntentName, World, WorldDevice, WorldTag } from './types.ts';
