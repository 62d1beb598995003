import type { Bilingual } from '../../../shared/errors.ts';

/** Words of the plant tree and what names a place on a wire. */
export const plantWords = {
  plant: { en: 'Plant', zh: '工厂' },
  'plant.sim': { en: 'SIM', zh: '仿真' },
  'plant.simulated': { en: 'simulated plant', zh: '仿真工厂' },
  'plant.open': { en: 'Open the plant tree', zh: '展开工厂树' },
  'plant.find': { en: 'Tag, alias, 40002…', zh: '标签、别名、40002…' },
  'plant.find.label': { en: 'Find in plant', zh: '在工厂中查找' },
  'plant.none': { en: 'No tag fits.', zh: '没有匹配的标签。' },
  'device.silent': { en: '{device} does not answer', zh: '{device} 无应答' },
  'unit.n': { en: 'unit {n}', zh: '站号 {n}' },
  'unit.of': { en: 'unit {unit} on {connection}', zh: '站号 {unit}，{connection}' },
  'tag.armed': { en: 'writing is open', zh: '写入已开放' },
  'plant.choice.simulated': { en: 'Simulated boiler house', zh: '仿真锅炉房' },
  'plant.choice.open': { en: 'Open a plant file', zh: '打开工厂文件' },
  'plant.choice.connect': { en: 'Connect a device', zh: '连接设备' },
  'table.holding': { en: 'holding registers', zh: '保持寄存器' },
  'table.input': { en: 'input registers', zh: '输入寄存器' },
  'table.coil': { en: 'coils', zh: '线圈' },
  'table.discrete': { en: 'discrete inputs', zh: '离散输入' },
} as const satisfies Record<string, Bilingual>;
