export { interpret, languageOf } from './interpret.ts';
export { nextStep, renderAnswer } from './speech/steps.ts';
export { helpText, question, refusalText, tagLabel, unknownText, type Question } from './speech/questions.ts';
export { suggest, type Suggestion } from './suggest.ts';
export { initials } from './initials.ts';
export { effortOf, type Effort } from './effort.ts';
export type { Conversation, Interpret, Interpretation, IntentName, World, WorldDevice, WorldTag } from './types.ts';
