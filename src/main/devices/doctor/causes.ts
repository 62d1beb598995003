import type { Bilingual } from '../../../shared/errors.ts';

/** What can be wrong with a line. Each has its cause and its remedy below, in both languages. Length: a table. */
export type Condition =
  | 'healthy'
  | 'silent-unit'
  | 'silent-line'
  | 'echo-only'
  | 'echo'
  | 'glitch'
  | 'missing-head'
  | 'lost-byte'
  | 'xon-xoff'
  | 'extra-byte'
  | 'flipped-bit'
  | 'glued-frames'
  | 'ascii-wrapped'
  | 'parity-bits'
  | 'second-client'
  | 'foreign-unit'
  | 'late-answers'
  | 'noise'
  | 'constant-level'
  | 'http'
  | 'rtu-over-tcp'
  | 'tcp-over-line'
  | 'protocol'
  | 'one-client'
  | 'refused'
  | 'unreachable'
  | 'port-missing'
  | 'port-busy'
  | 'port-permission'
  | 'exception'
  | 'idle-disconnect'
  | 'shifted-id'
  | 'typed-checksum'
  | 'cut-short'
  | 'unfit-answer'
  | 'wrong-length'
  | 'repeated-answers'
  | 'stray-bytes'
  | 'deaf-connection'
  | 'unsteady'
  | 'unexplained';

export type Cause = { title: Bilingual; cause: Bilingual; remedy: Bilingual; severity: 'ok' | 'note' | 'fault' };
const c = (severity: Cause['severity'], title: [string, string], cause: [string, string], remedy: [string, string]): Cause => ({
  severity,
  title: { en: title[0], zh: title[1] },
  cause: { en: cause[0], zh: cause[1] },
  remedy: { en: remedy[0], zh: remedy[1] },
});

export const causes: Readonly<Record<Condition, Cause>> = {
  healthy: c(
    'ok',
    ['The line is sound', '线路正常'],
    [
      'All answers were whole and belonged to their question. Only reads were tried: writes and the truth of the values were not judged.',
      '所有应答完整且与请求对应。只试了读取：未检验写入，也未判断数值真伪。',
    ],
    ['Nothing to do.', '无需处理。'],
  ),
  'silent-unit': c(
    'fault',
    ['A unit does not answer', '某站号无应答'],
    [
      'It is off, has another unit id, or listens with other settings; others on the line answer.',
      '该设备断电、站号不同或参数不同；线上其他设备有应答。',
    ],
    ['Check its power and unit id at the device; a scan shows which units are there.', '在设备上核对电源和站号；扫描可列出在线站号。'],
  ),
  'silent-line': c(
    'fault',
    ['Nobody answers on this line', '整条线路无应答'],
    [
      'A and B swapped, cable broken, wrong baud rate or parity, or all devices off.',
      'A/B 接反、线缆断开、波特率或校验错误，或设备全部断电。',
    ],
    [
      'Swap A and B, then try the usual settings (9600 8N1, 19200 8E1); check the supply of the devices.',
      '先交换 A/B，再试常用参数（9600 8N1、19200 8E1）；检查设备供电。',
    ],
  ),
  'echo-only': c(
    'fault',
    ['Only our own request comes back', '只收到自己的请求'],
    [
      'The adapter returns what it sends (2-wire RS-485), and no device answers. An echo of a write is no confirmation.',
      '适配器回送所发内容（两线 RS-485），且无设备应答。写请求的回声不是确认。',
    ],
    [
      'Set "echo" for this line; then check why the device is silent: power, unit id, A/B.',
      '为该线路设置“回声”；再查设备为何无应答：电源、站号、A/B。',
    ],
  ),
  echo: c(
    'note',
    ['The adapter echoes', '适配器有回声'],
    ['Each request comes back before its answer; it is stripped.', '每条请求先被回送，已自动去除。'],
    ['Set "echo" for this line so that a write is never mistaken for confirmed.', '请为该线路设置“回声”，避免误认写入已确认。'],
  ),
  glitch: c(
    'note',
    ['Stray 00 or FF bytes around frames', '帧前后有 00/FF 毛刺'],
    ['The line floats while nobody drives it, or the direction is switched late.', '总线空闲时悬浮，或收发切换过慢。'],
    ['Fit bias resistors (fail-safe) and one termination at each end.', '加装偏置电阻，并在两端各接一个终端电阻。'],
  ),
  'missing-head': c(
    'fault',
    ['The first bytes of answers are missing', '应答丢失开头字节'],
    ['Our side switches from sending to receiving too late and cuts the head of the answer.', '本侧由发送切换到接收过慢，截掉了应答开头。'],
    [
      'Use an adapter with automatic direction control, or give the device a longer response delay.',
      '使用自动换向的适配器，或加大设备的应答延时。',
    ],
  ),
  'lost-byte': c(
    'fault',
    ['A byte is lost inside frames', '帧内丢失字节'],
    ['Wrong parity drops single bytes; an overloaded adapter loses some.', '校验位错误会丢掉个别字节；适配器过载也会丢字节。'],
    ['Check parity and stop bits on both sides, then the adapter and its driver.', '核对两侧校验位和停止位，再检查适配器及驱动。'],
  ),
  'xon-xoff': c(
    'fault',
    ['The bytes 11h and 13h are swallowed', '字节 11h、13h 被吞掉'],
    [
      'XON/XOFF flow control is on somewhere between: in the port server, the modem or the driver.',
      '途中某处启用了 XON/XOFF 流控：串口服务器、调制解调器或驱动。',
    ],
    ['Switch software flow control off there; Modbus is binary.', '在该处关闭软件流控；Modbus 是二进制协议。'],
  ),
  'extra-byte': c(
    'fault',
    ['A byte too many inside frames', '帧内多出字节'],
    ['A disturbance was taken for a start bit, often when the driver is switched on.', '干扰被当作起始位，常见于驱动器接通瞬间。'],
    ['Check bias, termination and shield.', '检查偏置、终端电阻和屏蔽。'],
  ),
  'flipped-bit': c(
    'fault',
    ['Single bits are wrong', '个别位错误'],
    [
      'Noise on the cable, missing termination or earth; or the frame was copied with a typing error.',
      '电缆受干扰、缺终端电阻或接地；或该帧抄写有误。',
    ],
    [
      'Lay the cable away from drives, earth the shield at one end, terminate both ends with 120 Ω.',
      '电缆远离变频器，屏蔽层单端接地，两端各接 120 Ω。',
    ],
  ),
  'glued-frames': c(
    'note',
    ['Several frames arrived as one', '多帧粘连到达'],
    [
      'An adapter or port server hands bytes over in blocks; the frames were taken apart by their checksums.',
      '适配器或串口服务器成块交付字节；已按校验拆分。',
    ],
    ['Nothing, as long as the checksums fit.', '校验正确即可，无需处理。'],
  ),
  'ascii-wrapped': c(
    'fault',
    ['The device speaks Modbus ASCII', '设备使用 Modbus ASCII'],
    ['The bytes are hexadecimal text between ":" and CR LF.', '收到的是“:”与回车换行之间的十六进制文本。'],
    ['Set the kind of this connection to ASCII, or the device to RTU.', '将此连接设为 ASCII，或将设备设为 RTU。'],
  ),
  'parity-bits': c(
    'fault',
    ['The top bit of the bytes carries parity', '字节最高位带有校验'],
    ['The device sends 7 data bits with parity, we read 8 without.', '设备为 7 数据位加校验，本侧按 8 位无校验接收。'],
    ['Set the same data bits and parity on both sides.', '两侧设置相同的数据位和校验。'],
  ),
  'second-client': c(
    'fault',
    ['Another client talks on this line', '线上有另一个主站'],
    [
      "Questions that we did not send were seen. Two clients on one RTU line spoil each other's answers.",
      '出现并非本机发出的请求。一条 RTU 线上有两个主站会互相破坏应答。',
    ],
    [
      'Stop polling here or there; connect the second one through a gateway, or only listen.',
      '停止其中一方轮询；第二个主站经网关接入，或只监听。',
    ],
  ),
  'foreign-unit': c(
    'fault',
    ['Answers of another unit', '收到其他站号的应答'],
    [
      'A device answers that was not asked: another client talks to it, or two devices share an id.',
      '未被询问的设备作了应答：另有主站在询问它，或两台设备站号相同。',
    ],
    ['List the units seen; look for a second client and for doubled unit ids.', '查看出现过的站号，查找第二主站和重复站号。'],
  ),
  'late-answers': c(
    'fault',
    ['Answers come after the time-out', '应答在超时之后到达'],
    ['The time-out is shorter than device and line need.', '超时时间短于设备和线路所需。'],
    ['Raise the time-out of this connection above the slowest answer seen.', '将此连接的超时设为大于所见最慢应答。'],
  ),
  noise: c(
    'fault',
    ['Bytes without any frame', '有字节但不成帧'],
    [
      'Most bytes wrong: another baud rate. Nothing fits at all: noise, or another protocol.',
      '多数字节错误：波特率不同；完全不匹配：干扰或其他协议。',
    ],
    ['Try the other usual baud rates; check shield and polarity.', '尝试其他常用波特率；检查屏蔽和极性。'],
  ),
  'constant-level': c(
    'fault',
    ['Only 00 or FF arrives', '只收到 00 或 FF'],
    ['A and B are swapped, or the line is not driven.', 'A/B 接反，或线路无驱动。'],
    ['Swap A and B.', '交换 A/B。'],
  ),
  http: c(
    'fault',
    ['A web server answers on this port', '该端口是网页服务器'],
    ['What came is HTTP, not Modbus.', '收到的是 HTTP，不是 Modbus。'],
    ['Check the port number; Modbus TCP uses 502.', '核对端口号；Modbus TCP 使用 502。'],
  ),
  'rtu-over-tcp': c(
    'fault',
    ['The peer speaks RTU inside TCP', '对方在 TCP 中传 RTU'],
    ['The frames have a CRC and no TCP header: a transparent port server.', '帧带 CRC 而无 TCP 报头：透明串口服务器。'],
    [
      'Set the kind of this connection to rtu_over_tcp, or the server to Modbus TCP gateway.',
      '将此连接设为 rtu_over_tcp，或将服务器设为 Modbus TCP 网关模式。',
    ],
  ),
  'tcp-over-line': c(
    'fault',
    ['The peer speaks Modbus TCP here', '对方在此使用 Modbus TCP'],
    ['The frames have a TCP header and no CRC.', '帧带 TCP 报头而无 CRC。'],
    ['Set the kind of this connection to tcp.', '将此连接设为 tcp。'],
  ),
  protocol: c(
    'fault',
    ['What answers is not Modbus', '应答的不是 Modbus'],
    ['The header does not have protocol id 0 or a possible length.', '报头的协议号不为 0 或长度不可能。'],
    ['Check host and port.', '核对主机和端口。'],
  ),
  'one-client': c(
    'fault',
    ['The peer hangs up when asked', '对方收到请求后断开连接'],
    [
      'It serves a single client and another holds it, or it does not take this question, or it restarts. What came does not tell which.',
      '对方只允许一个客户端且已被占用，或不接受该请求，或正在重启。收到的内容无法区分。',
    ],
    [
      'Close other programs that talk to it, then check unit id and the log of the gateway.',
      '关闭其他与其通信的程序，再核对站号并查看网关日志。',
    ],
  ),
  refused: c(
    'fault',
    ['The connection is refused', '连接被拒绝'],
    ['Nothing listens there, or the only connection is taken.', '该处无监听，或唯一连接已被占用。'],
    ['Check that Modbus TCP is on and the port is right; close other clients.', '确认已启用 Modbus TCP 且端口正确；关闭其他客户端。'],
  ),
  unreachable: c(
    'fault',
    ['The host cannot be reached', '主机不可达'],
    ['No answer from the network: cable, address, switch or firewall.', '网络无应答：网线、地址、交换机或防火墙。'],
    ['Check link lights, address and mask; ping it.', '检查链路指示灯、地址和掩码；尝试 ping。'],
  ),
  'port-missing': c(
    'fault',
    ['The serial port is not there', '串口不存在'],
    ['The plug is out, or the system gave the adapter another name.', '插头已拔出，或系统给适配器换了名称。'],
    ['Plug it in; look at the list of ports for its new name.', '插好接头；在串口列表中查看新名称。'],
  ),
  'port-busy': c(
    'fault',
    ['Another program holds the port', '端口被其他程序占用'],
    ['A serial port serves one program at a time.', '串口同一时间只能被一个程序使用。'],
    ['Close the other program.', '关闭另一程序。'],
  ),
  'port-permission': c(
    'fault',
    ['No permission for the port', '没有端口权限'],
    ['The user is not in the group of the port.', '用户不在端口所属的组中。'],
    ['Add the user to the group dialout (Debian, Ubuntu) and sign in again.', '将用户加入 dialout 组（Debian、Ubuntu）后重新登录。'],
  ),
  exception: c(
    'note',
    ['A device answers with exceptions', '设备返回异常'],
    ['Line and unit id are right; the question does not fit the device.', '线路和站号正确；请求与设备不符。'],
    ['See the explanation of the exception code.', '参见异常码说明。'],
  ),
  'idle-disconnect': c(
    'note',
    ['The peer closes idle connections', '对方关闭空闲连接'],
    ['Gateways drop connections that are not used for a while.', '网关会断开一段时间未用的连接。'],
    ['Nothing: it is opened again for the next request.', '无需处理：下次请求时自动重连。'],
  ),
  'shifted-id': c(
    'fault',
    ['Answers carry old transaction ids', '应答带有旧的事务号'],
    [
      'The gateway is one answer behind or answers after we gave up. Old answers are dropped.',
      '网关落后一条应答，或在放弃后才应答。旧应答已丢弃。',
    ],
    ['Raise the time-out; set one request in flight for this connection.', '加大超时；将此连接设为一次一个请求。'],
  ),
  'typed-checksum': c(
    'note',
    ['The checksum as written is wrong, the rest is well-formed', '所写校验错误，其余格式正确'],
    ['A hand-written or copied frame.', '手写或抄录的帧。'],
    ['Use the corrected checksum shown.', '请使用所示的正确校验。'],
  ),
  'cut-short': c(
    'fault',
    ['Answers end too early', '应答提前结束'],
    [
      'An answer begins as it should and its end never comes: a port server that packs too early, a buffer that is too small, or a cable that breaks off.',
      '应答开头正确但结尾未到：串口服务器过早打包、缓冲区过小，或线路中断。',
    ],
    [
      'Raise the packing interval of the port server, ask for fewer registers at once, then check the cable.',
      '加大串口服务器的打包间隔，减少一次读取的寄存器数，再检查线缆。',
    ],
  ),
  'unfit-answer': c(
    'fault',
    ['Answers do not fit their question', '应答与请求不符'],
    [
      'A whole frame of the right unit comes, but with another function or another size than asked: a fault of the device or gateway, or an answer to somebody else.',
      '站号正确且帧完整，但功能码或长度与请求不同：设备或网关有缺陷，或是给他人的应答。',
    ],
    [
      'Compare the bytes with the manual; try another function (03 or 04) or fewer registers; look for a second client.',
      '将字节与手册对照；换用功能码 03 或 04，或减少寄存器数；查找第二个主站。',
    ],
  ),
  'wrong-length': c(
    'fault',
    ['The length in the header is wrong', '报头长度错误'],
    [
      'The header promises another length than can be or than comes: a faulty gateway, or a peer that does not speak Modbus TCP.',
      '报头声明的长度不可能或与实际不符：网关有缺陷，或对方不是 Modbus TCP。',
    ],
    ['Check host and port; then the firmware of the gateway.', '核对主机和端口，再检查网关固件。'],
  ),
  'repeated-answers': c(
    'note',
    ['Answers come twice', '应答重复到达'],
    ['A gateway or radio link sends copies; they were dropped.', '网关或无线链路重复发送；副本已丢弃。'],
    ['Nothing, as long as the first copy is right; look at retries in the gateway.', '首个应答正确即可；查看网关的重发设置。'],
  ),
  'stray-bytes': c(
    'note',
    ['Stray bytes around whole answers', '完整应答前后有杂散字节'],
    [
      'The answers are right, bytes beside them belong to no frame: disturbance, or the direction is switched late.',
      '应答正确，旁边的字节不属于任何帧：干扰，或收发切换过慢。',
    ],
    ['Fit bias resistors and one termination at each end; check the shield.', '加装偏置电阻并在两端各接一个终端电阻；检查屏蔽。'],
  ),
  'deaf-connection': c(
    'fault',
    ['The connection went deaf; a new one is answered', '原连接无应答，新连接正常'],
    [
      'The peer dropped the old connection without saying so: a restarted gateway, or a firewall that forgot it.',
      '对方丢弃旧连接而未通知：网关重启，或防火墙清除了会话。',
    ],
    ['Let this connection release when idle; check time-outs of firewall and gateway.', '让此连接空闲时释放；检查防火墙和网关的超时。'],
  ),
  unsteady: c(
    'note',
    ['A question had to be repeated', '请求需要重发'],
    ['The first try got no answer, the second did. One lost answer does not tell why.', '第一次无应答，第二次成功。仅丢一次无法判断原因。'],
    [
      'Watch the counters of this connection; many of them point to noise or an overloaded device.',
      '观察此连接的计数；频繁出现说明有干扰或设备过载。',
    ],
  ),
  unexplained: c(
    'fault',
    ['A question failed, and why cannot be told from here', '请求失败，从此处无法判断原因'],
    ['The failure is named in the evidence; nothing that was seen on the line explains it.', '失败类型见证据；线路上所见内容无法解释。'],
    ['Look at the frames of this connection while asking again.', '再次请求并查看此连接的报文。'],
  ),
};
