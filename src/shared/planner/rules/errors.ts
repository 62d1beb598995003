import { any, ask, done, is, timeIn, type Reading } from '../context.ts';
import type { Interpretation } from '../types.ts';

const named: readonly [RegExp, number][] = [
  [/illegal function|非法功能/, 1],
  [/illegal (?:data )?address|非法(?:数据)?地址/, 2],
  [/illegal (?:data )?value|非法(?:数据)?值/, 3],
  [/(?:slave|server) (?:device )?failure|从站(?:设备)?故障/, 4],
  [/(?:slave|server) (?:device )?busy|从站(?:设备)?忙/, 6],
  [/negative acknowledge|否定应答/, 7],
  [/memory parity|存储(?:器)?奇偶/, 8],
  [/gateway path|网关路径/, 10],
  [/gateway target|网关目标/, 11],
];

/** An exception by the text the protocol gives it: "illegal data address". */
export const namesException = (r: Reading): boolean => named.some(([pattern]) => pattern.test(r.normal.text));

/** The number of an exception, when one is named by number or by its text in the protocol. */
function exceptionOf(r: Reading): number | null {
  for (const [pattern, code] of named) if (pattern.test(r.normal.text)) return code;
  const at = r.tokens.findIndex((t) => is(t, 'exceptionTopic') || ['code', '代码', '码', 'error', '错误'].includes(t.text));
  if (at < 0) return null;
  const numbers = r.tokens.map((t, i) => ({ t, i })).filter(({ t }) => t.kind === 'number' && Number.isInteger(t.amount!.value));
  const closest = numbers.filter(({ i }) => Math.abs(i - at) <= 4).sort((a, b) => Math.abs(a.i - at) - Math.abs(b.i - at))[0];
  return closest ? closest.t.amount!.value : null;
}

export function errorRequest(r: Reading): Interpretation | null {
  const wondering = any(r, 'meaning', 'why') || r.tokens.some((t) => is(t, 'summarize') && ['怎么回事', 'what happened'].includes(t.text));
  const asksMeaning = wondering || any(r, 'what', 'howTo') || r.tokens.some((t) => t.text === '怎么');
  const time = timeIn(r);
  const counted = r.tokens.some((t) => is(t, 'howMany') && t.text !== 'times' && t.text !== 'time');
  if (r.tokens.some((t) => t.kind === 'file') || counted) return null;
  const listed = r.tokens.some((t) => is(t, 'list') && !is(t, 'what') && !['查', '查一下', '看看', '看一下', '看'].includes(t.text));
  if (time.kind !== 'none' && !(wondering && any(r, 'why'))) return null;
  const exception =
    any(r, 'exceptionTopic') || namesException(r) || (r.tokens.some((t) => is(t, 'anyTopic')) && any(r, 'meaning')) ? exceptionOf(r) : null;
  if (exception !== null && !listed)
    return exception >= 1 && exception <= 11 ? done('explain_error', { exception }) : ask('explain_error', { exception }, 'out_of_range');
  const error = any(r, 'crcTopic')
    ? 'crc'
    : any(r, 'refused')
      ? 'connection_refused'
      : any(r, 'portBusy')
        ? 'port_busy'
        : any(r, 'timeoutTopic')
          ? 'timeout'
          : null;
  if (error === null) return null;
  if (asksMeaning || !(any(r, 'list', 'summarize') || any(r, 'log'))) return done('explain_error', { error });
  return null;
}
