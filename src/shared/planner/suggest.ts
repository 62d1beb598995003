import type { Lang } from '../errors.ts';
import { initials } from './initials.ts';
import { normalise } from './normalise.ts';
import { perPlant } from './perPlant.ts';
import type { World } from './types.ts';

/** Put `insert` in place of the characters `from`..`to` of the text. */
export type Suggestion = { kind: 'tag' | 'device' | 'port' | 'form'; insert: string; label: string; from: number; to: number };

type Known = { kind: Suggestion['kind']; insert: string; label: string; keys: string[] };
const most = 8;

const forms: Record<Lang, readonly string[]> = {
  zh: [
    '读取1号从站从0开始的10个保持寄存器',
    '把1号从站的寄存器10写成100',
    '画一下过去一小时的曲线',
    '昨天最高多少',
    '今天超过几次',
    '分析一下今天的日志',
    '昨晚有几次通信超时',
    '扫描COM3上的从站',
    '列出点位',
    '哪些点位可以写',
    '电脑上有哪些串口',
    '连接COM3，9600 8N1',
    '撤销上一次写入',
    '异常码02是什么意思',
    '你能做什么',
  ],
  en: [
    'read 10 holding registers from slave 1 starting at 0',
    'write 42 to holding register 7 on slave 1',
    'plot for the last hour',
    'what was the max of yesterday',
    'how many times above today',
    "analyze today's log",
    'how many timeouts last night',
    'scan COM3 for slaves',
    'list tags',
    'which tags are writable',
    'list serial ports',
    'connect COM3 9600 8N1',
    'undo the last write',
    'what does exception code 2 mean',
    'what can you do',
  ],
};

/**
 * What the person may be about to type, from the word before the caret. While an input method composes, the text is not theirs
 * yet: the caller asks again when it has ended.
 */
export function suggest(text: string, caret: number, world: World, lang: Lang): Suggestion[] {
  const before = text.slice(0, Math.max(0, Math.min(caret, text.length)));
  if (before.trim() === '') return [];
  const whole = normalise(before.trim()).text;
  const found: Suggestion[] = [];
  const seen = new Set<string>();
  const add = (s: Suggestion) => {
    if (seen.has(s.insert) || found.length >= most) return;
    seen.add(s.insert);
    found.push(s);
  };
  for (const form of forms[lang])
    if (whole.length >= 2 && form.toLowerCase().startsWith(whole) && form.toLowerCase() !== whole)
      add({ kind: 'form', insert: form, label: form, from: before.length - before.trimStart().length, to: before.length });
  for (const piece of pieces(before)) {
    const key = normalise(piece.text).text.replaceAll(' ', '');
    if (key.length < (/[\u3400-\u9fff]/.test(key) ? 1 : 2)) continue;
    for (const rank of [0, 1, 2]) {
      for (const item of namesOf(world)[lang]) {
        if (found.length >= most) break;
        if (item.keys.some((k) => rankOf(k, key) === rank) && item.insert.toLowerCase() !== piece.text.toLowerCase())
          add({ kind: item.kind, insert: item.insert, label: item.label, from: piece.from, to: before.length });
      }
    }
    if (found.length > 0) break;
  }
  return found;
}

const rankOf = (name: string, key: string): number =>
  name === key || name.startsWith(key) ? 0 : key.length >= 2 && name.includes(key) ? 1 : 9;

/** The stretches before the caret that may be the beginning of a name, longest first. */
function pieces(before: string): { text: string; from: number }[] {
  const result: { text: string; from: number }[] = [];
  const words = [...before.matchAll(/[A-Za-z0-9_#]+|[\u3400-\u9fff]/g)];
  for (let n = Math.min(words.length, 8); n >= 1; n--) {
    const from = words[words.length - n]!.index;
    result.push({ text: before.slice(from), from });
  }
  return result.filter((p) => /[A-Za-z0-9#\u3400-\u9fff]$/.test(p.text));
}

const namesOf: (world: World) => Record<Lang, Known[]> = perPlant((world) => {
  const plain = (name: string): string => normalise(name).text.replace(/[\s_]/g, '');
  const keys = (names: readonly string[]): string[] => [...new Set(names.flatMap((n) => [plain(n), initials(n)]).filter((k) => k !== ''))];
  const inLang = (aliases: readonly string[], lang: Lang): string | undefined =>
    aliases.find((a) => /[\u3400-\u9fff]/.test(a) === (lang === 'zh'));
  const make = (lang: Lang): Known[] => [
    ...world.tags.map((t): Known => ({
      kind: 'tag',
      insert: inLang(t.aliases, lang) ?? t.name,
      label: `${inLang(t.aliases, lang) ?? t.name} (${t.name}${t.unit === undefined ? '' : `, ${t.unit}`})`,
      keys: keys([t.name, ...t.aliases]),
    })),
    ...world.devices.map((d): Known => ({
      kind: 'device',
      insert: inLang(d.aliases, lang) ?? d.id,
      label: `${inLang(d.aliases, lang) ?? d.id} (${lang === 'zh' ? '站号' : 'unit'} ${d.unit})`,
      keys: keys([d.id, ...d.aliases]),
    })),
    ...world.serial_ports.map((p): Known => ({ kind: 'port', insert: p, label: p, keys: keys([p]) })),
  ];
  return { zh: make('zh'), en: make('en') };
});
