import type { Lang } from '../../errors.ts';
import { exceptionTexts, lineFaultTexts, type Explanation } from '../../modbus/exceptions.ts';
import { toReference } from '../../modbus/addresses.ts';
import type { ModbusTable } from '../../contracts/approvals.ts';
import {
  both,
  isRow,
  join,
  numberOf,
  rowsOf,
  showAge,
  showDuration,
  showNumber,
  showQuality,
  showRange,
  showTime,
  showValue,
  table,
  textOf,
  type Row,
} from './show.ts';

/** One result of a tool, said as an engineer would: value with unit, quality where it is not good, time and source. */
export function sayResult(tool: string, args: Row, result: unknown, lang: Lang): string {
  const say = sayings[tool];
  return say ? say(result, lang, args) : fallback(result);
}

type Saying = (result: unknown, lang: Lang, args: Row) => string;

const rowLimit = 64;
const t = (lang: Lang, zh: string, en: string): string => (lang === 'zh' ? zh : en);

const nameOf = (r: Row, lang: Lang): string => both(r.name, lang) || textOf(r.tag);
const sourceOf = (r: Row, lang: Lang): string => {
  const device = textOf(r.device);
  const reference = textOf(r.reference);
  return [device, reference && t(lang, `参考 ${reference}`, `ref ${reference}`)].filter((x) => x !== '').join(' ');
};

function readingSentence(r: Row, lang: Lang): string {
  const name = nameOf(r, lang);
  const quality = textOf(r.quality);
  const age = numberOf(r.age_ms);
  const where = sourceOf(r, lang);
  if (quality === 'bad' || r.value === null || r.value === undefined) {
    const error = isRow(r.error) ? textOf(r.error.message) : textOf(r.reason);
    const advice = isRow(r.error) ? textOf(r.error.advice) : '';
    const last = isRow(r.last_known) ? r.last_known : null;
    const lastText =
      last === null
        ? ''
        : t(
            lang,
            `上次读到 ${showValue(last.value, r.unit, lang)}，是 ${showTime(last.read_at, true)} 的旧值，不代表现在。`,
            `It last read ${showValue(last.value, r.unit, lang)} at ${showTime(last.read_at, true)}; that is not its value now.`,
          );
    return [
      t(lang, `${name}：读不到当前值（${where}）。${error}`, `${name}: no present value (${where}). ${error}`).trim(),
      advice,
      lastText,
    ]
      .filter((x) => x !== '')
      .join(' ');
  }
  const at = showTime(r.read_at);
  const facts = [at && t(lang, `${at} 读取`, `read at ${at}`), age !== null && age >= 3000 ? showAge(age, lang) : '', where].filter(
    (x) => x !== '',
  );
  const doubt =
    quality !== '' && quality !== 'good'
      ? t(
          lang,
          `质量${showQuality(quality, lang)}${textOf(r.reason) ? `：${textOf(r.reason)}` : ''}`,
          `quality ${showQuality(quality, lang)}${textOf(r.reason) ? `: ${textOf(r.reason)}` : ''}`,
        )
      : '';
  if (doubt !== '') facts.unshift(doubt);
  const value = showValue(r.value, r.unit, lang);
  return t(lang, `${name}：${value}（${facts.join('，')}）`, `${name}: ${value} (${facts.join(', ')})`);
}

const tagRead: Saying = (result, lang) => {
  const readings = rowsOf(result, 'readings');
  if (readings.length === 0) return fallback(result);
  if (readings.length <= 3)
    return readings.map((r) => `${readingSentence(r, lang)}${t(lang, '。', '.')}`.replace(/。。$/, '。').replace(/\.\.$/, '.')).join('\n');
  const head = lang === 'zh' ? ['点位', '值', '质量', '读取时间', '来源'] : ['Tag', 'Value', 'Quality', 'Read at', 'Source'];
  return table(
    head,
    readings.map((r) => [
      nameOf(r, lang),
      showValue(r.value, r.unit, lang),
      showQuality(r.quality, lang),
      showTime(r.read_at),
      sourceOf(r, lang),
    ]),
    rowLimit,
    lang,
  );
};

const tableNames: Readonly<Record<ModbusTable, Record<Lang, [string, string]>>> = {
  holding: { zh: ['保持寄存器', '保持寄存器'], en: ['holding register', 'holding registers'] },
  input: { zh: ['输入寄存器', '输入寄存器'], en: ['input register', 'input registers'] },
  coil: { zh: ['线圈', '线圈'], en: ['coil', 'coils'] },
  discrete: { zh: ['离散输入', '离散输入'], en: ['discrete input', 'discrete inputs'] },
};
export const tableName = (name: unknown, lang: Lang, many = false): string =>
  tableNames[name as ModbusTable]?.[lang][many ? 1 : 0] ?? textOf(name);

const modbusRead: Saying = (result, lang) => {
  if (!isRow(result)) return fallback(result);
  const values = rowsOf(result, 'values');
  const who = textOf(result.device) || t(lang, `${textOf(result.unit)} 号从站`, `unit ${textOf(result.unit)}`);
  const at = showTime(result.read_at);
  const bits = result.table === 'coil' || result.table === 'discrete';
  const doubt = (v: Row): string =>
    v.quality === 'uncertain'
      ? t(lang, `（${showQuality(v.quality, lang)}：${textOf(v.reason)}）`, ` (${showQuality(v.quality, lang)}: ${textOf(v.reason)})`)
      : '';
  const value = (v: Row): string => plainValue(v) + doubt(v);
  const plainValue = (v: Row): string =>
    v.quality === 'bad'
      ? t(lang, `坏值${textOf(v.reason) && `：${textOf(v.reason)}`}`, `bad${textOf(v.reason) && `: ${textOf(v.reason)}`}`)
      : bits && typeof v.value === 'boolean'
        ? v.value
          ? '1'
          : '0'
        : showValue(v.value, '', lang);
  if (values.length === 0) return fallback(result);
  const place = (v: Row): string =>
    t(lang, `地址 ${textOf(v.address)}，参考 ${textOf(v.reference)}`, `address ${textOf(v.address)}, reference ${textOf(v.reference)}`);
  if (values.length === 1) {
    const v = values[0]!;
    const tag = textOf(v.tag) === '' ? '' : t(lang, `，对应点位 ${textOf(v.tag)}`, `, tag ${textOf(v.tag)}`);
    return t(
      lang,
      `${who} 的${tableName(result.table, lang)}（${place(v)}）：${value(v)}（${at} 读取${tag}）。`,
      `${who}, ${tableName(result.table, lang)} (${place(v)}): ${value(v)} (read at ${at}${tag}).`,
    );
  }
  const title = t(
    lang,
    `${who} 的${tableName(result.table, lang, true)}，${at} 读取：`,
    `${who}, ${tableName(result.table, lang, true)}, read at ${at}:`,
  );
  const hasTags = values.some((v) => textOf(v.tag) !== '');
  const head =
    lang === 'zh' ? ['地址', '参考', '值', ...(hasTags ? ['点位'] : [])] : ['Address', 'Reference', 'Value', ...(hasTags ? ['Tag'] : [])];
  return `${title}\n\n${table(
    head,
    values.map((v) => [textOf(v.address), textOf(v.reference), value(v), ...(hasTags ? [textOf(v.tag)] : [])]),
    128,
    lang,
  )}`;
};

const verdicts: Readonly<Record<string, Record<Lang, string>>> = {
  confirmed: { zh: '已确认，回读一致', en: 'confirmed by reading back' },
  'not-taken': { zh: '设备没有接受，仍是原值', en: 'the device did not take it and still holds the old value' },
  clamped: { zh: '设备把值限制住了', en: 'the device limited the value' },
  overwritten: { zh: '写入后又被别的程序改掉', en: 'something else overwrote it afterwards' },
  different: { zh: '回读与写入不一致', en: 'it reads back differently' },
  unknown: { zh: '结果未知，无法回读', en: 'outcome unknown: it could not be read back' },
};

const writes: Saying = (result, lang) => {
  const list = rowsOf(result, 'writes');
  if (list.length === 0) return fallback(result);
  const line = (w: Row): string => {
    const name =
      textOf(w.tag) ||
      t(
        lang,
        `${textOf(w.unit_id)} 号从站${tableName(w.table, lang)} ${textOf(w.address)}（参考 ${textOf(w.reference)}）`,
        `unit ${textOf(w.unit_id)} ${tableName(w.table, lang)} ${textOf(w.address)} (reference ${textOf(w.reference)})`,
      );
    const before =
      w.before === null || w.before === undefined ? t(lang, '原值未知', 'value before unknown') : showValue(w.before, w.unit, lang);
    const verdict = verdicts[textOf(w.verdict)]?.[lang] ?? textOf(w.verdict);
    if (w.sent === false)
      return t(
        lang,
        `${name} 本来就是 ${showValue(w.after, w.unit, lang)}，没有发送写入。`,
        `${name} already reads ${showValue(w.after, w.unit, lang)}; nothing was sent.`,
      );
    const now =
      w.verdict === 'confirmed'
        ? ''
        : t(lang, `，现在读到 ${showValue(w.now, w.unit, lang)}`, `; it reads ${showValue(w.now, w.unit, lang)} now`);
    const back = w.undoable === true && w.verdict === 'confirmed' ? t(lang, ' 可以撤销。', ' It can be undone.') : '';
    return t(
      lang,
      `${name}：${before} → ${showValue(w.after, w.unit, lang)}，${verdict}${now}。${back}`.trim(),
      `${name}: ${before} → ${showValue(w.after, w.unit, lang)}, ${verdict}${now}.${back}`,
    );
  };
  return list.map(line).join('\n');
};

const trend: Saying = (result, lang) => {
  const series = rowsOf(result, 'series');
  if (!isRow(result) || series.length === 0) return fallback(result);
  const range = showRange(result.from, result.to, lang);
  const line = (s: Row): string => {
    if (numberOf(s.samples) === 0)
      return t(lang, `${nameOf(s, lang)}：这段时间没有记录。`, `${nameOf(s, lang)}: nothing was recorded in this time.`);
    const gaps = Array.isArray(s.gaps) ? s.gaps.length : 0;
    const gapText = gaps > 0 ? t(lang, `，其中 ${gaps} 段没有数据`, `, with ${gaps} ${gaps === 1 ? 'gap' : 'gaps'}`) : '';
    return t(
      lang,
      `${nameOf(s, lang)}：最小 ${showValue(s.min, s.unit, lang)}，最大 ${showValue(s.max, s.unit, lang)}，平均 ${showValue(s.avg, s.unit, lang)}，最后 ${showValue(s.last, s.unit, lang)}${gapText}。`,
      `${nameOf(s, lang)}: min ${showValue(s.min, s.unit, lang)}, max ${showValue(s.max, s.unit, lang)}, average ${showValue(s.avg, s.unit, lang)}, last ${showValue(s.last, s.unit, lang)}${gapText}.`,
    );
  };
  return `${t(lang, `趋势 ${range}：`, `Trend ${range}:`)}\n${series.map(line).join('\n')}`;
};

const fnWords: Readonly<Record<string, Record<Lang, string>>> = {
  max: { zh: '最大值', en: 'maximum' },
  min: { zh: '最小值', en: 'minimum' },
  avg: { zh: '平均值', en: 'average' },
};

const aggregate: Saying = (result, lang, args) => {
  const results = rowsOf(result, 'results');
  if (!isRow(result) || results.length === 0) return isRow(result) && isRow(result.column) ? column(result.column, lang) : fallback(result);
  const range = showRange(result.from, result.to, lang);
  const fn = textOf(result.fn) || textOf(args.fn);
  const line = (r: Row): string => {
    const name = nameOf(r, lang);
    if (r.value === null || r.value === undefined)
      return t(lang, `${name}：${range} 没有可用的记录。`, `${name}: no good sample from ${range}.`);
    const bad = numberOf(r.bad_samples) ?? 0;
    const badText = bad > 0 ? t(lang, `（另有 ${bad} 个坏值未计入）`, ` (${bad} bad samples left out)`) : '';
    if (fn === 'count_above' || fn === 'count_below') {
      const limit = showValue(result.threshold ?? args.threshold, r.unit, lang);
      const held = numberOf(r.duration_ms);
      const heldText =
        held !== null && held > 0 ? t(lang, `，共持续 ${showDuration(held, lang)}`, `, ${showDuration(held, lang)} in all`) : '';
      const first = textOf(r.at) === '' ? '' : t(lang, `，首次在 ${showTime(r.at, true)}`, `, first at ${showTime(r.at, true)}`);
      const n = showNumber(numberOf(r.value) ?? 0);
      return fn === 'count_above'
        ? t(
            lang,
            `${name} ${range} 高于 ${limit} 共 ${n} 次${first}${heldText}${badText}。`,
            `${name} went above ${limit} ${n} ${n === '1' ? 'time' : 'times'} from ${range}${first}${heldText}${badText}.`,
          )
        : t(
            lang,
            `${name} ${range} 低于 ${limit} 共 ${n} 次${first}${heldText}${badText}。`,
            `${name} went below ${limit} ${n} ${n === '1' ? 'time' : 'times'} from ${range}${first}${heldText}${badText}.`,
          );
    }
    const at = textOf(r.at) === '' || fn === 'avg' ? '' : t(lang, `，出现在 ${showTime(r.at, true)}`, `, at ${showTime(r.at, true)}`);
    return t(
      lang,
      `${name} ${range} 的${fnWords[fn]?.zh ?? fn}是 ${showValue(r.value, r.unit, lang)}${at}${badText}。`,
      `${name}: ${fnWords[fn]?.en ?? fn} ${showValue(r.value, r.unit, lang)}${at}, from ${range}${badText}.`,
    );
  };
  return results.map(line).join('\n');
};

function column(c: Row, lang: Lang): string {
  const fn = textOf(c.fn);
  const at = textOf(c.at) === '' ? '' : t(lang, `，时间 ${showTime(c.at, true)}`, `, at ${showTime(c.at, true)}`);
  const line = numberOf(c.line) === null ? '' : t(lang, `，第 ${textOf(c.line)} 行`, `, line ${textOf(c.line)}`);
  return t(
    lang,
    `${textOf(c.name)} 的${fnWords[fn]?.zh ?? fn}：${showValue(c.value, c.unit, lang)}${at}${line}。`,
    `${textOf(c.name)}, ${fnWords[fn]?.en ?? fn}: ${showValue(c.value, c.unit, lang)}${at}${line}.`,
  );
}

const topicWords: Readonly<Record<string, Record<Lang, string>>> = {
  timeout: { zh: '超时', en: 'time-outs' },
  crc_error: { zh: 'CRC 错误', en: 'CRC errors' },
  exception: { zh: '异常响应', en: 'exception replies' },
  disconnect: { zh: '断线', en: 'disconnections' },
  write: { zh: '写操作', en: 'writes' },
  alarm: { zh: '报警', en: 'alarms' },
  any: { zh: '事件', en: 'events' },
};

const log: Saying = (result, lang, args) => {
  if (!isRow(result)) return fallback(result);
  if (isRow(result.column)) return column(result.column, lang);
  const topic = topicWords[textOf(args.topic)]?.[lang] ?? t(lang, '事件', 'events');
  const count = numberOf(result.count);
  if (count === null) return fallback(result);
  const where =
    textOf(args.file) !== ''
      ? t(lang, `${textOf(args.file)} 中`, `In ${textOf(args.file)}: `)
      : textOf(args.from) === ''
        ? ''
        : t(lang, `${showRange(args.from, args.to, lang)}，`, `From ${showRange(args.from, args.to, lang)}: `);
  const split = (key: string, zh: string, en: string): string => {
    const rows = rowsOf(result, key).filter((r) => numberOf(r.count) !== null);
    return rows.length < 1
      ? ''
      : `\n${t(lang, zh, en)}${join(
          rows.slice(0, 12).map((r) => `${textOf(r.key)} ${showNumber(numberOf(r.count)!)}`),
          lang,
        )}${t(lang, '。', '.')}`;
  };
  const head = t(lang, `${where}共 ${count} 次${topic}。`, `${where}${count} ${topic}.`);
  const splits =
    split('by_topic', '按类别：', 'By kind: ') +
    split('by_device', '按设备：', 'By device: ') +
    split('by_unit', '按站号：', 'By unit: ') +
    split('by_hour', '按小时：', 'By hour: ');
  const events = rowsOf(result, 'events');
  const list =
    args.action === 'count' || events.length === 0
      ? ''
      : `\n\n${table(
          lang === 'zh' ? ['时间', '内容'] : ['Time', 'Event'],
          events.map((e) => [showTime(e.at, true), textOf(e.text)]),
          30,
          lang,
        )}`;
  return head + splits + list;
};

const tags: Saying = (result, lang) => {
  const list = rowsOf(result, 'tags');
  if (list.length === 0) return t(lang, '没有符合的点位。', 'No tag fits.');
  const head = lang === 'zh' ? ['点位', '名称', '单位', '范围', '可写', '地址'] : ['Tag', 'Name', 'Unit', 'Range', 'Writable', 'Address'];
  const range = (r: Row) => (numberOf(r.min) === null && numberOf(r.max) === null ? '' : `${textOf(r.min)} … ${textOf(r.max)}`);
  const title = t(lang, `共 ${list.length} 个点位：`, `${list.length} ${list.length === 1 ? 'tag' : 'tags'}:`);
  return `${title}\n\n${table(
    head,
    list.map((r) => [
      textOf(r.tag),
      both(r.name, lang),
      textOf(r.unit),
      range(r),
      r.writable === true ? t(lang, '是', 'yes') : t(lang, '否', 'no'),
      `${textOf(r.device)} ${textOf(r.reference)}`,
    ]),
    rowLimit,
    lang,
  )}`;
};

const ports: Saying = (result, lang) => {
  const list = rowsOf(result, 'ports');
  const open = rowsOf(result, 'connections');
  const first =
    list.length === 0
      ? t(lang, '这台电脑上没有串口。', 'This computer has no serial port.')
      : `${t(lang, '串口：', 'Serial ports: ')}${join(
          list.map(
            (p) =>
              textOf(p.path) +
              (textOf(p.description) ? ` (${textOf(p.description)})` : '') +
              (p.present === false ? t(lang, '（已拔出）', ' (unplugged)') : ''),
          ),
          lang,
        )}${t(lang, '。', '.')}`;
  const second =
    open.length === 0
      ? ''
      : `\n${t(lang, '连接：', 'Connections: ')}${open.map((c) => `${textOf(c.connection)} ${textOf(c.where)} (${textOf(c.state)})`).join(t(lang, '；', '; '))}${t(lang, '。', '.')}`;
  return first + second;
};

/** What a scan's job came to; while it runs, how far it is. */
const scan: Saying = (job, lang) => {
  if (!isRow(job)) return fallback(job);
  const progress = isRow(job.progress) ? ` ${textOf(job.progress.done)}/${textOf(job.progress.total)}` : '';
  if (job.state === 'running')
    return t(
      lang,
      `扫描仍在进行${progress}（作业 ${textOf(job.job_id)}）。`,
      `The scan is still going on${progress} (job ${textOf(job.job_id)}).`,
    );
  if (job.state !== 'done') {
    const error = isRow(job.error) ? `${textOf(job.error.message)} ${textOf(job.error.advice)}`.trim() : '';
    return `${t(lang, `扫描没有完成${progress}。`, `The scan did not finish${progress}.`)} ${error}`.trim();
  }
  const result = isRow(job.result) ? job.result : {};
  const found = rowsOf(result, 'found');
  const asked = numberOf(result.probed);
  if (found.length === 0) {
    const all = asked === null ? '' : t(lang, `（问了 ${asked} 个）`, ` (${asked} asked)`);
    return t(
      lang,
      `没有设备应答${all}。请检查电源、接线、波特率和校验位。`,
      `No device answered${all}. Check power, wiring, baud rate and parity.`,
    );
  }
  const settings = isRow(result.settings)
    ? `\n${t(lang, '线路设置：', 'Line settings: ')}${textOf(result.settings.baud)} ${textOf(result.settings.dataBits)}${textOf(result.settings.parity).slice(0, 1).toUpperCase()}${textOf(result.settings.stopBits)}`
    : '';
  const of = asked === null ? '' : t(lang, `（问了 ${asked} 个）`, ` (${asked} asked)`);
  const head = t(lang, `找到 ${found.length} 台设备${of}：`, `Found ${found.length} ${found.length === 1 ? 'device' : 'devices'}${of}:`);
  return `${head}\n${found.map((one) => `- ${stationOf(one, lang)}`).join('\n')}${settings}`;
};

/** A station that answered: where it is, what the plant calls it, what it calls itself (its own words, no instruction). */
function stationOf(one: Row, lang: Lang): string {
  const where = `${t(lang, '站号', 'unit')} ${textOf(one.unit)} @ ${textOf(one.connection)}`;
  const identity = isRow(one.identity)
    ? [one.identity.vendor, one.identity.product, one.identity.revision].map(textOf).filter((x) => x !== '')
    : [];
  const names = [textOf(one.device), identity.join(' ')].filter((x) => x !== '');
  return names.length === 0 ? where : `${where}: ${names.join(', ')}`;
}

const connect: Saying = (result, lang, args) => {
  const where = textOf(args.port) || `${textOf(args.host)}${args.tcp_port === undefined ? '' : `:${textOf(args.tcp_port)}`}`;
  const state = isRow(result) ? textOf(result.state) : '';
  return t(
    lang,
    `已连接 ${where}${state && state !== 'open' && state !== 'connected' ? `（${state}）` : ''}。`,
    `Connected to ${where}${state && state !== 'open' && state !== 'connected' ? ` (${state})` : ''}.`,
  );
};

const sayings: Readonly<Record<string, Saying>> = {
  tag_read: tagRead,
  modbus_read: modbusRead,
  tag_write: writes,
  modbus_write: writes,
  undo: writes,
  trend,
  aggregate,
  analyze_log: log,
  list_tags: tags,
  list_ports: ports,
  scan_devices: scan,
  connect,
};

const fallback = (result: unknown): string => (typeof result === 'string' ? result : (JSON.stringify(result) ?? ''));

/** What a code or an error text means and what to do: the diagnosis's own words. */
export function explain(params: Row, lang: Lang): string {
  const exception = numberOf(params.exception);
  const entry =
    exception !== null
      ? exceptionTexts[exception]
      : (lineFaultTexts as Readonly<Record<string, Explanation | undefined>>)[textOf(params.error)];
  if (!entry) return t(lang, '没有这个代码的说明。', 'There is no explanation of that code.');
  const title =
    exception === null ? entry.name[lang] : t(lang, `异常码 ${exception}：${entry.name.zh}`, `Exception ${exception}: ${entry.name.en}`);
  const causes =
    entry.causes.length === 0 ? '' : `\n${t(lang, '常见原因：', 'Usual causes:')}\n${entry.causes.map((c) => `- ${c[lang]}`).join('\n')}`;
  return `${title}${t(lang, '。', '. ')}${entry.means[lang]}${causes}\n${t(lang, '处理：', 'What to do: ')}${entry.remedy[lang]}`;
}

export const referenceText = (name: ModbusTable, address: number): string => toReference(name, address);
