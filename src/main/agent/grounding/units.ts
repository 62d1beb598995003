/** A unit under one name, whatever way it was written. */
export type Unit = string;

const spellings: [Unit, string[]][] = [
  ['°C', ['°C', '℃', '° C', 'degC', 'deg C', 'degrees Celsius', 'degrees C', 'degrees', '摄氏度', '度']],
  ['°F', ['°F', '℉', 'degF']],
  ['%', ['%', '％', 'percent', 'per cent']],
  ['MPa', ['MPa', '兆帕']],
  ['kPa', ['kPa', '千帕']],
  ['bar', ['bar', '巴']],
  ['Hz', ['Hz', 'hertz', '赫兹', '赫']],
  ['rpm', ['rpm', 'r/min', '转/分', '转每分']],
  ['m3/h', ['m3/h', 'm³/h', 'm^3/h', '立方米/小时', '立方米每小时', '方/小时']],
  ['L/min', ['L/min', 'l/min', '升/分']],
  ['m/min', ['m/min', '米/分', '米每分']],
  ['m/s', ['m/s', '米/秒']],
  ['mm/s', ['mm/s']],
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

/** The unit that stands at the beginning of the text behind a number. */
export function unitAt(text: string): Unit | null {
  const rest = text.replace(/^[\s\u00a0]{0,2}/, '');
  for (const { unit, word } of bySpelling) {
    if (!rest.startsWith(word)) continue;
    const next = rest[word.length] ?? '';
    if (/[A-Za-z]$/.test(word) && /[A-Za-z0-9]/.test(next)) continue; // "A" of "Amount"
    if (unit === '°C' && word === '度' && next === '电') continue;
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
};

/** The value in another unit, or null where the two are not of one kind. */
export function convert(value: number, from: string, to: string): number | null {
  const [a, b] = [nameOf(from), nameOf(to)];
  if (a === '°C' && b === '°F') return value * 1.8 + 32;
  if (a === '°F' && b === '°C') return (value - 32) / 1.8;
  const [f, t] = [factors[a], factors[b]];
  return f === undefined || t === undefined || f[0] !== t[0] ? null : (value * f[1]) / t[1];
}
