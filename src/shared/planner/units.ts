/** Units of measure by every spelling people use; the first spelling of a row is its name here. */
const spellings: readonly string[] = [
  '°c|c|℃|度|degrees|degree|deg|celsius|摄氏度|degc|deg c|degrees celsius|degree celsius|degrees c|°|摄氏|℃度|°度|度c|centigrade',
  '°f|f|fahrenheit|华氏度|degf|degrees fahrenheit|deg f|degrees f|华氏',
  'k|kelvin|开尔文',
  'hz|赫兹|赫|hertz|周波',
  '%|percent|个百分点|pct|per cent|百分点|个点',
  'mpa|兆帕|megapascal|megapascals|兆帕斯卡',
  'kpa|千帕|kilopascal|kilopascals',
  'bar|巴|bars|公斤压力',
  'pa|帕|帕斯卡|pascal',
  'psi|磅',
  'kgf/cm2|公斤',
  'm3/h|立方米每小时|立方每小时|方每小时|立方米/小时|方/小时|立方/小时|立方|立方米|cubic meters per hour|cubic metres per hour|m3 per hour|m3|方|m3/hr|立方米/h|方/h|立方/h|cubic meters an hour|cubic metres an hour|m^3/h|cmh|cubic meters|cubic metres',
  'l/min|升每分钟|升/分|升每分|lpm|liters per minute|litres per minute|升/分钟',
  'l/h|升每小时|升/小时',
  't/h|吨每小时|吨/小时',
  'gpm',
  'a|安|安培|amps|amp|ampere|amperes',
  'ma|毫安|milliamps',
  'v|伏|伏特|volt|volts',
  'mv|毫伏',
  'kv|千伏',
  'kw|千瓦|kilowatt|kilowatts',
  'mw|兆瓦|megawatt|megawatts',
  'w|瓦|watt|watts',
  'kwh|千瓦时|kilowatt hours',
  'kva|千伏安',
  'm/min|米每分钟|米每分|米/分钟|米/分|meters per minute|metres per minute|m per min|米/min|mpm|meters a minute|metres a minute|meters/min|metres/min|m per minute',
  'm/s|米每秒|米/秒|meters per second|metres per second',
  'km/h|公里每小时|kph',
  'rpm|转每分钟|转/分|转每分|转/分钟|r/min|revolutions per minute|转',
  'km|公里|千米|kilometers|kilometres',
  'mm|毫米|millimeters',
  'cm|厘米|公分',
  'm|米|meters|metres|meter|metre',
  'kg|千克|kilograms',
  't|吨|tons|tonnes',
  'l|升|liters|litres',
  'ppm',
  'ms|毫秒|milliseconds|millisecond|msec',
  'mm/s|毫米每秒',
];

const nameOf = new Map<string, string>();
for (const row of spellings) {
  const all = row.split('|');
  for (const spelling of all) if (!nameOf.has(spelling)) nameOf.set(spelling, all[0]!);
}
export const unitSpellings: ReadonlyMap<string, string> = nameOf;

/** The name of a plant file's unit, however it is written there; an unknown unit is its own name. */
export function unitName(unit: string | undefined): string {
  const plain = (unit ?? '').normalize('NFKC').toLowerCase().replaceAll(' ', '');
  return nameOf.get(plain) ?? plain;
}

// Only these are converted: a plant gauge in bar beside a tag in MPa is the everyday case, and nothing here loses precision.
const factors: Readonly<Record<string, number>> = {
  'bar>mpa': 0.1,
  'kpa>mpa': 0.001,
  'mpa>bar': 10,
  'kpa>bar': 0.01,
  'mpa>kpa': 1000,
  'bar>kpa': 100,
};

/** Factor from a typed unit to the tag's own; null when the two do not measure the same. No unit means the tag's own. */
export function factorBetween(typed: string | null, own: string): number | null {
  if (typed === null || typed === own) return 1;
  return factors[`${typed}>${own}`] ?? null;
}
