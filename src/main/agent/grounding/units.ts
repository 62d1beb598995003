/** A unit under one name, whatever way it was written. */
export type Unit = string;

const spellings: [Unit, string[]][] = [
  ['°C', ['°C', '℃', '° C', 'degC', 'deg C', 'degrees Celsius', 'degrees C', 'degrees', '摄氏度', '度']],
  ['°F', ['°F', '℉', 'degF', 'deg F', 'degrees Fahrenheit', 'degrees F', '华氏度']],
  ['K', ['K', 'kelvin', '开尔文']],
  ['%', ['%', '％', 'percent', 'per cent']],
  ['MPa', ['MPa', '兆帕']],
  ['kPa', ['kPa', '千帕']],
  ['Pa', ['Pa', '帕']],
  ['mbar', ['mbar', '毫巴']],
  ['psi', ['psi', 'PSI']],
  ['bar', ['bar', '巴']],
  ['Hz', ['Hz', 'hertz', '赫兹', '赫']],
  ['rpm', ['rpm', 'r/min', '转/分', '转每分']],
  ['m3/h', ['m3/h', 'm³/h', 'm^3/h', '立方米/小时', '立方米每小时', '方/小时']],
  ['L/min', ['L/min', 'l/min', '升/分']],
  ['L/h', ['L/h', 'l/h', '升/时', '升/小时']],
  ['kg/h', ['kg/h', '公斤/小时', '千克/小时']],
  ['t/h', ['t/h', '吨/小时', '吨每小时']],
  ['m/min', ['m/min', '米/分', '米每分']],
  ['m/s', ['m/s', '米/秒']],
  ['mm/s', ['mm/s']],
  ['km/h', ['km/h', '公里/小时', '千米/小时']],
  ['MWh', ['MWh', '兆瓦时']],
  ['kVA', ['kVA', '千伏安']],
  ['kvar', ['kvar', '千乏']],
  ['kN', ['kN', '千牛']],
  ['N·m', ['N·m', 'Nm', '牛米']],
  ['ppm', ['ppm']],
  ['mg/L', ['mg/L', 'mg/l', '毫克/升']],
  ['Ω', ['Ω', 'ohm', 'ohms', '欧姆', '欧']],
  ['dB', ['dB', '分贝']],
  ['kHz', ['kHz', '千赫兹', '千赫']],
  ['kWh', ['kWh', '千瓦时', '度电']],
  ['kW', ['kW', '千瓦']],
  ['MW', ['MW', '兆瓦']],
  ['W', ['W', '瓦']],
  ['kV', ['kV', '千伏']],
  ['mV', ['mV', '毫伏']],
  ['V', ['V', 'volts', '伏特', '伏']],
  ['mA', ['mA', '毫安']],
  ['A', ['A', 'amps', 'amperes', '安培', '安']],
  ['mm', ['mm', '毫米']],
  ['kg', ['kg', '公斤', '千克']],
  ['pH', ['pH']],
];
const bySpelling = spellings
  .flatMap(([unit, words]) => words.map((word) => ({ unit, word })))
  .sort((a, b) => b.word.length - a.word.length);

/** Words that begin like a unit: 安全, 瓦斯, 欧元, 度电. */
const notUnits = /^(安[全装排静]|瓦斯|欧[元洲]|度电|度数)$/;

/** The unit that stands at the beginning of the text behind a number. */
export function unitAt(text: string): Unit | null {
  const rest = text.replace(/^[\s\u00a0]{0,2}/, '');
  for (const { unit, word } of bySpelling) {
    if (!rest.startsWith(word)) continue;
    const next = rest[word.length] ?? '';
    if (/[A-Za-z]$/.test(word) && /[A-Za-z0-9/]/.test(next)) continue; // "A" of "Amount", "kg" of "kg/day"
    if (notUnits.test(word + next)) continue;
    return unit;
  }
  return null;
}

export function sameUnit(a: string, b: string): boolean {
  return nameOf(a) === nameOf(b);
}

function nameOf(unit: string): string {
  return bySpelling.find((s) => s.word === unit)?.unit ?? unit.toLowerCase();
}

/** Exact factors to one base each; a conversion between them is arithmetic, not a guess. */
const factors: Record<Unit, [string, number]> = {
  MPa: ['pressure', 1e6],
  kPa: ['pressure', 1e3],
  Pa: ['pressure', 1],
  mbar: ['pressure', 1e2],
  psi: ['pressure', 6_894.757293168],
  kHz: ['frequency', 1e3],
  Hz: ['frequency', 1],
  kWh: ['energy', 1],
  MWh: ['energy', 1e3],
  'm3/h': ['flow', 1_000 / 60],
  'L/min': ['flow', 1],
  'L/h': ['flow', 1 / 60],
  'kg/h': ['mass flow', 1],
  't/h': ['mass flow', 1e3],
  bar: ['pressure', 1e5],
  MW: ['power', 1e6],
  kW: ['power', 1e3],
  W: ['power', 1],
  kV: ['voltage', 1e3],
  V: ['voltage', 1],
  mV: ['voltage', 1e-3],
  A: ['current', 1],
  mA: ['current', 1e-3],
  'm/s': ['speed', 60],
  'm/min': ['speed', 1],
  'mm/s': ['speed', 0.06],
  'km/h': ['speed', 1_000 / 60],
};

/** The value in another unit, or null where the two are not of one kind. */
export function convert(value: number, from: string, to: string): number | null {
  const [a, b] = [nameOf(from), nameOf(to)];
  if (a === '°C' && b === '°F') return value * 1.8 + 32;
  if (a === '°F' && b === '°C') return (value - 32) / 1.8;
  if (a === '°C' && b === 'K') return value + 273.15;
  if (a === 'K' && b === '°C') return value - 273.15;
  const [f, t] = [factors[a], factors[b]];
  return f === undefined || t === undefined || f[0] !== t[0] ? null : (value * f[1]) / t[1];
}
