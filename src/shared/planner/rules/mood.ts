import { is, type Reading } from '../context.ts';
import type { Token } from '../lexer.ts';
import { isNamed, isTable } from './registerWords.ts';

const polite = new Set([
  'can you',
  'could you',
  'would you',
  'will you',
  'can u',
  'could u',
  'can we',
  'could we',
  'can i',
  'could i',
  'may i',
  'would you mind',
  'please could you',
  'i want to',
  'i want you to',
  'i need you to',
  '能不能',
  '能否',
  '可以',
  '可不可以',
  '可否',
  '能',
  '麻烦',
  '麻烦你',
  '麻烦您',
  '请',
  '帮我',
  '帮忙',
  '请帮我',
  '给我',
  '麻烦帮我',
]);

const changes = ['set', 'write', 'up', 'down', 'on', 'off', 'open', 'close', 'setBit', 'resetBit', 'toggle', 'bitOn', 'bitOff'] as const;

/** A change that is told of, supposed or quoted (he said "stop pump 1", 日志里写着“启动1号泵”) is not asked for. */
export function isReported(r: Reading): boolean {
  const change = r.tokens.findIndex((t) => is(t, ...changes) && t.text !== 'on' && t.text !== 'up');
  if (change < 0) return false;
  if (r.tokens.slice(0, change).some((t) => is(t, 'reported'))) return true;
  const quotes = r.tokens.flatMap((t, i) => (is(t, 'quote') ? [i] : []));
  const [open, close] = [quotes[0], quotes[quotes.length - 1]];
  if (open === undefined || close === undefined || change < open || change > close) return false;
  return r.tokens.some((t, i) => (i < open || i > close) && !is(t, 'stop', 'question', 'comma', 'fill', 'colon'));
}

/** "stop pump 1? no", 线速度设为40不行: what is said last takes the change back. */
export function isTakenBack(r: Reading): boolean {
  const words = r.tokens.filter(
    (t) => !is(t, 'stop', 'question', 'comma', 'quote') && !['了', '吧', '呢', '啊', 'please'].includes(t.text),
  );
  const last = words[words.length - 1];
  const ends = is(last, 'denial') || (last?.text === '不' && is(r.tokens[r.tokens.length - 2], 'fill', 'question'));
  return ends && words.slice(0, -1).some((t) => is(t, ...changes));
}

/** "on station 6, are coils 0 to 3 set": the verb before its subject asks, wherever it stands; "pump 2 is on" does not. */
function asksOf(tokens: readonly Token[], at: number): boolean {
  const isThing = (t: Token | undefined): boolean => isTable(t) || isNamed(t) || is(t, 'unitWord', 'deviceWord');
  const subject = tokens[at + 1]?.text === 'the' ? tokens[at + 2] : tokens[at + 1];
  const clause = is(tokens[at - 1], 'comma', 'stop', 'colon');
  return !tokens[at]!.han && (isThing(subject) || (clause && subject !== undefined));
}

/** Asked for a fact, not for an action: then nothing may be written. "can you stop pump 2?" and 能不能启动一号泵 ask for the action. */
export function isQuestion(r: Reading): boolean {
  const tokens = r.tokens;
  const first = tokens.findIndex(
    (t) =>
      !is(t, 'quote', 'stop', 'comma') &&
      !['please', 'hey', 'hi', 'ok', 'so', '请问', 'and', 'well', '那', 'then', 'hello'].includes(t.text),
  );
  const request = tokens.some((t) => polite.has(t.text));
  if (
    tokens.some(
      (t) =>
        is(t, 'what', 'why', 'wonder', 'howMany') &&
        !(t.text === '有' || t.text === 'times' || t.text === '数量' || t.text === '可以' || t.text === 'count' || t.text === 'time'),
    )
  )
    return true;
  if (first >= 0 && is(tokens[first], 'isAre')) return true;
  if (tokens.some((t, i) => is(t, 'isAre') && asksOf(tokens, i))) return true;
  if (tokens.some((t, i) => ['刚', '刚刚'].includes(t.text) && is(tokens[i + 1], 'on', 'off', 'set', 'write'))) return true;
  let last = tokens.length - 1;
  while (last > 0 && is(tokens[last], 'question', 'stop', 'quote')) last--;
  if (!request && last >= 0 && is(tokens[last], 'wonderEnd') && tokens[last]!.text !== '不') return true;
  if (!request && last > 0 && (tokens[last]!.text === '没有' || tokens[last]!.text === '没')) return true;
  return false;
}
