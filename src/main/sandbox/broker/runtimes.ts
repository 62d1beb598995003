/** Which starter serves which language on which level. */
import type { RunLang, RunLevel } from '../../../shared/contracts/sandbox.ts';
import { jailMissing } from './jail.ts';
import type { Started } from './member.ts';
import { startPythonJail, startPythonLite } from './python.ts';
import { startShell } from './shell.ts';
import { startSqlEngine, startSqlJail } from './sql.ts';
import { startJavascript, startPythonWasi } from './wasm.ts';

export function runtimeFor(lang: RunLang, level: RunLevel, variant: 'plain' | 'data', memoryMb: number): (warm: boolean) => Started {
  const jailed = (start: (warm: boolean) => Started) => (warm: boolean) => {
    const missing = jailMissing();
    if (missing !== null) throw new Error(missing);
    return start(warm);
  };
  if (lang === 'python' && level === 'kernel') return jailed((warm) => startPythonJail(variant, memoryMb, warm));
  if (lang === 'shell' && level === 'kernel') return jailed(startShell);
  if (lang === 'sql' && level === 'kernel') return jailed(() => startSqlJail(memoryMb));
  if (lang === 'sql' && level === 'engine') return () => startSqlEngine(memoryMb);
  if (lang === 'python' && level === 'kernel-lite') return (warm) => startPythonLite(variant, memoryMb, warm);
  if (lang === 'javascript' && level === 'wasm') return () => startJavascript(memoryMb);
  if (lang === 'python' && level === 'wasm') return () => startPythonWasi(memoryMb);
  if (level === 'wasm-renderer') {
    return () => {
      throw new Error('the hidden renderer of the desktop window is not there in this start');
    };
  }
  return () => {
    throw new Error(`there is no level ${level} for ${lang}`);
  };
}
