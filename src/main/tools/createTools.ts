import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { aggregate } from './aggregate.ts';
import { analyzeLog } from './analyzeLog.ts';
import type { ToolDeps } from './deps.ts';
import { execute } from './execute.ts';
import { listPorts } from './listPorts.ts';
import { listTags } from './listTags.ts';
import { modbusRead } from './modbusRead.ts';
import { modbusWrite } from './modbusWrite.ts';
import { tagRead } from './tagRead.ts';
import { tagWrite } from './tagWrite.ts';
import { trend } from './trend.ts';
import { undo } from './undo.ts';

/** All tools, the most useful first: a model with a small window is shown the first twelve. */
export function createTools(deps: ToolDeps): ToolDefinition[] {
  return [
    tagRead(deps),
    modbusRead(deps),
    listTags(deps),
    trend(deps),
    aggregate(deps),
    analyzeLog(deps),
    tagWrite(deps),
    modbusWrite(deps),
    undo(deps),
    execute(deps),
    listPorts(deps),
  ];
}
