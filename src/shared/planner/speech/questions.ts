import type { Lang } from '../../errors.ts';
import type { Interpretation, World } from '../types.ts';
import { vocabularyOf } from '../vocabulary.ts';
import { join, textOf } from './show.ts';

export type Question = { question: string; candidates: { value: string; label: string }[] };

type Asking = (meant: Interpretation, world: World, lang: Lang) => Question;
const t = (lang: Lang, zh: string, en: string): string => (lang === 'zh' ? zh : en);
const plain =
  (zh: string, en: string): Asking =>
  (_m, _w, lang) => ({ question: t(lang, zh, en), candidates: [] });

/** A tag as a person calls it: its first alias in their language, with the name where the two differ. */
export function tagLabel(name: string, world: World, lang: Lang): string {
  const tag = vocabularyOf(world).tags.get(name);
  const alias = tag?.aliases.find((a) => /[\u3400-\u9fff]/.test(a) === (lang === 'zh')) ?? tag?.aliases[0];
  return alias === undefined || alias === name ? name : `${alias} (${name})`;
}

const candidatesOf = (names: readonly string[], world: World, lang: Lang): Question['candidates'] =>
  names.map((value) => ({ value, label: tagLabel(value, world, lang) }));

function rangeText(meant: Interpretation, world: World): string {
  const tag = vocabularyOf(world).tags.get(textOf(meant.params.tag));
  return tag === undefined || tag.min === undefined || tag.max === undefined
    ? ''
    : `${tag.min} … ${tag.max}${tag.unit === undefined ? '' : ` ${tag.unit}`}`;
}

const askings: Readonly<Record<string, Asking>> = {
  missing_unit: (_m, world, lang) => ({
    question: t(lang, '要访问哪个从站？请给出站号（1–247）或设备名。', 'Which unit? Give a unit number (1-247) or a device.'),
    candidates: world.devices.map((d) => ({ value: d.id, label: `${d.aliases[0] ?? d.id} (${t(lang, '站号', 'unit')} ${d.unit})` })),
  }),
  missing_count: plain('要读几个？请给出数量或结束地址。', 'How many? Give a count or an end address.'),
  missing_address: plain('从哪个地址读写？请给出地址，例如 100 或 40101。', 'At which address? Give one, such as 100 or 40101.'),
  missing_value: (meant, world, lang) => {
    const range = rangeText(meant, world);
    return {
      question: t(lang, `要写成多少？请给出值${range && `（范围 ${range}）`}。`, `What value? Give one${range && ` (range ${range})`}.`),
      candidates: [],
    };
  },
  missing_port: (_m, world, lang) => ({
    question: t(lang, '在哪里扫描？请给出串口、IP 地址或网段。', 'Scan where? Give a serial port, an IP address or a subnet.'),
    candidates: world.serial_ports.map((p) => ({ value: p, label: p })),
  }),
  missing_target: (_m, world, lang) => ({
    question: t(lang, '连接到哪里？请给出串口或 IP 地址。', 'Connect to what? Give a serial port or an IP address.'),
    candidates: world.serial_ports.map((p) => ({ value: p, label: p })),
  }),
  missing_range: plain(
    '这段时间我无法确定（没有班次表）。请给出起止时间，例如“今天 8 点到 16 点”。',
    'I cannot tell which time that is (there is no shift table). Give a start and an end, such as "today 8 to 16".',
  ),
  missing_tag: plain('要用哪个点位？请说出名称。', 'Which tag? Name it.'),
  conflicting_table: plain(
    '地址和所说的数据表不一致：首位数字 0 是线圈、1 是离散输入、3 是输入寄存器、4 是保持寄存器。请说明要用哪一个；若是协议地址请写“协议地址”。',
    'The address and the table named contradict each other: a reference begins with 0 for coils, 1 for discrete inputs, 3 for input registers, 4 for holding registers. Which one is meant? Say "protocol address" if it is one.',
  ),
  ambiguous_tag: (meant, world, lang) => ({
    question: t(lang, '有几个点位符合，是哪一个？', 'Several tags fit. Which one?'),
    candidates: candidatesOf((meant.params.candidates as string[] | undefined) ?? [], world, lang),
  }),
  unknown_tag: (meant, world, lang) => {
    const query = textOf(meant.params.query);
    const near = nearTags(query, world);
    return {
      question: t(
        lang,
        `没有叫“${query}”的点位。${near.length > 0 ? '是不是下面的某一个？' : '可以用“列出点位”查看全部。'}`,
        `There is no tag called "${query}". ${near.length > 0 ? 'Is it one of these?' : 'Say "list tags" to see them all.'}`,
      ),
      candidates: candidatesOf(near, world, lang),
    };
  },
  read_only_table: plain(
    '输入寄存器和离散输入是只读的，不能写。要写保持寄存器或线圈吗？',
    'Input registers and discrete inputs are read-only. Did you mean a holding register or a coil?',
  ),
  read_only_tag: (meant, world, lang) => {
    const name = textOf(meant.params.tag);
    const setpoints = world.tags.filter((x) => x.write && x.name.startsWith(name)).map((x) => x.name);
    return {
      question: t(
        lang,
        `${tagLabel(name, world, lang)} 是测量值，只读，不能写。${setpoints.length > 0 ? '要改的是它的设定值吗？' : ''}`,
        `${tagLabel(name, world, lang)} is a measurement and read-only. ${setpoints.length > 0 ? 'Did you mean its setpoint?' : ''}`.trim(),
      ),
      candidates: candidatesOf(setpoints, world, lang),
    };
  },
  invalid_value: plain(
    '这个值写不进去：寄存器是 0 到 65535 的整数（负数到 -32768），小数要说明“浮点数”，小数点请用“.”，线圈只有开和关。请再给一次值。',
    'That value does not fit: a register holds whole numbers from 0 to 65535 (down to -32768 when signed), a fraction needs the word "float" and a decimal point, a coil is on or off. What should it be?',
  ),
  out_of_range: (meant, world, lang) => {
    const range = rangeText(meant, world);
    if (meant.intent === 'tag_write')
      return {
        question: t(
          lang,
          `超出允许范围${range && `（${range}）`}。要写成多少？`,
          `That is outside the allowed range${range && ` (${range})`}. What should it be?`,
        ),
        candidates: [],
      };
    return {
      question: t(
        lang,
        '站号应在 1–247，地址加数量不能超过 65536。请改一下。',
        'Units are 1 to 247, and address plus count cannot pass 65536. What did you mean?',
      ),
      candidates: [],
    };
  },
  unit_mismatch: (meant, world, lang) => {
    const tag = vocabularyOf(world).tags.get(textOf(meant.params.tag) || textOf((meant.params.tags as string[] | undefined)?.[0]));
    return {
      question: t(
        lang,
        `单位不对：该点位的单位是${tag?.unit ? ` ${tag.unit}` : '开/关'}。请用这个单位再说一次。`,
        `The unit does not fit: this tag is in ${tag?.unit ?? 'on/off'}. Say it again in that unit.`,
      ),
      candidates: [],
    };
  },
  future_range: plain(
    '这段时间还没到，没有数据。要看哪段过去的时间？',
    'That time has not come yet, so there is no data. Which past time do you want?',
  ),
  no_antecedent: plain(
    '前面没有可以接着说的内容。请把点位或寄存器说完整。',
    'There is nothing before this to refer to. Name the tag or register.',
  ),
};

/** Tags whose names share a word with what was typed. */
function nearTags(query: string, world: World): string[] {
  const parts = query.toLowerCase().match(/[a-z]{3,}|[\u3400-\u9fff]{2}/g) ?? [];
  const pairs = [...query]
    .map((c, i, all) => (/[\u3400-\u9fff]/.test(c) && all[i + 1] ? c + all[i + 1] : ''))
    .filter((p) => p !== '' && /^[\u3400-\u9fff]{2}$/.test(p));
  const wanted = [...new Set([...parts, ...pairs])];
  if (wanted.length === 0) return [];
  const scored = world.tags.map((tag) => ({
    tag,
    score: wanted.filter((w) => [tag.name, ...tag.aliases].some((n) => n.toLowerCase().includes(w))).length,
  }));
  return scored
    .filter((s) => s.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 5)
    .map((s) => s.tag.name);
}

export function question(meant: Interpretation, world: World, lang: Lang): Question {
  const asking = askings[meant.reason ?? ''];
  return asking ? asking(meant, world, lang) : { question: t(lang, '请再说明白一点。', 'Please say that more exactly.'), candidates: [] };
}

const refusals: Readonly<Record<string, Record<Lang, string>>> = {
  broadcast_write: {
    zh: '不执行广播写（站号 0）：所有从站都会收到，且没有应答可以核对。',
    en: 'A broadcast write (unit 0) is refused: every device would take it and none would answer.',
  },
  mass_write: {
    zh: '不执行成片写入（所有寄存器、所有设备或随机值）。请逐个说明要写的点位和值。',
    en: 'Writing everything at once, or random values, is refused. Name the targets and values one by one.',
  },
  bypass_confirmation: {
    zh: '写入前的确认不能跳过，也不能预先批准。可以正常提出写入，由人员当场确认。',
    en: 'The confirmation before a write cannot be skipped or given in advance. Ask for the write, and a person will confirm it.',
  },
  disable_safety: {
    zh: '不会关闭联锁、报警、急停或限值。这类操作请按现场安全规程进行。',
    en: 'Interlocks, alarms, emergency stops and limits are not disabled from here. Follow the plant’s safety procedure.',
  },
  fast_loop_write: {
    zh: '不会无限循环或尽快重复写入。请说明一次要写的值。',
    en: 'Writing endlessly or as fast as possible is refused. Say the one value to write.',
  },
};
export const refusalText = (reason: string | null, lang: Lang): string =>
  refusals[reason ?? '']?.[lang] ?? t(lang, '不执行该请求。', 'This request is refused.');

const forms: Record<Lang, string[]> = {
  zh: [
    '读点位：锅炉温度现在多少',
    '读寄存器：读1号从站从0开始的10个保持寄存器',
    '设定：把2号泵频率设为35Hz',
    '启停：启动1号泵',
    '趋势：锅炉压力过去一小时的曲线',
    '统计：昨天锅炉温度最高多少',
    '日志：昨晚有几次通信超时',
    '连接与扫描：扫描COM3上的从站',
    '解释：异常码02是什么意思',
    '撤销：撤销上一次写入',
  ],
  en: [
    'read a tag: what is the boiler temperature',
    'read registers: read 10 holding registers from slave 1 starting at 0',
    'set: set pump 2 frequency to 35 Hz',
    'switch: start pump 1',
    'trend: plot boiler pressure for the last hour',
    'work out: highest boiler temp yesterday',
    'log: how many timeouts last night',
    'connect and scan: scan COM3 for slaves',
    'explain: what does exception 2 mean',
    'undo: undo the last write',
  ],
};
const topics: Readonly<Record<string, number>> = {
  tag_read: 0,
  modbus_read: 1,
  tag_write: 2,
  modbus_write: 2,
  trend: 4,
  aggregate: 5,
  analyze_log: 6,
  scan_devices: 7,
  connect: 7,
  explain_error: 8,
  undo: 9,
};
const own: Readonly<Record<string, Record<Lang, string>>> = {
  modbus_write: { zh: '写寄存器：把1号从站的寄存器10写成1234', en: 'write a register: write 42 to holding register 7 on slave 1' },
  connect: { zh: '连接：连接COM3，9600 8N1；或：连接192.168.1.20', en: 'connect: connect COM3 9600 8N1, or: connect to 192.168.1.20' },
  list_tags: { zh: '列点位：哪些点位可以写', en: 'list tags: which tags are writable' },
  list_ports: { zh: '列串口：有哪些串口', en: 'list ports: list serial ports' },
};

export function helpText(topic: unknown, lang: Lang): string {
  const one = own[textOf(topic)]?.[lang] ?? forms[lang][topics[textOf(topic)] ?? -1];
  if (one !== undefined) {
    const writes = ['tag_write', 'modbus_write', 'undo'].includes(textOf(topic));
    return t(
      lang,
      `可以这样说：${one}。${writes ? '写入前会给出目标、当前值和新值，由人员确认。' : ''}`,
      `Say it like this: ${one}.${writes ? ' Before a write the target, the value now and the new value are shown for a person to confirm.' : ''}`,
    );
  }
  return `${t(lang, '我能做这些（中英文都行）：', 'I can do this (in English or Chinese):')}\n${forms[lang].map((f) => `- ${f}`).join('\n')}`;
}

export function unknownText(reason: string | null, lang: Lang): string {
  if (reason === 'out_of_scope')
    return t(
      lang,
      '这不是我能做的事：我只管现场设备、点位和日志。说“你能做什么”可看清单。',
      'That is not something I do: I look after plant devices, tags and logs. Ask "what can you do" for a list.',
    );
  if (reason === 'not_supported')
    return t(
      lang,
      '我没有做这件事的工具，所以什么也没有执行。说“你能做什么”可看清单。',
      'I have no tool for that, so nothing was done. Ask "what can you do" for a list.',
    );
  return t(
    lang,
    `没有听懂，所以什么也没有执行。可以这样说：${join(['锅炉温度现在多少', '读1号从站寄存器0到9', '把2号泵频率设为35Hz'], lang)}。`,
    `I did not understand that, so nothing was done. Say for example: ${join(['"what is the boiler temp"', '"read registers 0 to 9 of slave 1"', '"set pump 2 frequency to 35 Hz"'], lang)}.`,
  );
}
