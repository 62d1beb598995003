import { any, anyText, ask, compact, done, find, is, unknown, type Reading } from '../context.ts';
import { isContent } from '../names.ts';
import { asTyped } from '../normalise.ts';
import type { Interpretation } from '../types.ts';

const tagWords = new Set(['点', '量', '参数', 'point', 'points', 'signal', 'signals', 'channels', 'variable', 'variables']);

export function speaksOfTagList(r: Reading): boolean {
  const named = r.tokens.some((t, i) => !r.used[i] && is(t, 'tags') && !tagWords.has(t.text));
  const weak = r.tokens.some(
    (t, i) => !r.used[i] && is(t, 'tags') && tagWords.has(t.text) && r.tokens[i - 1]?.kind !== 'number' && r.tokens[i - 1]?.text !== '个',
  );
  const access = any(r, 'writable', 'readonly');
  const asks = any(r, 'list', 'what', 'howMany') || anyText(r, 'available', '哪些', '有哪些', 'all', '全部', '所有');
  if (any(r, 'trend', 'max', 'min', 'avg') || r.tokens.some((t) => t.kind === 'file')) return false;
  if (named && (asks || access || any(r, 'read', 'scan') || r.tokens.length <= 3)) return true;
  if (weak && (asks || access) && !any(r, 'register', 'coil', 'holding', 'discrete', 'unitWord')) return true;
  return (
    access &&
    any(r, 'what', 'list') &&
    !any(r, 'register', 'coil', 'holding', 'discrete', 'unitWord') &&
    r.tokens.every((t, i) => r.used[i] === true || t.kind !== 'number')
  );
}

export function listRequest(r: Reading): Interpretation {
  const readonly = any(r, 'readonly');
  const filter = readonly ? 'readonly' : any(r, 'writable') ? 'writable' : wordsOf(r);
  return done('list_tags', compact({ filter }));
}

/** The words that narrow a list, as typed: "list pump tags" is pump. */
function wordsOf(r: Reading): string | undefined {
  const name = firstContent(r);
  return name === null ? undefined : asTyped(r.normal, r.tokens[name[0]]!.start, r.tokens[name[1] - 1]!.end).toLowerCase();
}

function firstContent(r: Reading): [number, number] | null {
  const ok = (i: number): boolean => {
    const t = r.tokens[i];
    return t !== undefined && isContent(t) && !is(t, 'tags') && !(is(t, 'list', 'read') && t.atom === null);
  };
  for (let i = 0; i < r.tokens.length; i++) {
    if (!ok(i)) continue;
    let end = i + 1;
    while (ok(end) || (r.tokens[end]?.kind === 'number' && r.tokens[end]!.start <= r.tokens[end - 1]!.end + 1)) end++;
    let start = i;
    if ((r.tokens[i - 1]?.text === '号' || r.tokens[i - 1]?.text === '#') && r.tokens[i - 2]?.kind === 'number') start = i - 2;
    return [start, end];
  }
  return null;
}

export function undoRequest(r: Reading, names: readonly { params: Record<string, unknown>; reason: string | null }[]): Interpretation {
  const target = names[0];
  if (target && (target.reason === null || target.reason !== 'missing_tag')) {
    if (target.reason !== null) return ask('undo', target.params, target.reason);
    return done('undo', target.params);
  }
  const counts = r.tokens.map((t, i) => ({ t, i })).filter(({ t, i }) => t.kind === 'number' && !r.used[i]);
  if (counts.length === 0) {
    if (any(r, 'all') || any(r, 'everything')) return ask('undo', {}, 'missing_value');
    return done('undo', { steps: 1 });
  }
  const steps = counts[0]!.t.amount!.value;
  if (counts.length > 1) return ask('undo', {}, 'missing_value');
  if (!Number.isInteger(steps) || steps < 1) return ask('undo', { steps }, 'invalid_value');
  return done('undo', { steps });
}

export { find, unknown };
