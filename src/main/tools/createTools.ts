import type { ToolDefinition } from '../../shared/contracts/tools.ts';
import { aggregate } from './aggregate.ts';
import { analyzeLog } from './analyzeLog.ts';
import { connect } from './connect.ts';
import type { ToolDeps } from './deps.ts';
import { execute } from './execute.ts';
import { httpRequest } from './httpRequest.ts';
import { job } from './job.ts';
import { createJobs } from './jobs.ts';
import { listFiles } from './listFiles.ts';
import { listPorts } from './listPorts.ts';
import { listTags } from './listTags.ts';
import { modbusRead } from './modbusRead.ts';
import { modbusWrite } from './modbusWrite.ts';
import { readFile } from './readFile.ts';
import { runShell } from './runShell.ts';
import { scanDevices } from './scanDevices.ts';
import { serialExchange } from './serialExchange.ts';
import { tagRead } from './tagRead.ts';
import { tagWrite } from './tagWrite.ts';
import { trend } from './trend.ts';
import { undo } from './undo.ts';
import { writeFile } from './writeFile.ts';

/** All tools, the most useful first: a model with a small window is shown the first twelve. */
export function createTools(deps: ToolDeps): ToolDefinition[] {
  const jobs = createJobs(deps);
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
    scanDevices({ ...deps, jobs }),
    listPorts(deps),
    connect(deps),
    job({ jobs }),
    readFile(deps),
    writeFile(deps),
    listFiles(deps),
    runShell(deps),
    httpRequest(deps),
    serialExchange(deps),
  ];
}
