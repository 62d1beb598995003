export { openStore, type Store, type StoreOptions } from './openStore.ts';
export type { ReplayJudge } from './replay.ts';
