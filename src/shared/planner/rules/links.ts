import { any, anyText, ask, compact, done, find, is, namesIn, numbersLeft, use, type Reading } from '../context.ts';
import type { Token } from '../lexer.ts';
import type { Interpretation } from '../types.ts';

const bauds = new Set([
  300, 600, 1200, 2400, 4800, 9600, 14400, 19200, 28800, 38400, 56000, 57600, 76800, 115200, 128000, 230400, 256000, 460800, 921600,
]);
const strongScan = new Set([
  'scan',
  'scanning',
  'rescan',
  'sweep',
  'discover',
  'probe',
  '扫描',
  '扫一下',
  '扫一扫',
  '扫扫',
  '扫',
  '扫下',
  '探测',
  '扫一遍',
  '扫站',
  '扫描一下',
  '扫个',
  'discovery',
  'enumerate',
  '探一下',
  '搜站',
  '轮询一遍',
  'scan for',
]);
const strongConnect = new Set([
  'connect',
  'connecting',
  'connect to',
  '连接',
  '连一下',
  '连上',
  '连接到',
  '连接上',
  '连到',
  '建立连接',
  '重连',
  '重新连接',
  '联机',
  '连通',
  '连下',
  '连接一下',
  'reconnect',
  'reconnect to',
  'establish a connection',
  'establish connection',
  'open a connection',
  'open connection',
  '接入',
  '连',
  'hook up to',
  'attach to',
  'link to',
  '链接',
  '接上',
  '接到',
  '接一下',
  'hook up',
  'link',
  'attach',
  'join',
]);

const hasDevices = (r: Reading): boolean => any(r, 'unitWord', 'deviceWord', 'bus', 'network') || r.tokens.some((t) => t.kind === 'ip');

export function speaksOfScan(r: Reading): boolean {
  // "what devices are on COM3", 192.168.1.10上有哪些从站
  const port =
    r.tokens.some((t) => t.kind === 'port' || t.kind === 'ip') &&
    any(r, 'deviceWord', 'unitWord') &&
    any(r, 'what', 'list') &&
    !any(r, 'register', 'coil', 'holding', 'discrete', 'connect');
  if (port && r.tokens.every((t) => t.kind !== 'number')) return true;
  return r.tokens.some(
    (t, i) =>
      !r.used[i] &&
      is(t, 'scan') &&
      (strongScan.has(t.text) ||
        (hasDevices(r) && !any(r, 'register', 'coil', 'holding') && namesIn(r).every((n) => n.things.length === 0))),
  );
}

export function speaksOfConnect(r: Reading): boolean {
  const target = r.tokens.some((t) => t.kind === 'ip' || t.kind === 'port' || t.kind === 'frame');
  if (any(r, 'disconnectTopic') && anyText(r, '断开', '断开连接', 'disconnect', 'disconnected')) return false;
  return r.tokens.some((t, i) => !r.used[i] && is(t, 'connect') && (target || strongConnect.has(t.text)));
}

export function speaksOfPorts(r: Reading): boolean {
  if (!any(r, 'ports') && !(anyText(r, 'ports', '端口') && any(r, 'list', 'what'))) return false;
  if (r.tokens.some((t) => t.kind === 'ip' || t.kind === 'port') || any(r, 'connect', 'unitWord')) return false;
  const asks =
    any(r, 'list', 'what', 'howMany', 'read') ||
    anyText(r, 'available', '可用', '可用的', 'have', 'find', 'search', 'detect', 'exist', '识别', '插了', '现有', 'free');
  if (r.tokens.some((t) => is(t, 'scan') && strongScan.has(t.text)))
    return anyText(r, 'serial ports', 'com ports', 'ports') && !any(r, 'deviceWord');
  return asks || r.tokens.filter((t, i) => !r.used[i] && !is(t, 'fill', 'ports', 'question', 'stop')).length === 0;
}

function typed(r: Reading, t: Token): string {
  return r.normal.source.slice(r.normal.at[t.start], (r.normal.at[t.end - 1] ?? 0) + 1);
}

function portName(r: Reading, t: Token): string {
  if (t.text.startsWith('com')) return `COM${Number(t.text.replace(/\D/g, ''))}`;
  return t.text.startsWith('/')
    ? typed(r, t)
    : `/dev/${typed(r, t).replace(/^tty(usb|acm|s|ama|o)/i, (_, k: string) => `tty${k.toUpperCase() === 'USB' ? 'USB' : k.toUpperCase()}`)}`;
}

type Line = {
  port?: string;
  host?: string;
  subnet?: string;
  baud?: number;
  data_bits?: number;
  parity?: string;
  stop_bits?: number;
  tcp_port?: number;
  badHost: boolean;
};

/** Port, host and serial settings of a request; takes their tokens. */
function lineOf(r: Reading): Line {
  const line: Line = { badHost: false };
  r.tokens.forEach((t, i) => {
    if (t.kind === 'port' && line.port === undefined) {
      line.port = portName(r, t);
      r.used[i] = true;
    }
    if (t.kind === 'ip' && line.host === undefined && line.subnet === undefined) {
      r.used[i] = true;
      const parts = t.text.split('/')[0]!.split('.');
      if (parts.some((p) => /^\d+$/.test(p) && Number(p) > 255)) line.badHost = true;
      if (t.text.includes('/')) line.subnet = t.text;
      else if (parts.length === 3 || /[x*]$/.test(t.text)) line.subnet = `${parts.slice(0, 3).join('.')}.0/24`;
      else if (any(r, 'network') && /\.0$/.test(t.text)) line.subnet = `${t.text}/24`;
      else line.host = t.text;
    }
    if (t.kind === 'frame') {
      const [, bits, parity, stop] = /([5-8])\W?([noe])\W?([12])/.exec(t.text)!;
      Object.assign(line, {
        data_bits: Number(bits),
        parity: parity === 'n' ? 'none' : parity === 'e' ? 'even' : 'odd',
        stop_bits: Number(stop),
      });
      r.used[i] = true;
    }
  });
  // 串口3 is COM3 where there is one
  const serialWord = r.tokens.findIndex(
    (t, i) => is(t, 'ports') && r.tokens[i + 1]?.kind === 'number' && r.world.serial_ports.includes(`COM${r.tokens[i + 1]!.amount!.value}`),
  );
  if (line.port === undefined && line.host === undefined && serialWord >= 0) {
    line.port = `COM${r.tokens[serialWord + 1]!.amount!.value}`;
    use(r, serialWord, serialWord + 2);
  }
  const numberBeside = (at: number): number => {
    for (let k = at + 1; k <= at + 3; k++) {
      if (r.tokens[k]?.kind === 'number' && !r.used[k]) return k;
      if (!r.tokens[k] || !(is(r.tokens[k], 'colon', 'equals', 'fill', 'to') || ['号', '为', '是', 'is', 'of'].includes(r.tokens[k]!.text)))
        break;
    }
    return r.tokens[at - 1]?.kind === 'number' && !r.used[at - 1]
      ? at - 1
      : r.tokens[at - 1]?.text === '位' && r.tokens[at - 2]?.kind === 'number' && !r.used[at - 2]
        ? at - 2
        : -1;
  };
  const take = (name: string): number | undefined => {
    const at = find(r, name);
    const k = at < 0 ? -1 : name === 'dataBits' || name === 'stopBits' ? besideFirst(r, at) : numberBeside(at);
    if (k < 0) return undefined;
    use(r, Math.min(at, k), Math.max(at, k) + 1);
    return r.tokens[k]!.amount!.value;
  };
  if (line.port !== undefined || line.host === undefined) {
    line.data_bits ??= take('dataBits');
    line.stop_bits ??= take('stopBits');
    for (const [name, value] of [
      ['parityNone', 'none'],
      ['parityEven', 'even'],
      ['parityOdd', 'odd'],
    ] as const)
      if (any(r, name)) line.parity ??= value;
    line.baud = take('baud');
    if (line.baud === undefined) {
      const at = numbersLeft(r).find((i) => bauds.has(r.tokens[i]!.amount!.value));
      if (at !== undefined) {
        line.baud = r.tokens[at]!.amount!.value;
        r.used[at] = true;
      }
    }
  }
  if (line.host !== undefined) {
    const at = r.tokens.findIndex((t) => t.kind === 'ip');
    if (is(r.tokens[at + 1], 'colon') && r.tokens[at + 2]?.kind === 'number') {
      line.tcp_port = r.tokens[at + 2]!.amount!.value;
      use(r, at + 1, at + 3);
    } else line.tcp_port = take('port');
  }
  return line;
}

/** "8 data bits" and 8数据位 stand before the word, "data bits 8" behind it; the number before wins when both are there. */
function besideFirst(r: Reading, at: number): number {
  const t = r.tokens;
  const free = (k: number): boolean => t[k]?.kind === 'number' && !r.used[k];
  if (free(at - 1)) return at - 1;
  if ((t[at - 1]?.text === '位' || t[at - 1]?.text === '个') && free(at - 2)) return at - 2;
  if (free(at + 1)) return at + 1;
  return (is(t[at + 1], 'colon', 'equals') || ['为', '是', 'is'].includes(t[at + 1]?.text ?? '')) && free(at + 2) ? at + 2 : -1;
}

export function scanRequest(r: Reading): Interpretation {
  const ports = r.tokens.filter((t) => t.kind === 'port');
  const line = lineOf(r);
  const left = numbersLeft(r);
  let from = 1;
  let to = 247;
  if (left.length === 2) [from, to] = left.map((i) => r.tokens[i]!.amount!.value) as [number, number];
  else if (left.length === 1) {
    const i = left[0]!;
    to = r.tokens[i]!.amount!.value;
    from = is(r.tokens[i - 1], 'to', 'first') || ['到', '至', 'until', 'up to', '前'].includes(r.tokens[i - 1]?.text ?? '') ? 1 : to;
  }
  const span = line.subnet !== undefined && left.length === 0 ? {} : { from, to };
  const params = compact({
    port: line.port,
    host: line.port === undefined ? line.host : undefined,
    subnet: line.port === undefined && line.host === undefined ? line.subnet : undefined,
    baud: line.port !== undefined ? line.baud : undefined,
    ...span,
  });
  if (left.length > 2) return ask('scan_devices', compact({ ...params, from: undefined, to: undefined }), 'out_of_range');
  if (line.port === undefined && line.host === undefined && line.subnet === undefined)
    return ask('scan_devices', compact({ ...params, baud: line.baud }), 'missing_port');
  if (from < 1 || to > 247 || from > to || line.badHost) return ask('scan_devices', params, 'out_of_range');
  if (ports.length > 1)
    return done('multi', { steps: ports.map((t) => ({ intent: 'scan_devices', params: { ...params, port: portName(r, t) } })) });
  return done('scan_devices', params);
}

export function connectRequest(r: Reading): Interpretation {
  const line = lineOf(r);
  const { badHost, subnet, ...rest } = line;
  void subnet;
  const params = compact(rest);
  if (line.port === undefined && line.host === undefined) return ask('connect', params, 'missing_target');
  if (badHost || (line.tcp_port !== undefined && (line.tcp_port < 1 || line.tcp_port > 65535)))
    return ask('connect', params, 'out_of_range');
  if (numbersLeft(r).length > 0 && !any(r, 'unitWord')) return ask('connect', params, 'invalid_value');
  return done('connect', params);
}
