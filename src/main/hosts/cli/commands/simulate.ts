import { HandrailError } from '../../../../shared/errors.ts';
import { defaultDataFolder } from '../../dataFolder.ts';
import type { Command } from './index.ts';
import { exitCodes } from '../print.ts';
import { listSimulatorFaults, startSimulator } from '../../../core.ts';

/** Only the simulated plant, until a signal ends it. */
export const simulate: Command = async (options, printer) => {
  const faults = listSimulatorFaults();
  if (options.faults.includes('list')) return printer.result(faults, faults.map((f) => `${f.name}: ${f.about[printer.lang]}`).join('\n'));
  const unknown = options.faults.find((name) => !faults.some((f) => f.name === name.split(/[:@x]\d/)[0]));
  if (unknown !== undefined)
    throw new HandrailError('ARGS_USAGE', { detail: { reason: `there is no fault "${unknown}"; "simulate --fault list" names them` } });
  const plant = await startSimulator({
    port: options.port ?? 1502,
    rtuLink: options.rtu,
    faults: options.faults,
    dataFolder: options.data ?? defaultDataFolder(),
  });
  printer.result(
    { host: '127.0.0.1', port: plant.port, rtu: plant.rtuPath, faults: options.faults },
    `Modbus TCP 127.0.0.1:${plant.port}${plant.rtuPath === null ? '' : ` · RTU ${plant.rtuPath}`}`,
  );
  await new Promise<void>((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
  await plant.close();
  return exitCodes.ok;
};
