// The first sound of a character, by where it sorts: the first character of each letter in pinyin order. The collation comes
// with every host (Node, Chromium), so the page needs no table of a megabyte. A character with two readings gets the common one.
const letters = 'abcdefghjklmnopqrstwxyz';
const firsts = [...'阿八嚓搭婀发旮哈讥咔垃妈拿噢趴七然仨它挖夕丫匝'];

let collator: Intl.Collator | null = null;
const known = new Map<string, string>();

function initialOf(char: string): string {
  const cached = known.get(char);
  if (cached !== undefined) return cached;
  collator ??= new Intl.Collator('zh-CN-u-co-pinyin');
  let low = 0;
  let high = firsts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (collator.compare(firsts[middle]!, char) <= 0) low = middle;
    else high = middle - 1;
  }
  const letter = letters[low]!;
  known.set(char, letter);
  return letter;
}

/** 锅炉温度 is glwd, 1号泵频率 is 1hbpl; a name without Chinese has none. */
export function initials(name: string): string {
  if (!/[\u3400-\u9fff]/.test(name)) return '';
  return [...name.toLowerCase()].map((c) => (/[\u3400-\u9fff]/.test(c) ? initialOf(c) : /[a-z0-9]/.test(c) ? c : '')).join('');
}
