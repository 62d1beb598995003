import type { CliOptions } from '../options.ts';
import type { Printer } from '../print.ts';
import { ask } from './ask.ts';
import { audit } from './audit.ts';
import { doctor } from './doctor.ts';
import { exec } from './exec.ts';
import { health } from './health.ts';
import { interpretText } from './interpret.ts';
import { serve } from './serve.ts';
import { simulate } from './simulate.ts';
import { tool } from './tool.ts';

export type Command = (options: CliOptions, printer: Printer) => Promise<number>;

export const commands: Record<string, Command> = { serve, simulate, ask, interpret: interpretText, tool, exec, doctor, health, audit };
