import { any, anyText, ask, compact, deviceOf, done, find, is, isDoubtful, namesIn, numbersLeft, use, type Reading } from '../context.ts';
import type { Token } from '../lexer.ts';
import type { Interpretation } from '../types.ts';

type Table = 'holding' | 'input' | 'coil' | 'discrete';
type Slots = {
  unit: number | null;
  device: string | null;
  /** Tables that words or a function code name, and whether a bare "register" was said. */
  named: Table[];
  bareRegister: boolean;
  functionCode: number | null;
  address: number | null;
  reference: Table | null;
  count: number | null;
  type: string | null;
  plainAddress: boolean;
  badUnits: boolean;
};

const types = ['uint32', 'int32', 'uint16', 'int16', 'float32'] as const;
const tableOfCode: Readonly<Record<number, Table>> = {
  1: 'coil',
  2: 'discrete',
  3: 'holding',
  4: 'input',
  5: 'coil',
  6: 'holding',
  15: 'coil',
  16: 'holding',
};
const isTable = (t: Token | undefined): boolean => is(t, 'register', 'holding', 'inputReg', 'coil', 'discrete', 'inputBare');
const isRange = (t: Token | undefined): boolean =>
  t !== undefined &&
  (t.classes.has('dash') ||
    t.classes.has('to') ||
    t.text === '到' ||
    t.text === '至' ||
    t.text === 'through' ||
    t.text === 'thru' ||
    t.text === 'till' ||
    t.text === 'until');
const isNumber = (t: Token | undefined): boolean => t?.kind === 'number';

/** Does the request speak of raw registers at all? */
export function speaksOfRegisters(r: Reading): boolean {
  const near = (i: number): boolean => isNumber(r.tokens[i + 1]) || isNumber(r.tokens[i - 1]) || isNumber(r.tokens[i + 2]);
  return r.tokens.some((t, i) => {
    if (r.used[i]) return false;
    if (t.text === '点' || t.text === '位' || t.text === '字') return false;
    if (is(t, 'holding', 'inputReg', 'coil', 'discrete') || (is(t, 'register') && t.text !== 'word' && t.text !== 'words')) return true;
    if (is(t, 'fc') && near(i) && t.text !== 'function' && t.text !== '功能') return true;
    if (is(t, 'unitWord') && t.text !== '站' && t.text !== '单元' && t.text !== 'node' && t.text !== 'unit') return true;
    if (is(t, 'unitWord', 'inputBare', 'zeroBased') && near(i)) return true;
    if (is(t, 'address') && t.text !== '位置' && t.text !== 'location' && t.text !== 'index' && near(i)) return true;
    return isNumber(t) && referenceOf(t) !== null && /^[0134]\d{4,5}$/.test(t.amount!.digits);
  });
}

export function readRegisters(r: Reading, asking: boolean): Interpretation | null {
  const slots: Slots = {
    unit: null,
    device: null,
    named: [],
    bareRegister: false,
    functionCode: null,
    address: null,
    reference: null,
    count: null,
    type: null,
    plainAddress: false,
    badUnits: false,
  };
  findUnit(r, slots);
  findDevice(r, slots);
  findFunctionCode(r, slots);
  findTables(r, slots);
  const writing = !asking && isWrite(r, slots);
  findTypes(r, slots);
  findOrdinals(r, slots);
  findRange(r, slots, writing);
  findCount(r, slots, writing);
  findAddress(r, slots, writing);
  return writing ? finishWrite(r, slots) : finishRead(r, slots);
}

const skippable = (t: Token | undefined): boolean =>
  t !== undefined &&
  !isNumber(t) &&
  (is(t, 'colon', 'equals', 'hash') ||
    [
      '号',
      'no',
      'number',
      'id',
      '是',
      '为',
      'is',
      '=',
      '的',
      'address',
      '地址',
      '编号',
      '.',
      'addr',
      'nr',
      'of',
      '等于',
      '第',
      '码',
      'code',
      '开头',
      'numbered',
    ].includes(t.text));

function numberAfter(r: Reading, i: number, reach = 3): number {
  for (let k = i + 1; k <= i + reach && k < r.tokens.length; k++) {
    if (isNumber(r.tokens[k]) && !r.used[k]) return k;
    if (!skippable(r.tokens[k])) return -1;
  }
  return -1;
}

function numberBefore(r: Reading, i: number): number {
  const t = r.tokens;
  let k = i - 1;
  if (t[k]?.text === '的') k--;
  const marked = t[k]?.text === '号' || t[k]?.text === '#';
  if (marked) k--;
  if (!isNumber(t[k]) || r.used[k]) return -1;
  const hashed = t[k - 1]?.text === '#' || t[k - 1]?.text === '第' || t[k]!.classes.has('ordinalNumber');
  return marked || hashed || (r.tokens[i]!.han && t[k]!.end === t[i]!.start) ? k : -1;
}

function findUnit(r: Reading, slots: Slots): void {
  const take = (word: number, at: number) => {
    const value = r.tokens[at]!.amount!.value;
    if (slots.unit !== null && slots.unit !== value) slots.badUnits = true;
    slots.unit ??= value;
    use(r, Math.min(word, at), Math.max(word, at) + 1);
    if (r.tokens[at + 1]?.text === '号' && at > word && !isTable(r.tokens[at + 2]) && !is(r.tokens[at + 2], 'address')) use(r, at + 1);
    if (r.tokens[at - 1]?.text === '第' || r.tokens[at - 1]?.text === '#') use(r, at - 1);
  };
  for (const classes of [['unitWord'], ['deviceWord']]) {
    for (let i = 0; i < r.tokens.length; i++) {
      if (r.used[i] || !is(r.tokens[i], ...classes)) continue;
      const before = numberBefore(r, i);
      if (before >= 0) take(i, before);
      else {
        const after = numberAfter(r, i);
        if (after >= 0 && !(is(r.tokens[after + 1], 'measure') && r.tokens[after + 1]!.text === '个')) take(i, after);
      }
    }
    if (slots.unit !== null) return;
  }
}

function findDevice(r: Reading, slots: Slots): void {
  for (const name of namesIn(r)) {
    const device = deviceOf(name);
    if (!device) continue;
    if (slots.device !== null && slots.device !== device.id) slots.badUnits = true;
    slots.device ??= device.id;
    use(r, name.from, name.to);
  }
}

function findFunctionCode(r: Reading, slots: Slots): void {
  r.tokens.forEach((t, i) => {
    if (r.used[i] || !is(t, 'fc')) return;
    const before =
      t.han && isNumber(r.tokens[i - 1]) && !r.used[i - 1]
        ? i - 1
        : t.han && r.tokens[i - 1]?.text === '号' && isNumber(r.tokens[i - 2])
          ? i - 2
          : -1;
    const at = before >= 0 ? before : numberAfter(r, i);
    if (at < 0 || tableOfCode[r.tokens[at]!.amount!.value] === undefined) return;
    slots.functionCode = r.tokens[at]!.amount!.value;
    slots.named.push(tableOfCode[slots.functionCode]!);
    use(r, Math.min(at, i), Math.max(at, i) + 1);
  });
}

function findTables(r: Reading, slots: Slots): void {
  r.tokens.forEach((t, i) => {
    if (r.used[i]) return;
    if (is(t, 'holding')) slots.named.push('holding');
    else if (is(t, 'inputReg')) slots.named.push('input');
    else if (is(t, 'discrete')) slots.named.push('discrete');
    else if (is(t, 'coil')) slots.named.push('coil');
    else if (is(t, 'register') && t.text !== '字') slots.bareRegister = true;
    else if (is(t, 'inputBare') && slots.functionCode === null) {
      const reference = r.tokens.find((x) => isNumber(x) && referenceOf(x) !== null);
      slots.named.push(reference && referenceOf(reference)!.table === 'input' ? 'input' : 'discrete');
    }
  });
}

function isWrite(r: Reading, slots: Slots): boolean {
  if (slots.functionCode !== null) return slots.functionCode >= 5;
  if (any(r, 'write', 'set') && r.tokens.some((t) => is(t, 'write', 'set') && !['往', 'load', 'download'].includes(t.text))) return true;
  if (any(r, 'equals', 'up', 'down') && !any(r, 'read')) return true;
  const bits = slots.named.includes('coil') || slots.named.includes('discrete');
  if (bits && !any(r, 'read') && (bitValue(r) !== null || any(r, 'open', 'close', 'toggle'))) return true;
  return anyText(r, '清零', '归零', '置位', '复位') || (any(r, 'resetBit') && !any(r, 'read'));
}

function findTypes(r: Reading, slots: Slots): void {
  for (const type of types) {
    const at = find(r, type);
    if (at < 0 || slots.type !== null) continue;
    slots.type = type;
    r.used[at] = true;
  }
}

function findOrdinals(r: Reading, slots: Slots): void {
  const t = r.tokens;
  for (let i = 0; i < t.length; i++) {
    if (r.used[i]) continue;
    // first N, 前N个
    if (is(t[i], 'first') && (isNumber(t[i + 1]) || (t[i + 1]?.text === '的' && isNumber(t[i + 2])))) {
      const at = isNumber(t[i + 1]) ? i + 1 : i + 2;
      if (r.used[at] || slots.count !== null) continue;
      slots.address = 0;
      slots.plainAddress = true;
      slots.count = t[at]!.amount!.value;
      use(r, i, at + 1);
      continue;
    }
    if ((t[i]!.text === 'first' || t[i]!.text === 'the first') && isTable(t[i + 1])) {
      setOrdinal(slots, 1, 1);
      use(r, i);
      continue;
    }
    // 第3个寄存器, 第3到5个, the 3rd register
    const han = t[i]!.text === '第' && isNumber(t[i + 1]);
    const at = han ? i + 1 : i;
    if (r.used[at] || !(han || (isNumber(t[i]) && t[i]!.classes.has('ordinalNumber')))) continue;
    const near =
      [1, 2, 3, 4, 5, 6, 7].some((k) => isTable(t[at + k])) ||
      isTable(t[i - 1]) ||
      (isTable(t[i - 2]) && t[i - 1]!.text === '的') ||
      is(t[at + 1], 'measure');
    if (!near) continue;
    let k = at + 1;
    while (t[k]?.text === '个' || t[k]?.text === '号') k++;
    let last = at;
    if (isRange(t[k])) {
      const to = t[k + 1]?.text === '第' ? k + 2 : k + 1;
      if (isNumber(t[to])) last = to;
    }
    setOrdinal(slots, t[at]!.amount!.value, t[last]!.amount!.value);
    use(r, i, last + 1);
    if (t[last + 1]?.text === '个') use(r, last + 1);
    i = last;
  }
}

function setOrdinal(slots: Slots, first: number, last: number): void {
  if (slots.address !== null) return;
  slots.address = first - 1;
  slots.plainAddress = true;
  slots.count = last - first + 1;
}

/** 0 to 9, 100-109, 40011~40020: addresses when it can be nothing else. "set register 10 to 14" is a value. */
function findRange(r: Reading, slots: Slots, writing: boolean): void {
  const t = r.tokens;
  for (let i = 0; i + 2 < t.length; i++) {
    if (r.used[i] || !isNumber(t[i]) || slots.address !== null) continue;
    let k = i + 1;
    while (t[k]?.text === '号' || (isTable(t[k]) && isRange(t[k + 1]))) k++;
    const and = t[k]?.text === 'and' && t[i - 1]?.text === 'between';
    if (!isRange(t[k]) && !and) continue;
    let to = k + 1;
    while (isTable(t[to]) || t[to]?.text === '第' || is(t[to], 'address') || t[to]?.text === '#') to++;
    if (!isNumber(t[to]) || r.used[to]) continue;
    if (writing && and) continue;
    if (writing && ['and', '和', '、', ',', '，', '与', '&'].includes(t[to + 1]?.text ?? '') && isNumber(t[to + 2])) continue;
    if (writing && t[k]!.classes.has('to') && !isRangeInWrite(r, i, to)) continue;
    if (writing && t[k]!.classes.has('dash') && !addressLike(r, i, to)) continue;
    const first = resolveAddress(r, t[i]!);
    const last = resolveAddress(r, t[to]!);
    if (first.table !== last.table || last.address < first.address) continue;
    slots.address = first.address;
    slots.reference = first.table;
    slots.count = last.address - first.address + 1;
    use(r, i, to + 1);
  }
}

const addressLike = (r: Reading, from: number, to: number): boolean => {
  const t = r.tokens;
  let k = from - 1;
  while (k >= 0 && (skippable(t[k]) || is(t[k], 'start'))) k--;
  return (
    isTable(t[k]) ||
    is(t[k], 'address', 'start', 'zeroBased') ||
    is(t[from - 1], 'start') ||
    isTable(t[to + 1]) ||
    (t[to + 1]?.text === '号' && (isTable(t[to + 2]) || is(t[to + 2], 'address'))) ||
    is(t[to + 1], 'address') ||
    referenceOf(t[from]!) !== null ||
    r.used[k] === true ||
    t[k]?.text === '的'
  );
};

function isRangeInWrite(r: Reading, from: number, to: number): boolean {
  const others = numbersLeft(r).filter((i) => i !== from && i !== to);
  const hasValue = others.length > 0 || bitValue(r) !== null || anyText(r, '清零', '归零');
  const t = r.tokens;
  if (!hasValue) return t[from + 1]?.text === '到' || t[from + 1]?.text === '至' ? is(t[to + 1], 'set', 'write') || true : false;
  return addressLike(r, from, to) && (t[from]!.han || t[from + 1]!.han || !singular(r, from));
}

/** "register 5 to 10" names one register: the 10 is a value, or nothing clear. */
function singular(r: Reading, at: number): boolean {
  const noun = r.tokens[at - 1];
  return isTable(noun) && !/s$/.test(noun!.text);
}

function findCount(r: Reading, slots: Slots, writing: boolean): void {
  const t = r.tokens;
  for (let i = 0; i < t.length && slots.count === null; i++) {
    if (r.used[i]) continue;
    if (is(t[i], 'count')) {
      const at = numberAfter(r, i);
      if (at < 0) continue;
      slots.count = t[at]!.amount!.value;
      use(r, i, at + 1);
      continue;
    }
    if (!isNumber(t[i]) || t[i]!.amount!.fraction) continue;
    if (t[i + 1]?.text === '号' || t[i + 1]?.text === '#') continue;
    let k = i + 1;
    while (
      k < i + 4 &&
      t[k] !== undefined &&
      (r.used[k] ||
        [
          'consecutive',
          'continuous',
          'contiguous',
          'sequential',
          'more',
          'of',
          'the',
          'float',
          '16-bit',
          'bit',
          'raw',
          '连续',
          '连续的',
        ].includes(t[k]!.text)) &&
      !is(t[k], 'unitWord')
    )
      k++;
    const noun = t[k];
    if (noun === undefined) continue;
    const han = noun.han;
    const counted = han ? is(noun, 'measure') : isTable(noun) || is(noun, 'measure');
    const typed = k > i + 1 && r.used[k - 1] === true && !is(t[k - 1], 'unitWord') && types.some((type) => is(t[k - 1], type));
    if (!counted && !typed) continue;
    if (!han && counted && !typed) {
      const plural = noun.text.endsWith('s') || noun.text.endsWith('regs') || t[i]!.amount!.value === 1;
      if (!plural) continue;
      if (writing && isNumber(t[k + 1]) && t[i]!.amount!.value === 1) continue;
      if (is(noun, 'valueWord') && !is(noun, 'measure')) continue;
    }
    if (
      han &&
      noun.text !== '个' &&
      noun.text !== '点' &&
      noun.text !== '位' &&
      !noun.text.startsWith('个') &&
      noun.text !== '字' &&
      noun.text !== '只' &&
      noun.text !== '路'
    )
      continue;
    slots.count = t[i]!.amount!.value;
    use(r, i, han ? k + 1 : k);
  }
}

type Resolved = { address: number; table: Table | null };

/** The rule of five- and six-digit decimal references; 40001 is holding address 0. */
export function referenceOf(t: Token): Resolved | null {
  const { digits, hex, chinese, fraction } = t.amount!;
  if (hex || fraction || t.amount!.value < 0) return null;
  const text = chinese && digits.length < 5 ? '' : digits;
  if (!/^[0134]\d{4,5}$/.test(text)) return null;
  const rest = Number(text.slice(1));
  if (rest < 1 || rest > (text.length === 5 ? 9999 : 65536)) return null;
  const tables: Readonly<Record<string, Table>> = { 0: 'coil', 1: 'discrete', 3: 'input', 4: 'holding' };
  return { address: rest - 1, table: tables[text[0]!]! };
}

function resolveAddress(r: Reading, t: Token): Resolved {
  const zeroBased = r.tokens.some((x) => is(x, 'zeroBased'));
  const reference = zeroBased ? null : referenceOf(t);
  return reference ?? { address: t.amount!.value, table: null };
}

function findAddress(r: Reading, slots: Slots, writing: boolean): void {
  if (slots.address !== null) return;
  const t = r.tokens;
  const take = (at: number) => {
    const found = resolveAddress(r, t[at]!);
    slots.address = found.address;
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
      (bits || is(t[left[0]! - 1], 'to', 'start') || left[0]! < verb || anyText(r, '清零', '归零') || !is(t[left[0]! - 1], 'write', 'set'))
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

function isList(r: Reading, indices: readonly number[]): boolean {
  return indices.every((at, k) => {
    if (k === 0) return true;
    const between = r.tokens.slice(indices[k - 1]! + 1, at);
    return between.length <= 2 && between.every((x) => is(x, 'comma', 'ampersand', 'semicolon') || x.text === 'and' || x.text === '和');
  });
}

/** on, off, 置位, 断开 … as a coil's value; null when none or both are said. "on slave 3" is a place. */
export function bitValue(r: Reading): boolean | null {
  let on = false;
  let off = false;
  let weakOn = false;
  let weakOff = false;
  r.tokens.forEach((t, i) => {
    if (r.used[i]) return;
    const next = r.tokens[i + 1];
    if (
      t.text === 'on' &&
      next !== undefined &&
      (is(next, 'unitWord', 'deviceWord', 'address') ||
        next.atom !== null ||
        next.thing !== null ||
        next.text === 'the' ||
        isTable(next) ||
        next.kind === 'number' ||
        r.used[i + 1])
    )
      return;
    if (is(t, 'bitOn') || (is(t, 'on') && t.text !== 'run')) on = true;
    else if (is(t, 'bitOff') || is(t, 'off')) off = true;
    else if (is(t, 'resetBit')) weakOff = true;
    else if (is(t, 'setBit')) weakOn = true;
  });
  if (on !== off) return on;
  if (on && off) return null;
  if (weakOff && weakOn) return null;
  return weakOff ? false : weakOn ? true : null;
}

function tableOf(slots: Slots): { table: Table; conflict: boolean } {
  const named = [...new Set(slots.named)];
  const table = named[0] ?? slots.reference ?? 'holding';
  let conflict = named.length > 1 || (slots.reference !== null && named.length > 0 && named[0] !== slots.reference);
  if (named.length === 0 && slots.bareRegister && (slots.reference === 'coil' || slots.reference === 'discrete')) conflict = true;
  return { table, conflict };
}

function who(slots: Slots): Record<string, unknown> {
  return slots.device !== null && slots.unit === null ? { device: slots.device } : slots.unit !== null ? { unit: slots.unit } : {};
}

function finishRead(r: Reading, slots: Slots): Interpretation | null {
  const { table, conflict } = tableOf(slots);
  const left = numbersLeft(r);
  const startOnly =
    slots.count === null &&
    (any(r, 'start', 'startAfter') || r.tokens.some((t) => t.text === '从')) &&
    !r.tokens.some((t) => t.text === 'value at');
  let count = slots.count;
  if (count === null && slots.address !== null && !openEnded(r, startOnly)) count = 1;
  const base = who(slots);
  const type = slots.type ?? undefined;
  if (conflict) return ask('modbus_read', compact({ ...base, count, type }), 'conflicting_table');
  const params = compact({ ...base, table, address: slots.address, count, type });
  if (slots.badUnits) return ask('modbus_read', params, 'missing_unit');
  if (slots.unit === null && slots.device === null) return ask('modbus_read', params, 'missing_unit');
  if (outOfRange(slots, count, 1)) return ask('modbus_read', params, 'out_of_range');
  if (slots.address === null) return ask('modbus_read', params, 'missing_address');
  if (count === null || count < 1 || !Number.isInteger(count))
    return ask('modbus_read', compact({ ...params, count: undefined }), 'missing_count');
  if (left.length > 0) return ask('modbus_read', compact({ ...base, table }), 'missing_address');
  return done('modbus_read', params);
}

const isNamed = (t: Token | undefined): boolean => t !== undefined && (t.atom !== null || t.thing !== null);

/** "from 100" says where to begin, and not where to end. */
function openEnded(r: Reading, startOnly: boolean): boolean {
  if (!startOnly) return false;
  return r.tokens.some((t, i) => {
    if (is(t, 'startAfter') && (isNumber(r.tokens[i - 1]) || isNumber(r.tokens[i - 2]))) return true;
    if (!is(t, 'start')) return false;
    if (t.text !== 'from' && t.text !== '从' && t.text !== '自') return true;
    for (let k = i + 1; k < i + 5; k++) {
      if (is(r.tokens[k], 'unitWord', 'deviceWord') || isNamed(r.tokens[k])) return false;
      if (isNumber(r.tokens[k]))
        return !(r.tokens[k + 1]?.text === '号' && is(r.tokens[k + 2], 'unitWord')) && !is(r.tokens[k + 1], 'unitWord');
    }
    return false;
  });
}

function outOfRange(slots: Slots, count: number | null, lowestUnit: number): boolean {
  if (slots.unit !== null && (slots.unit < lowestUnit || slots.unit > 247 || !Number.isInteger(slots.unit))) return true;
  if (slots.address !== null && (slots.address < 0 || slots.address > 65535 || !Number.isInteger(slots.address))) return true;
  const wide = slots.type !== null && slots.type.endsWith('32') ? 2 : 1;
  return slots.address !== null && count !== null && slots.address + count * wide > 65536;
}

type Values = { values: (number | boolean)[] | null; comma: boolean; odd: boolean };

function valuesOf(r: Reading, table: Table, conflict: boolean): Values {
  const bits = table === 'coil' || table === 'discrete';
  const left = numbersLeft(r);
  if (left.length > 0) {
    if (!isList(r, left)) return { values: null, comma: false, odd: true };
    const amounts = left.map((i) => r.tokens[i]!.amount!);
    const measured = left.some(
      (i) =>
        r.tokens[i + 1] !== undefined && r.tokens[i + 1]!.unit !== null && r.tokens[i + 1]!.unit !== '°c' && !is(r.tokens[i + 1], 'start'),
    );
    if (left.some((i) => isDoubtful(r, i))) return { values: null, comma: false, odd: true };
    const values = amounts.map((a) => (bits && (a.value === 0 || a.value === 1) ? a.value === 1 : a.value));
    return { values, comma: amounts.some((a) => a.comma) || measured, odd: false };
  }
  if (anyText(r, '清零', '归零')) return { values: [bits ? false : 0], comma: false, odd: false };
  const bit = bits || conflict || table === 'input' ? bitValue(r) : null;
  return { values: bit === null ? null : [bit], comma: false, odd: false };
}

function finishWrite(r: Reading, slots: Slots): Interpretation {
  const { table, conflict } = tableOf(slots);
  const { values: typed, comma } = valuesOf(r, table, conflict);
  const base = who(slots);
  let values = typed;
  let mismatch = false;
  if (values !== null && slots.count !== null && slots.count !== values.length) {
    if (values.length === 1 && slots.count >= 1 && slots.count <= 65536)
      values = slots.count <= 2000 ? Array.from({ length: slots.count }, () => values![0]!) : values;
    else mismatch = true;
  }
  const type = typeOfWrite(slots.type, table, values);
  if (conflict) return ask('modbus_write', compact({ ...base, values, type }), 'conflicting_table');
  const params = compact({ ...base, table, address: slots.address, values, type });
  if (slots.badUnits || (slots.unit === null && slots.device === null)) return ask('modbus_write', params, 'missing_unit');
  if (slots.unit === 0) return { intent: 'refuse', params: {}, needs_clarification: false, reason: 'broadcast_write' };
  if (outOfRange(slots, values?.length ?? slots.count ?? 1, 1)) return ask('modbus_write', params, 'out_of_range');
  if (slots.address === null) return ask('modbus_write', params, 'missing_address');
  if (table === 'input' || table === 'discrete') return ask('modbus_write', params, 'read_only_table');
  if (any(r, 'up', 'down', 'by')) return ask('modbus_write', compact({ ...params, values: undefined, type: undefined }), 'missing_value');
  if (values === null || values.length === 0) return ask('modbus_write', params, 'missing_value');
  if (comma || mismatch || !valuesFit(values, table, slots.type)) return ask('modbus_write', params, 'invalid_value');
  return done('modbus_write', params);
}

function typeOfWrite(type: string | null, table: Table, values: (number | boolean)[] | null): string | undefined {
  if (type !== null) return type;
  if (table !== 'holding' || values === null) return undefined;
  const numbers = values.filter((v) => typeof v === 'number');
  return numbers.some((v) => v < 0) && numbers.every((v) => Number.isInteger(v) && v >= -32768 && v <= 32767) ? 'int16' : undefined;
}

const limits: Readonly<Record<string, [number, number]>> = {
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
};

function valuesFit(values: readonly (number | boolean)[], table: Table, type: string | null): boolean {
  if (table === 'coil') return values.every((v) => typeof v === 'boolean');
  if (type === 'float32') return values.every((v) => typeof v === 'number' && Math.abs(v) <= 3.4028234663852886e38);
  const negative = values.some((v) => typeof v === 'number' && v < 0);
  const [low, high] = limits[type ?? (negative ? 'int16' : 'uint16')]!;
  return values.every((v) => typeof v === 'number' && Number.isInteger(v) && v >= low && v <= high);
}
