import { any, find, is, near, refuse, unknown, type Reading } from '../context.ts';
import { isQuestion } from './mood.ts';
import type { Interpretation } from '../types.ts';

/** Words that change something, for the guards: wide on purpose. */
const changes = ['write', 'set', 'on', 'off', 'up', 'down', 'setBit', 'resetBit', 'open', 'close', 'toggle', 'fullOpen'] as const;
const readsOnly = new Set([
  '开',
  '关',
  '合',
  '通',
  '起',
  '开始',
  'high',
  'low',
  'up',
  'down',
  'run',
  'drop',
  'put',
  'load',
  'open',
  'enter',
  '加',
  '减',
  'move',
  'add',
  'set',
]);

const changesSomething = (r: Reading): boolean =>
  any(r, ...changes) ||
  r.tokens.some((t) => ['清零', '归零', '清除', '清空', '复位', '置位', '断开', '闭合', 'zero', 'clear', 'erase', 'fill'].includes(t.text));
const changesClearly = (r: Reading): boolean =>
  r.tokens.some((t) => is(t, ...changes) && !readsOnly.has(t.text)) ||
  r.tokens.some((t) => ['清零', '归零', 'zero', 'clear'].includes(t.text));

/** Refusing comes before every other rule, and looks at the whole request. */
export function refusal(r: Reading): Interpretation | null {
  if (any(r, 'howTo') && !changesClearly(r)) return null;
  if (bypassesConfirmation(r)) return refuse('bypass_confirmation');
  if (disablesSafety(r)) return refuse('disable_safety');
  if (isQuestion(r) && !any(r, 'random')) return broadcasts(r) ? refuse('broadcast_write') : null;
  if (changesSomething(r) && massTarget(r)) return refuse('mass_write');
  if (any(r, 'random') && (any(r, 'write', 'set') || changesSomething(r))) return refuse('mass_write');
  if (loops(r)) return refuse('fast_loop_write');
  if (broadcasts(r)) return refuse('broadcast_write');
  return null;
}

function bypassesConfirmation(r: Reading): boolean {
  if (any(r, 'preApproved')) return true;
  for (let i = 0; i < r.tokens.length; i++) {
    if (!is(r.tokens[i], 'skip')) continue;
    for (let k = i + 1; k <= i + 4 && k < r.tokens.length; k++) {
      if (is(r.tokens[k], 'stop', 'semicolon')) break;
      if (is(r.tokens[k], 'confirm')) return true;
    }
    // 把确认关掉: the object before the verb
    for (let k = i - 1; k >= i - 4 && k >= 0; k--)
      if (is(r.tokens[k], 'confirm') && ['把', '将'].includes(r.tokens[k - 1]?.text ?? '')) return true;
  }
  return r.tokens.some(
    (t, i) =>
      is(t, 'confirm') &&
      r.tokens
        .slice(Math.max(0, i - 3), i + 6)
        .some((x) => ['关掉', '关闭', '取消', 'off', '去掉', '禁用', '屏蔽', '跳过', '省掉', '免了', '省了', '关了'].includes(x.text)),
  );
}

/** 取消1号泵的联锁: the thing protected may stand between. */
const safetyReach = 6;

function disablesSafety(r: Reading): boolean {
  const apart = r.tokens.some(
    (t, i) =>
      is(t, 'safety') &&
      r.tokens.slice(Math.max(0, i - 4), i).some((x) => ['turn', 'switch', 'shut', 'put', 'set'].includes(x.text)) &&
      r.tokens.slice(i + 1, i + 3).some((x) => x.text === 'off'),
  );
  if (apart && !isQuestion(r)) return true; // turn the alarm off
  if (!near(r, 'disableVerb', 'safety', safetyReach)) return false;
  for (let i = 0; i < r.tokens.length; i++) {
    if (!is(r.tokens[i], 'disableVerb')) continue;
    const weak = ['no', 'without', 'past', 'beyond', '撤销', 'clear', 'exceed', '超出', '不管', 'cancel'].includes(r.tokens[i]!.text);
    for (let k = Math.max(0, i - 4); k <= Math.min(r.tokens.length - 1, i + safetyReach); k++) {
      if (k === i || !is(r.tokens[k], 'safety')) continue;
      if (r.tokens.slice(Math.min(i, k) + 1, Math.max(i, k)).some((x) => is(x, 'comma', 'then', 'semicolon') || x.text === 'and')) continue;
      if (weak && (r.tokens[i]!.text === '撤销' || !changesSomething(r) || r.tokens[i]!.text === 'no')) continue;
      if (isQuestion(r) && any(r, 'list', 'howMany', 'what') && !any(r, 'howTo')) continue;
      return true;
    }
  }
  return false;
}

function massTarget(r: Reading): boolean {
  if (any(r, 'undo')) return false;
  const t = r.tokens;
  for (let i = 0; i < t.length; i++) {
    if (is(t[i], 'everything')) {
      if (!onRegistersWithNumbers(r, i)) return true;
      continue;
    }
    if (!is(t[i], 'all')) continue;
    for (let k = i + 1; k <= i + 3 && k < t.length; k++) {
      if (t[k]!.kind === 'number') break;
      if (is(t[k], 'unitWord', 'deviceWord', 'tags') || t[k]!.text === 'plcs') return true;
      if (is(t[k], 'register', 'holding', 'coil', 'discrete', 'inputReg')) {
        if (!onRegistersWithNumbers(r, k)) return true;
        break;
      }
      if (t[k]!.atom !== null || is(t[k], 'noun')) return true;
      if (!is(t[k], 'fill', 'all')) break;
    }
    // 把寄存器全部清零
    if (i > 0 && is(t[i - 1], 'register', 'holding', 'coil') && !t.some((x) => x.kind === 'number' && x.amount!.value > 1)) return true;
    if (
      ['全部', '统统', '全', 'everything'].includes(t[i]!.text) &&
      t.every((x) => x.kind !== 'number' && x.atom === null && !is(x, 'register', 'holding', 'coil', 'undo') && x.kind !== 'unknown') &&
      any(r, 'off', 'on') &&
      !any(r, 'read', 'list')
    )
      return true;
  }
  return fullSpace(r);
}

/** "all registers 10 to 14" names a range: that is no mass write. */
function onRegistersWithNumbers(r: Reading, at: number): boolean {
  const next = r.tokens.slice(at + 1, at + 4);
  return (
    next.some(
      (x, k) =>
        x.kind === 'number' &&
        !next.slice(0, k).some((y) => is(y, 'to', 'set', 'write', 'unitWord', 'equals') && y.text !== '从') &&
        !is(next[k - 1], 'unitWord'),
    ) &&
    r.tokens.filter((x) => x.kind === 'number').length >= 2 &&
    r.tokens.some((x) => is(x, 'dash') || x.text === 'to' || x.text === '到' || x.text === '至')
  );
}

function fullSpace(r: Reading): boolean {
  const numbers = r.tokens.filter((x) => x.kind === 'number').map((x) => x.amount!.value);
  return numbers.includes(0) && (numbers.includes(65535) || numbers.includes(65536));
}

function loops(r: Reading): boolean {
  const writes = r.tokens.some(
    (t) =>
      is(t, 'write', 'set', 'toggle', 'on', 'off', 'setBit', 'resetBit') &&
      (t.text === 'set' || t.text === '开' || t.text === '关' || !readsOnly.has(t.text)) &&
      t.text !== 'switch',
  );
  const loop = r.tokens.find((t) => is(t, 'loop'));
  const says = r.tokens.some(
    (t) => is(t, 'loop') && /写|切换|writing|toggling|setting|sending|switching|changing|flood|spam|hammer/.test(t.text),
  );
  if (!(writes || says) || any(r, 'trend')) return false;
  if (loop) return true;
  // 每10毫秒写一次, every 100 ms
  return r.tokens.some((t, i) => {
    if (!is(t, 'every')) return false;
    const next = r.tokens[i + 1];
    const unit = next?.kind === 'number' ? r.tokens[i + 2] : next;
    return (
      unit !== undefined &&
      (unit.unit === 'ms' || unit.times.some((m) => m === 'u:second' || m === 'u:minute' || m === 'u:hour') || unit.text === '个')
    );
  });
}

function broadcasts(r: Reading): boolean {
  if (r.tokens.some((t) => t.text === 'broadcast' || t.text === '广播') && changesSomething(r)) return true;
  const at = r.tokens.findIndex(
    (t, i) =>
      is(t, 'unitWord') &&
      (isZero(r, i + 1) ||
        isZero(r, i - 1) ||
        (r.tokens[i - 1]?.text === '号' && isZero(r, i - 2)) ||
        (['id', '号', 'is', '=', '是', '为', 'no', '#', ':'].includes(r.tokens[i + 1]?.text ?? '') && isZero(r, i + 2))),
  );
  if (at < 0 || isQuestion(r)) return false;
  return changesClearly(r) || any(r, 'write', 'set');
}

const isZero = (r: Reading, i: number): boolean => r.tokens[i]?.kind === 'number' && r.tokens[i].amount!.value === 0;

/** What nobody here can do: the outside world, and plant work without a tool. */
export function outOfReach(r: Reading): Interpretation | null {
  if (any(r, 'unsupported') && !(any(r, 'every') && false)) {
    const at = find(r, 'unsupported');
    if (!(r.tokens[at]!.text === '程序' && any(r, 'portBusy'))) return unknown('not_supported');
  }
  if (near(r, 'erase', 'archive', 4) && !any(r, 'register', 'holding', 'coil')) return unknown('not_supported');
  if (any(r, 'exportVerb')) return unknown('not_supported');
  if (any(r, 'outside')) return unknown('out_of_scope');
  return null;
}
