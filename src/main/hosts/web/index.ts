export { startWebHost, type WebHost, type WebHostOptions } from './webHost.ts';
