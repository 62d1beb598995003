export { runWorker } from './runWorker.ts';
