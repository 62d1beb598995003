import { benchWords } from './bench.ts';
import { chatWords } from './chat.ts';
import { connectionsWords } from './connections.ts';
import { healthWords } from './health.ts';
import { modelWords } from './model.ts';
import { plantWords } from './plant.ts';
import { recordWords } from './record.ts';
import { registersWords } from './registers.ts';
import { settingsWords } from './settings.ts';
import { shellWords } from './shell.ts';
import { trafficWords } from './traffic.ts';
import { trendWords } from './trend.ts';
import { valuesWords } from './values.ts';
import { writingWords } from './writing.ts';

/** One list a feature; both languages of a word stand side by side, so that neither can be forgotten. */
export const lists = [
  shellWords,
  plantWords,
  connectionsWords,
  chatWords,
  writingWords,
  registersWords,
  valuesWords,
  trendWords,
  trafficWords,
  healthWords,
  recordWords,
  benchWords,
  modelWords,
  settingsWords,
] as const;

/** Every word of the window. A key that stands in two lists is found by a test. */
export const catalogue = {
  ...shellWords,
  ...plantWords,
  ...connectionsWords,
  ...chatWords,
  ...writingWords,
  ...registersWords,
  ...valuesWords,
  ...trendWords,
  ...trafficWords,
  ...healthWords,
  ...recordWords,
  ...benchWords,
  ...modelWords,
  ...settingsWords,
};
export type WordKey = keyof typeof catalogue;
