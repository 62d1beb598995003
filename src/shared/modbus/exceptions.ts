import type { Bilingual } from '../errors.ts';

/** What an answer or a fault means and what to do about it; the same words in the window, on the command line and in `explain`. */
export type Explanation = { name: Bilingual; means: Bilingual; causes: Bilingual[]; remedy: Bilingual };
const x = (name: [string, string], means: [string, string], causes: [string, string][], remedy: [string, string]): Explanation => ({
  name: { en: name[0], zh: name[1] },
  means: { en: means[0], zh: means[1] },
  causes: causes.map(([en, zh]) => ({ en, zh })),
  remedy: { en: remedy[0], zh: remedy[1] },
});

/** Exception codes of the standard. Length: a table. */
export const exceptionTexts: Readonly<Record<number, Explanation>> = {
  1: x(
    ['illegal function', '非法功能'],
    [
      'The device does not support this function code, or not in its present state. It is there and it answers.',
      '设备不支持该功能码，或当前状态下不允许。设备在线且有应答。',
    ],
    [
      [
        'The map uses input registers (FC04) where holding (FC03) was asked, or the other way round',
        '点表要求输入寄存器（FC04），而请求用了保持寄存器（FC03），或相反',
      ],
      [
        'Only single writes (FC06/FC05) or only block writes (FC16/FC15) are supported',
        '只支持单个写（FC06/FC05）或只支持批量写（FC16/FC15）',
      ],
    ],
    [
      'Try FC03 instead of FC04 (or the reverse), FC06 instead of FC16, FC05 instead of FC15. Do not repeat the same request.',
      '改用 FC03/FC04、FC06/FC16 或 FC05/FC15 中的另一个；不要重复同一请求。',
    ],
  ),
  2: x(
    ['illegal data address', '非法数据地址'],
    ['The start address, or start plus quantity, does not exist in the device.', '起始地址或“起始地址+数量”在设备中不存在。'],
    [
      ['The address is one off: the manual counts from 1, the wire from 0', '地址差 1：手册从 1 开始，线上从 0 开始'],
      ['A reference such as 40001 was sent as a wire address', '把 40001 这样的参考号当作线上地址发送'],
      ['The block reads across a hole in the map', '读取的区间跨越了点表中的空洞'],
      ['The wrong table', '选错了数据表'],
    ],
    [
      'Check the address against the manual: wire address = reference - 1. Read fewer registers, try one address lower and one higher.',
      '对照手册核对地址：线上地址 = 参考号 - 1。减少数量，并试读前后各一个地址。',
    ],
  ),
  3: x(
    ['illegal data value', '非法数据值'],
    ['The quantity or the value is not allowed.', '数量或数值不被允许。'],
    [
      [
        'More registers than the device allows at once, or an odd number where it wants pairs',
        '一次读取的数量超过设备允许，或设备要求偶数个',
      ],
      ['A written value outside the range of the device', '写入值超出设备允许范围'],
      ['Some devices mean "illegal address" by it', '有些设备用它表示“非法地址”'],
    ],
    [
      'Read: halve the quantity. Write: compare the value with the range in the manual. Never repeat the write as it is.',
      '读取：数量减半。写入：对照手册的取值范围。不要原样重复写入。',
    ],
  ),
  4: x(
    ['server device failure', '从站设备故障'],
    [
      'The device failed while doing it. Often it is locked, in local mode, or its own bus below is down.',
      '设备执行时失败。常见原因：被锁定、处于就地模式、或其下级总线中断。',
    ],
    [
      ['Parameters are locked or the device is not in remote mode', '参数被锁定，或设备不在远程模式'],
      ['A fault in the device itself', '设备自身故障'],
    ],
    [
      'Look at the device: unlock it or switch it to remote, clear its own faults. Reads may be tried again after a second; never repeat the write blindly.',
      '查看设备：解锁或切到远程，清除其自身故障。读取可在 1 秒后重试；不要盲目重复写入。',
    ],
  ),
  5: x(
    ['acknowledge', '确认（处理中）'],
    ['Not an error: the device took the request and needs long to finish it.', '不是错误：设备已接受请求，需要较长时间完成。'],
    [['A slow operation is running in the device', '设备正在执行耗时操作']],
    ['Do not send it again. Read the value back for up to 30 s until it shows the result.', '不要重发。在 30 秒内反复回读，直到出现结果。'],
  ),
  6: x(
    ['server device busy', '从站设备忙'],
    ['The device is busy with a longer command; it did not take this request.', '设备正在处理较长的命令，未接受本次请求。'],
    [['Another client keeps it busy, or it is asked too often', '另一主站占用，或询问过于频繁']],
    [
      'A read is tried again by itself with growing pauses. Repeat a write only after looking at the value.',
      '读取会自动以递增间隔重试。写入须先查看当前值再决定是否重发。',
    ],
  ),
  7: x(
    ['negative acknowledge', '否定确认'],
    ['The device refused the programming function.', '设备拒绝了编程功能。'],
    [['The function is not allowed in this state', '当前状态不允许该功能']],
    ['Ask for the diagnosis or error information of the device; do not repeat.', '查询设备的诊断或错误信息；不要重复。'],
  ),
  8: x(
    ['memory parity error', '存储器奇偶错误'],
    ['The device found its extended memory (file records) damaged.', '设备发现其扩展存储器（文件记录）损坏。'],
    [['Failing memory or a lost battery', '存储器失效或电池耗尽']],
    ['Have the device serviced; its stored records are not reliable.', '请检修设备，其存储的记录不可靠。'],
  ),
  10: x(
    ['gateway path unavailable', '网关路径不可用'],
    ['The gateway has no way to that unit, or is overloaded.', '网关没有通往该站号的路径，或已过载。'],
    [
      ['The unit id is not routed to any port of the gateway', '该站号未分配到网关的任何端口'],
      ['Too many requests at once', '同时请求过多'],
    ],
    ['Check the unit id and the routing table of the gateway; ask more slowly.', '检查站号和网关的路由表；降低询问频率。'],
  ),
  11: x(
    ['gateway target device failed to respond', '网关目标设备无响应'],
    ['The gateway works, the device behind it did not answer.', '网关正常，但其后的设备没有应答。'],
    [
      ['The device is off or has another unit id', '设备断电或站号不同'],
      ['Wrong baud rate or parity on the serial side of the gateway', '网关串口侧波特率或校验错误'],
    ],
    [
      'Treat it as a time-out of that one unit: check its power, unit id and the serial settings of the gateway. The network is fine.',
      '按该站号超时处理：检查其电源、站号及网关串口参数。网络正常。',
    ],
  ),
};

export const exceptionName = (code: number): Bilingual =>
  exceptionTexts[code]?.name ?? { en: `vendor exception ${code}`, zh: `厂商自定义异常 ${code}` };

export const exceptionRemedy = (code: number): Bilingual =>
  exceptionTexts[code]?.remedy ?? {
    en: "The number is the vendor's own; look it up in the manual of the device.",
    zh: '该代码为厂商自定义，请查阅设备手册。',
  };

/** Faults of the line itself, as people ask about them. */
export type LineFault = 'crc' | 'timeout' | 'port_busy' | 'connection_refused';
export const lineFaultTexts: Readonly<Record<LineFault, Explanation>> = {
  crc: x(
    ['checksum error (CRC)', '校验错误（CRC）'],
    ['An answer came, but its bytes were damaged on the way. The value is never used.', '收到了应答，但字节在传输中损坏。该值不会被采用。'],
    [
      ['Noise: no shield, no termination, a cable beside a drive', '干扰：无屏蔽、无终端电阻、电缆靠近变频器'],
      ['Wrong baud rate, parity or stop bits', '波特率、校验位或停止位错误'],
      ['Two devices with the same unit id, or two clients on one line', '两台设备站号相同，或一条线上有两个主站'],
      ['XON/XOFF flow control eats the bytes 11h and 13h', 'XON/XOFF 流控吞掉了 11h、13h 字节'],
    ],
    [
      'Check shield and termination (120 Ω at both ends), then baud rate and parity. "handrail doctor" examines the damaged frames and names the likeliest cause.',
      '检查屏蔽和终端电阻（两端各 120 Ω），再核对波特率和校验。“handrail doctor”会分析坏帧并指出最可能的原因。',
    ],
  ),
  timeout: x(
    ['no answer (time-out)', '无应答（超时）'],
    ['The request went out and nothing usable came back in time.', '请求已发出，但在限时内没有可用的应答。'],
    [
      ['The device is off, or has another unit id', '设备断电，或站号不同'],
      ['Wrong baud rate or parity: the device hears only noise and stays silent', '波特率或校验错误：设备只听到噪声，不作应答'],
      ['A and B are swapped, or the line is broken', 'A、B 接反或线路断开'],
      ['The time-out is shorter than the device and the line need', '超时时间短于设备和线路所需'],
    ],
    [
      'Check power and unit id, then baud rate, parity and the polarity of A/B. A scan finds units and settings.',
      '先查电源和站号，再查波特率、校验以及 A/B 极性。扫描可找出站号和参数。',
    ],
  ),
  port_busy: x(
    ['port in use', '端口被占用'],
    ['Another program holds the serial port, or the only connection of the device.', '另一程序占用了串口，或占用了设备的唯一连接。'],
    [
      ['Another Modbus program, a terminal or a logger is running', '另一个 Modbus 程序、终端或记录程序正在运行'],
      ['A program that ended badly still holds it', '异常结束的程序仍占用端口'],
    ],
    [
      'Close the other program. Many gateways and inverters serve a single client only.',
      '关闭另一程序。许多网关和逆变器只允许一个客户端。',
    ],
  ),
  connection_refused: x(
    ['connection refused', '连接被拒绝'],
    ['The machine is there, but nothing on it takes the connection.', '主机在线，但没有程序接受该连接。'],
    [
      ['Modbus TCP is not switched on, or uses another port than 502', '未启用 Modbus TCP，或端口不是 502'],
      ['The device serves one client, and another holds it', '设备只允许一个客户端，且已被占用'],
      ['A firewall or an allow list of the device refuses us', '防火墙或设备的允许列表拒绝了连接'],
    ],
    [
      'Check in the device that Modbus TCP is on, its port and its list of allowed clients; close other clients.',
      '在设备中确认已启用 Modbus TCP、端口号及允许的客户端；关闭其他客户端。',
    ],
  ),
};
