export { openStore, type Store, type StoreOptions } from './openStore.ts';
export { verifyFile } from './verifyFile.ts';
export type { RecordJob, RunJob } from './recordJobs.ts';
export { lockHolder } from './lock.ts';
export type { ReplayJudge } from './judges.ts';
export { readPayload } from './recordable.ts';
