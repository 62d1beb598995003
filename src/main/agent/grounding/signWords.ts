/** A sign in words: 零下5度, minus 5 °C, 5 degrees below zero. */
export function sign(before: string, after: string): 1 | -1 {
  if (/(零下|负|\b(minus|negative))\s?$/i.test(before)) return -1;
  return /^\s?[^\d,;.，；。\n]{0,20}\bbelow zero\b/i.test(after) ? -1 : 1;
}
