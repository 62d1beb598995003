import type { PlantFile, TagConfig } from '../../src/shared/contracts/plant.ts';

const tag = (
  id: string,
  en: string,
  zh: string,
  device: string,
  table: TagConfig['table'],
  address: number,
  unit: string,
  span: [number, number] | null,
  normal: [number, number] | null,
  extra: Partial<TagConfig> = {},
): TagConfig => ({
  id,
  name: { en, zh },
  aliases: { en: [], zh: [] },
  device,
  table,
  address,
  type: 'int16',
  order: 'ABCD',
  scale: 0.1,
  offset: 0,
  decimals: 1,
  unit,
  range: { min: span?.[0] ?? null, max: span?.[1] ?? null },
  normal: { low: normal?.[0] ?? null, high: normal?.[1] ?? null },
  write: { allowed: false, min: null, max: null, maxStep: null },
  pollMs: 500,
  deadband: 0,
  ...extra,
});
const writable = (min: number, max: number, maxStep: number): Partial<TagConfig> => ({ write: { allowed: true, min, max, maxStep } });

/** A boiler house as a page would meet it; only for tests of page and hosts, where no core is built. */
export const fakePlant: PlantFile = {
  name: { en: 'Boiler house 2', zh: '2 号锅炉房' },
  simulated: true,
  connections: [
    { id: 'line-1', kind: 'rtu', serial: { path: '/dev/ttyUSB0', baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 } },
    { id: 'plc-net', kind: 'tcp', host: '192.168.1.10', port: 502 },
  ],
  devices: [
    { id: 'boiler', name: { en: 'B-2 boiler PLC', zh: 'B-2 锅炉 PLC' }, aliases: [], connection: 'plc-net', unitId: 1 },
    { id: 'pump2', name: { en: 'P-202 pump 2', zh: 'P-202 2 号泵' }, aliases: [], connection: 'line-1', unitId: 22 },
    { id: 'flow', name: { en: 'FT-201 flow', zh: 'FT-201 流量' }, aliases: [], connection: 'line-1', unitId: 5 },
    { id: 'meter', name: { en: 'PM-01 power', zh: 'PM-01 电表' }, aliases: [], connection: 'line-1', unitId: 3 },
  ],
  tags: [
    tag('drum_pressure', 'Drum pressure', '汽包压力', 'boiler', 'input', 10, 'MPa', [0, 1.6], [0.9, 1.3], {
      type: 'float32',
      decimals: 3,
      scale: 1,
    }),
    tag('drum_level', 'Drum level', '汽包水位', 'boiler', 'input', 12, 'mm', [-120, 120], [-50, 50], { decimals: 0, scale: 1 }),
    tag('steam_flow', 'Steam flow', '蒸汽流量', 'boiler', 'input', 13, 't/h', [0, 20], [6, 14]),
    tag('feedwater_flow', 'Feedwater flow', '给水流量', 'flow', 'input', 0, 't/h', [0, 20], [6, 14]),
    tag('feedwater_temp', 'Feedwater temperature', '给水温度', 'boiler', 'input', 14, '°C', [0, 150], [98, 108]),
    tag('boiler_temp', 'Boiler temperature', '锅炉温度', 'boiler', 'input', 16, '°C', [0, 200], [80, 130]),
    tag('total_power', 'Total power', '总功率', 'meter', 'input', 52, 'kW', [0, 400], [80, 320], {
      type: 'float32',
      order: 'CDAB',
      scale: 1,
    }),
    tag('flue_o2', 'Flue gas O₂', '烟气含氧量', 'boiler', 'input', 15, '%', [0, 21], [3, 6]),
    tag(
      'boiler_temp_sp',
      'Boiler temperature setpoint',
      '锅炉温度设定',
      'boiler',
      'holding',
      20,
      '°C',
      [0, 200],
      [80, 130],
      writable(60, 180, 30),
    ),
    tag('p202_speed_sp', 'P-202 speed setpoint', 'P-202 转速设定', 'pump2', 'holding', 1, 'Hz', [0, 50], [20, 50], {
      ...writable(20, 50, 5),
      scale: 0.01,
    }),
    tag('p202_speed', 'P-202 speed', 'P-202 实际转速', 'pump2', 'holding', 0, 'Hz', [0, 50], [20, 50], { scale: 0.01 }),
    tag('p202_current', 'P-202 current', 'P-202 电流', 'pump2', 'holding', 2, 'A', [0, 30], [5, 24]),
    tag('p202_run', 'P-202 running', 'P-202 运行', 'pump2', 'discrete', 0, '', null, null, { type: 'bool', scale: 1, decimals: 0 }),
    tag('energy', 'Energy', '累计电量', 'meter', 'input', 800, 'kWh', null, null, { type: 'uint32', scale: 1, decimals: 0 }),
  ],
};
