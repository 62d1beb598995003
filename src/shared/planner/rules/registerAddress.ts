import { anyText, is, isMinus, numbersLeft, use, type Reading } from '../context.ts';
import { type Slots, isTable, isNumber, skippable, referenceOf, resolveAddress, isList, bitValue } from './registerWords.ts';

export function findAddress(r: Reading, slots: Slots, writing: boolean): void {
  if (slots.address !== null) return;
  const t = r.tokens;
  const take = (at: number) => {
    const found = resolveAddress(r, t[at]!);
    slots.address = isMinus(r, at) ? -found.address : found.address;
    slots.reference = found.table;
    use(r, at);
  };
  const isCounted = (at: number): boolean => t[at + 1]?.text === '个';
  const all = numbersLeft(r);
  if ((!writing || bitValue(r) !== null) && slots.count === null && neighbours(r, all)) {
    take(all[0]!);
    use(r, all[0]!, all[all.length - 1]! + 1);
    slots.count = all.length;
    return;
  }
  // 100号寄存器, 5号线圈
  for (let i = 0; i < t.length; i++) {
    if (r.used[i] || !isNumber(t[i])) continue;
    const marked = t[i + 1]?.text === '号' || t[i + 1]?.text === '#';
    const noun = t[marked ? i + 2 : i + 1];
    if ((marked || (noun?.han && referenceOf(t[i]!) !== null)) && (isTable(noun) || is(noun, 'address'))) return take(i);
  }
  // address 100, offset 5, register 12, coil #3, 寄存器地址是100
  for (const classes of [
    ['address', 'zeroBased'],
    ['register', 'holding', 'inputReg', 'coil', 'discrete', 'inputBare'],
  ]) {
    for (let i = 0; i < t.length; i++) {
      if (r.used[i] || !is(t[i], ...classes) || t[i]!.text === '字') continue;
      let k = i + 1;
      while (
        k < i + 5 &&
        t[k] !== undefined &&
        !isNumber(t[k]) &&
        (skippable(t[k]) || is(t[k], 'address', 'start', 'zeroBased', 'register') || ['at', '从', '在', 'the'].includes(t[k]!.text)) &&
        !(writing && t[k]!.text === 'to')
      )
        k++;
      if (
        isNumber(t[k]) &&
        !r.used[k] &&
        !isCounted(k) &&
        !(writing && (is(t[k - 1], 'equals') || t[k - 1]?.text === '为' || t[k - 1]?.text === '等于') && classes[0] !== 'address') &&
        t[k]!.amount!.value >= 0
      )
        return take(k);
    }
  }
  // from 100, starting at 0, 从50开始, 30005开始
  for (let i = 0; i < t.length; i++) {
    if (r.used[i]) continue;
    if ((is(t[i], 'start') || t[i]!.text === 'at' || is(t[i], 'at')) && isNumber(t[i + 1]) && !r.used[i + 1] && !isCounted(i + 1))
      return take(i + 1);
    if (isNumber(t[i]) && (is(t[i + 1], 'startAfter') || (t[i + 1]?.text === '号' && is(t[i + 2], 'startAfter'))) && !isCounted(i))
      return take(i);
  }
  const left = numbersLeft(r);
  const references = left.filter((i) => resolveAddress(r, t[i]!).table !== null);
  if (!writing) {
    if (references.length >= 1) return take(references[0]!);
    if (left.length === 1 && !isCounted(left[0]!) && !t[left[0]!]!.amount!.fraction) return take(left[0]!);
    return;
  }
  addressOfWrite(r, left, references, take);
}

/** "registers 5 and 6": a list of addresses without a hole is a range. */
function neighbours(r: Reading, left: readonly number[]): boolean {
  if (left.length < 2 || !isList(r, left)) return false;
  const found = left.map((i) => resolveAddress(r, r.tokens[i]!));
  return found.every((x, k) => k === 0 || (x.table === found[0]!.table && x.address === found[k - 1]!.address + 1));
}

/** A write without a word for its address: 向40021写入55, write 55 to 40021, 把100写成5. */
function addressOfWrite(r: Reading, left: number[], references: number[], take: (at: number) => void): void {
  const t = r.tokens;
  const verb = r.tokens.findIndex((x) => is(x, 'write') || is(x, 'set') || x.classes.has('equals'));
  const bits = bitValue(r) !== null;
  if (left.length === 1) {
    if (
      references.length === 1 &&
      (bits ||
        is(t[left[0]! - 1], 'to', 'start') ||
        left[0]! < verb ||
        anyText(r, '清零', '归零', 'zero out') ||
        !is(t[left[0]! - 1], 'write', 'set'))
    )
      take(left[0]!);
    return;
  }
  const before = (i: number, ...texts: string[]): boolean => texts.includes(t[i - 1]?.text ?? '');
  const target = left.filter((i) => before(i, 'into', 'in', 'at', '@', '向', '往', '给', '到', '把', '将'));
  const candidates = references.length > 0 ? references : left;
  if (references.length === 1) {
    const at = references[0]!;
    const others = left.filter((i) => i !== at);
    // the reference stands on the other side of the verb, or behind "to"; among values it would be one of them
    if (isList(r, others) && !others.some((i) => Math.abs(i - at) === 2 && is(t[(i + at) / 2], 'comma'))) return take(at);
    return;
  }
  const written = target.filter((i) => candidates.includes(i));
  if (written.length === 1) return take(written[0]!);
  if (left.length === 2) {
    const [a, b] = left as [number, number];
    const toBetween = t.slice(a + 1, b).some((x) => x.text === 'to' || x.text === 'into');
    if (toBetween && is(t[a - 1], 'write')) return take(b);
    const hanVerb = t.slice(a + 1, b).some((x) => x.han && is(x, 'write', 'set'));
    if (hanVerb || (toBetween && is(t[a - 1], 'set'))) return take(a);
  }
}
