import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's data folder, the same for every door: record, history, settings and the simulated plant's state lie there. */
export function defaultDataFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env['HANDRAIL_DATA']) return env['HANDRAIL_DATA'];
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Handrail');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Handrail');
  return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'handrail');
}
