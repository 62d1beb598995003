import { HandrailError, type Bilingual } from '../../../shared/errors.ts';
import type { DeviceTroubles } from './device.ts';

type Transport = 'tcp' | 'rtu';
type FaultEntry = { about: Bilingual; transports: readonly Transport[]; param?: { what: Bilingual; usual: number } };
const both: readonly Transport[] = ['tcp', 'rtu'];
const f = (en: string, zh: string, transports: readonly Transport[] = both, param?: FaultEntry['param']): FaultEntry => ({
  about: { en, zh },
  transports,
  param,
});
const ms = (usual: number): FaultEntry['param'] => ({ what: { en: 'milliseconds', zh: '毫秒' }, usual });

/** Every fault the simulated plant can play, with what one sees. Length: a table. */
export const faultTable = {
  timeout: f('the device is silent', '设备无应答'),
  late: f('answers come after the time-out, into the next question', '应答在超时之后才到', both, ms(1500)),
  slow: f('every answer takes long, but comes', '应答缓慢但仍到达', both, ms(300)),
  crc: f('one bit of the checksum is wrong', '校验码有一位错误', ['rtu']),
  'bit-flip': f('one bit of the data is wrong, so the checksum does not fit', '数据有一位翻转，校验不符', ['rtu']),
  truncated: f('the last byte never comes', '缺少最后一个字节'),
  torn: f('the answer comes in two pieces with a pause', '应答分两段到达', both, ms(40)),
  dribble: f('the answer comes byte by byte', '应答逐字节到达', both, ms(3)),
  merged: f('the answer comes twice in one piece', '应答重复并粘连'),
  duplicate: f('a copy of the answer comes a little later', '应答稍后重复一次', both, ms(30)),
  noise: f('garbage comes before the answer', '应答前有杂波', ['rtu']),
  trailing: f('garbage comes after the answer', '应答后有杂波', ['rtu']),
  'missing-head': f('the first byte of the answer is lost (late direction switch)', '应答首字节丢失（方向切换过晚）', ['rtu']),
  'xon-xoff': f('software flow control eats the bytes 11h and 13h', '软件流控吞掉 11h 与 13h 字节', ['rtu']),
  echo: f('the line echoes every request before the answer', '线路在应答前回显请求', ['rtu']),
  'echo-only': f('the line echoes the request, no device answers', '只有回显，没有设备应答', ['rtu']),
  'foreign-unit': f('the answer carries another unit id', '应答的站号不符'),
  'second-client': f('the question and answer of another client come in between', '线路上有第二个主站的报文', ['rtu']),
  'wrong-function': f('the answer carries another function code', '应答的功能码不符'),
  'byte-count': f('the byte count does not fit what was asked', '字节数与请求不符'),
  'short-answer': f('one register less than asked, well formed', '应答少一个寄存器，格式正确'),
  'write-mismatch': f('a write is confirmed with another value', '写入确认的值不符'),
  exception: f('every request is refused with an exception', '每个请求都返回异常', both, {
    what: { en: 'exception code', zh: '异常码' },
    usual: 4,
  }),
  busy: f('two out of three requests are answered "busy" (06)', '三次请求中两次返回忙（06）'),
  acknowledge: f(
    'writes are answered "accepted, takes long" (05) and taken later',
    '写入返回 05（已接受，处理中），稍后生效',
    both,
    ms(2000),
  ),
  'wrong-id': f('the transaction id is not ours', '事务号不符', ['tcp']),
  'stale-id': f('the answer of the question before comes first', '先收到上一个请求的应答', ['tcp']),
  'protocol-id': f('the protocol id is not 0', '协议标识不为 0', ['tcp']),
  length: f('the length field promises more than comes', '长度字段大于实际', ['tcp']),
  'length-ffff': f('the length field is FFFFh', '长度字段为 FFFFh', ['tcp']),
  http: f('a web server answers on the port', '端口上是网页服务器', ['tcp']),
  reset: f('the connection is reset in the middle of the answer', '应答中途连接被复位', ['tcp']),
  finish: f('the connection is closed instead of an answer', '连接被关闭而无应答', ['tcp']),
  deaf: f('this connection never answers again, a new one does', '该连接不再应答，新连接正常', ['tcp']),
  'one-client': f('only one connection is served, others are closed at once', '只服务一个连接，其余立即关闭', ['tcp']),
  down: f('nobody listens on the port', '端口无人监听', ['tcp']),
  holes: f('input registers 36 to 39 do not exist', '输入寄存器 36–39 不存在'),
  'ignore-writes': f('writes are confirmed but not taken', '写入被确认但未生效'),
  'clamp-writes': f('written values are silently limited', '写入值被悄悄限幅'),
  overwritten: f('another program writes the old value back', '另一程序把旧值写回'),
  'locked-writes': f('writes are refused with exception 04 (local mode)', '写入返回异常 04（就地模式）'),
  'lost-confirmation': f('writes are taken but never confirmed', '写入生效但无确认'),
  frozen: f('the values stand still', '数值不再变化'),
  'sensor-broken': f('the boiler temp sensor delivers no number', '锅炉温度传感器无有效值'),
  'valve-stuck': f('the inlet valve does not move', '进水阀卡住'),
  'motor-tripped': f('the first motor has tripped', '第一台电机跳闸'),
  'flame-failure': f('the burner loses its flame', '燃烧器熄火'),
  overheating: f('the burner runs away until the overheat alarm', '燃烧器失控直至过热报警'),
} as const satisfies Record<string, FaultEntry>;

export type FaultName = keyof typeof faultTable;
/** `unitId` null: every unit. `times` null: until cleared. `seen` counts the requests it has met. */
export type Fault = { name: FaultName; param: number; unitId: number | null; times: number | null; seen: number };

export type FaultListing = {
  name: FaultName;
  about: Bilingual;
  transports: readonly Transport[];
  param: { what: Bilingual; usual: number } | null;
};
export function listFaults(): FaultListing[] {
  return (Object.keys(faultTable) as FaultName[]).map((name) => {
    const entry: FaultEntry = faultTable[name];
    return { name, about: entry.about, transports: entry.transports, param: entry.param ?? null };
  });
}

/** `NAME[:PARAM][@UNIT][xTIMES]`, e.g. `exception:2`, `late:800@2`, `timeoutx3`. */
export function parseFault(text: string): Fault {
  const match = /^([a-z-]+?)(?::(\d{1,6}))?(?:@(\d{1,3}))?(?:x(\d{1,6}))?$/.exec(text.trim().toLowerCase());
  const name = match?.[1];
  if (!match || name === undefined || !Object.hasOwn(faultTable, name)) {
    const known = Object.keys(faultTable).join(', ');
    throw new HandrailError('ARGS_USAGE', {
      detail: { reason: `there is no fault "${text}"`, known },
      message: { en: `There is no fault "${text}".`, zh: `没有名为“${text}”的故障。` },
      advice: { en: `Use NAME[:PARAM][@UNIT][xTIMES] with one of: ${known}.`, zh: `格式 NAME[:参数][@站号][x次数]，可用：${known}。` },
    });
  }
  const entry: FaultEntry = faultTable[name as FaultName];
  return {
    name: name as FaultName,
    param: match[2] === undefined ? (entry.param?.usual ?? 0) : Number(match[2]),
    unitId: match[3] === undefined ? null : Number(match[3]),
    times: match[4] === undefined ? null : Number(match[4]),
    seen: 0,
  };
}

/** Faults that live in the devices, not on the line. */
export function troublesOf(faults: readonly Fault[]): DeviceTroubles {
  const has = (name: FaultName) => faults.some((fault) => fault.name === name);
  return {
    frozen: has('frozen'),
    sensorBroken: has('sensor-broken'),
    valveStuck: has('valve-stuck'),
    pump1Tripped: has('motor-tripped'),
    flameFails: has('flame-failure'),
    overheats: has('overheating'),
    holes: has('holes'),
    writeDelayMs: faults.find((fault) => fault.name === 'acknowledge')?.param,
    writes: has('ignore-writes')
      ? 'ignore'
      : has('clamp-writes')
        ? 'clamp'
        : has('overwritten')
          ? 'overwrite'
          : has('acknowledge')
            ? 'later'
            : has('locked-writes')
              ? 'readonly'
              : undefined,
  };
}
