// A table: the words of requests in both languages, by what they do in a sentence. Longer than a page because it is the
// vocabulary itself. A phrase may stand in several classes; the longest phrase wins when text is read.

export type WordClass = keyof typeof words;

export const words = {
  // --- little words that carry no request
  fill: "i mean|please|pls|plz|kindly|can you|could you|would you|will you|can u|could u|can we|could we|can i|could i|may i|would you mind|do me a favor and|i want to|i want you to|i need to|i need you to|i need|i want|i wanna|wanna|i would like to|i would like|i'd like to|i'd like|let me|let us|let's|me|us|i|we|you|just|right now|now|currently|at the moment|at this moment|at present|as of now|right|thanks|thank you|thx|cheers|hey|hi|hello|ok|okay|so|well|a|an|the|this|these|those|my|our|its|their|for me|for us|go ahead and|go ahead|if you can|if possible|quickly|quick|real quick|briefly|immediately|straight away|asap|once|some|any|there|here|also|too|both|actual|actually|live|latest|present|instantaneous|real time|real-time|be|been|being|do|does|did|have|has|had|got|get to|want|need|like|would|could|should|will|shall|may|might|must|can|it is|that|which|who|and|or|is|are|was|were|am|as|by|with|without|into|onto|over|via|through|per|each|quick look at|look|looking|take a look at|have a look at|have a|have|a look|please do|exactly|roughly|about|approximately|approx|around|only|again|back|good morning|good afternoon|sir|guys|buddy|mate|dear|handrail|bot|assistant|please kindly|value|values|reading|readings|number|data|current value|current values|content|contents|state|info|information|details|detail|figure|figures|result|results|doing|going|go|looks like|at what|out|up|off of|of|for|on|in|at|from|to|s|then|plant|today|system|itself|whole|entire|overall|teh|hte|yes|yeah|yep|sure|um|uh|hmm|er|please could you|i am|i'm|we are|there are|there is|there's|it's|what's up with|how about|is it|currently at|reading of|readings of|value of|values of|the value of|state of|reads|say|says|said|stand|stands|standing|sit|sits|sitting|using|use|used|make|made|makes|making",
  fillZh:
    '一遍|请|请问|请你|请您|麻烦|麻烦你|麻烦您|麻烦帮我|帮我|帮忙|帮个忙|替我|给我|给我们|帮|一下|下子|一下子|我想|我要|我需要|我想要|想要|需要|我想知道|想知道|想|要|劳驾|谢谢|谢谢你|谢了|多谢|感谢|拜托|辛苦了|辛苦|现在|当前|目前|此刻|眼下|这会儿|这会|实时|实时值|当前值|现值|目前的|此时|马上|立即|立刻|赶紧|赶快|快点|快|尽快|啊|呀|吧|呢|吗|嘛|么|哦|哈|了|呗|喽|咯|哎|喂|嗯|额|呃|哟|诶|那|那么|那个|这个|这|该|具体|具体的|大概|大约|到底|究竟|来|去|下|先|都|也|就|还|我|咱|咱们|我们|你|您|师傅|老师|同志|大哥|兄弟|小助手|助手|是|为|有|在|里|里面|里头|里的|上|上面|上的|中|内|当中|值|数值|数据|读数|数字|情况|状况|情形|内容|的|地|得|之|其|以|将|把|给|向|往|对|从|到|于|跟|和|与|及|以及|还有|并|并且|同时|或|或者|各|各个|分别|依次|逐个|每个|全部|所有|一共|总共|出来|出|起来|过来|回来|个|些|一些|几个|点儿|儿|会|能|能不能|能否|可以|可不可以|可否|可|行不行|好吗|行吗|可以吗|好不好|好的|好|行|嗨|你好|您好|麻烦了|直接|现场|设备上|系统|咱厂|我这边|我这|这边|那边|显示的|说|说说|告诉|看|瞧|瞅|一个|某|某个|被|让|使|使得|再|又|只|仅|仅仅|只要|大致|方便的话|如果可以|可以的话|方便|目前为止|用|按|按照|通过|做|做个|弄|搞|搞一下|一份|一张|一条|一次|每|当|这里|那里|所|吗请|是不是|是否|有没有|有无|没有|没|咋|咋样|咋样了|咋了|已经|早已|曾经|来着|吼|嘞|哇|呐|啦',
  // --- asking
  what: "how open|how wide open|how far open|what is|what's|whats|what are|what was|what were|what does|what do|what did|what|how much|how high|how low|how big|how fast|how full|how hot|how cold|how warm|how far|which|tell me|how is|how are|how's|wats|wat is|what is it|do you know|any idea",
  whatZh:
    '多少|多少了|是多少|为多少|多大|多高|多低|多快|多热|几|几度|多少度|什么|啥|什么样|怎样|怎么样|怎么样了|如何|如何了|哪些|哪个|哪几个|有哪些|有什么|有啥|多少钱|何|是几|到多少|到了多少|到多少了|达到多少|高不高|正常吗|正常不|正常么|对不对',
  read: 'verify|verify that|make sure|make sure that|ensure|ensure that|read|reads|reading out|read out|read back|readout|show|show me|display|get|get me|give me|give|fetch|check|check on|check out|see|view|query|poll|dump|print|retrieve|pull|pull up|grab|tell|inspect|look at|look up|monitor|report|return|output|sample|obtain|find out|let me see|let me know|bring up|want to see|want to know|curious about|peek|peek at|acquire|measure|watch',
  readZh:
    '读|读取|读出|读出来|读一下|读下|读一读|读读|读个|采集|获取|取|取出|取一下|查|查看|查看一下|查询|查询一下|查一下|查下|查一查|查查|看|看看|看一下|看下|看一看|瞧瞧|瞅瞅|显示|显示一下|展示|报|报一下|报告|告诉我|告知|给我看|给我看看|了解|检查|检查一下|问一下|调出|调取|抄|抄一下|抄表|拿|拿一下|读值|采一下|监视|念一下|打印|列一下|读回来|读上来|采一采|瞄一眼|瞅一眼|瞅|瞧一眼|瞅下|瞅瞅看|瞧下|看哈|看哈子|扫一眼|看一眼|瞟一眼',
  // --- changing
  write: 'zero out|fill|fill in|fill up|write|writing|wrote|poke|send|store|put|load|force|program in|push|enter|preset|download',
  writeZh:
    '写|写入|写成|写为|写到|写进|写上|写个|写一下|下发|下写|下置|写下去|写下|发送|强制|强制为|灌|灌入|存入|填|填入|填成|填上|往|写死',
  set: 'set|change|adjust|modify|configure|assign|move|bring|make|update|alter|tune|switch|put|ramp|dial|turn|trim|setting to|change over',
  setZh:
    '设|设为|设成|设到|设定|设定为|设定成|设定到|设置|设置为|设置成|设置到|改|改成|改为|改到|更改|更改为|修改|修改为|修改成|变更为|变成|变为|调|调到|调成|调为|调至|调整|调整到|调整为|调整至|调节|调节到|调节至|置|置为|置成|拨到|打到|给到|给定|给定为|定为|定到|定在|整到|整成|弄到|弄成|搞到|搞成|换成|切到|切换到|切换为|切换成|控制在|控制到|保持在|维持在|改一下|设一下|调一下|设个|赋值|赋值为|赋为|赋|变到|调回|调回到|改回|设回|回到',
  up: 'raise|raises|increase|increment|boost|bump|bump up|turn up|speed up|step up|add|crank up|crank|ramp up|up|push up|lift|higher|bring up',
  upZh: '提高|升高|增加|加|加上|上调|调高|调大|升|提升|加大|开大|增大|抬高|往上调|调高一点|加快|提速|再加|多加|增|上升|升到|提高到|升高到|增加到|加到|上调到|上调至|调高到|调高至|提升到|提升至|加大到|开大到|提到|升至|提高至|涨|再开|再开大|再升|再提|再调高|往上加|拉高|拉高到|拉到|加高',
  down: 'lower|decrease|decrement|reduce|turn down|drop|cut|slow down|step down|subtract|bring down|take down|cut down|ramp down|down|dial down|dial back|back off|trim down|slow',
  downZh:
    '降低|减少|减|减去|下调|调低|调小|降|减小|关小|降下|往下调|减慢|减速|再减|再关|再关小|再降|再调低|下降|降到|降低到|减少到|减到|下调到|下调至|调低到|调低至|减小到|关小到|降至|降低至|压低|压到|往下降|往下减|拉低|拉低到|落到|调慢|降速',
  to: 'to|at|as|into|equal to|equals|equal|becomes|be at|up to|down to',
  toZh: '到|至|为|成|等于|至于',
  by: 'by',
  on: 'start|starts|start up|startup|turn on|switch on|power on|power up|run|energize|energise|enable|activate|fire up|kick on|kick off|begin|launch|get going|bring online|put on|restart pump|open up',
  onZh: '启动|起动|打开|开启|开|启|投入|投运|运行|运转|开动|合上|开机|开起来|启动起来|跑起来|转起来|打开它|起|启用|开一下|启一下|启动一下|给启动|送电|开泵|启泵|拉起来',
  off: 'stop|stops|turn off|switch off|power off|power down|shut down|shutdown|halt|kill|de-energize|deenergize|de-energise|deactivate|disable|cut off|take offline|shut off|trip|cease',
  offZh:
    '停|停止|关闭|关|关掉|停掉|停机|停下|停下来|停一下|关了|停了|关停|停运|关上|关机|停用|切断|停泵|关泵|关一下|给停了|给关了|停止运行|断电|退出运行',
  bitOn: 'on|true|high|energized|closed|active',
  bitOnZh: '置位|闭合|接通|吸合|通电|导通|得电|置高|真|合|通|开|打开|开启|置为真|置为on',
  bitOff: 'off|false|low|de-energized|inactive',
  bitOffZh: '复位|断开|释放|清零|清除|清|失电|断|置低|假|归零|关闭|关|关掉|关断|置为假|置为off|分',
  setBit: 'set|energize|energise|switch on|turn on|activate|latch',
  resetBit: 'reset|clear|de-energize|de-energise|switch off|turn off|deactivate|release|unset|unlatch',
  open: 'open|opens|opening up|crack open|open it',
  fullOpen:
    'fully open|open fully|full open|open completely|completely open|wide open|open all the way|all the way open|open to full|open it fully|open wide|open up fully',
  fullOpenZh: '全开|全打开|全部打开|完全打开|开到最大|开到底|开满|开足|全开启|完全开启|打到全开|开到头|开到全开|全部开启',
  close:
    'close|shut|closed fully|fully close|close fully|fully closed|completely close|close completely|shut fully|close all the way|closing|shut tight|fully shut',
  closeZh: '关闭|全关|关|关掉|关死|关严|关上|完全关闭|全部关闭|关到底|全关闭|关了|全关上|关到头|打到全关',
  half: 'half|halfway|half open|half way',
  halfZh: '一半|半开',
  // --- Modbus
  unitWord:
    'unit|units|slave|slaves|station|stations|unit id|slave id|slave address|unit address|station address|slave number|station number|unit number|slave device|slave no|unit no|station no|station id|node|server id|modbus id|modbus address|modbus unit|modbus slave|uid|slaveid|unitid|node id|stn|slv|rtu slave',
  unitWordZh:
    '从站|站号|站|从机|从站号|从站地址|站地址|从站站号|从机号|从机地址|单元号|单元|单元标识|从站编号|从站设备|从设备|分站|站点|号站|子站|从站id|设备号|站id|下位机',
  deviceWord: 'device|devices|controller|controllers|modbus device|modbus devices',
  deviceWordZh: '设备|装置|控制器|仪表',
  register: 'register|registers|reg|regs|word|words',
  registerZh: '寄存器|寄存器区|暂存器|字',
  holding:
    'holding register|holding registers|holding reg|holding regs|holding|holdings|hr|4x|4x register|4x registers|output register|output registers|hregs|hreg',
  holdingZh: '保持寄存器|保持型寄存器|保持暂存器|保持|4x寄存器|4区|4x区|保持区|保持字',
  inputReg:
    'input register|input registers|input reg|input regs|3x|3x register|3x registers|ir|analog input register|analog input registers|ireg|iregs',
  inputRegZh: '输入寄存器|输入型寄存器|输入暂存器|3x寄存器|3区|3x区|输入字|模拟量输入寄存器',
  inputBare: 'input|inputs',
  inputBareZh: '输入|输入点',
  coil: 'coil number|coil address|coil no|coil|coils|0x coil|discrete output|discrete outputs|digital output|digital outputs|coil output|relay coil',
  coilZh: '线圈|线圈寄存器|线圈输出|离散输出|数字量输出|开关量输出|0区|输出线圈|继电器线圈',
  discrete:
    'discrete input|discrete inputs|discrete|discretes|digital input|digital inputs|input status|input contact|input contacts|1x|contact input|input bit|input bits|discrete input status|discrete contact',
  discreteZh:
    '离散输入|离散量输入|离散输入点|开关量输入|数字量输入|离散输入寄存器|离散量|离散|触点输入|输入离散量|1区|离散输入量|输入状态|状态输入|数字输入|开关输入',
  fc: 'fc|function code|function codes|function|func|func code|f code|modbus function|modbus fc|fn code',
  fcZh: '功能码|功能号|功能代码|号功能码|功能',
  address:
    'address|addresses|addr|adr|addrs|starting address|start address|register address|location|index|register number|reg no|register no|coil number|coil address|begin address',
  addressZh: '地址|起始地址|开始地址|首地址|寄存器地址|寄存器号|线圈地址|位置|点号|起始寄存器|寄存器编号|线圈号|起始位置|首址|起始点',
  zeroBased:
    'zero-based|zero based|0-based|0 based|protocol address|protocol addresses|offset|offsets|raw address|pdu address|wire address|protocol|zero-based address|zero based address|0-based address',
  zeroBasedZh: '协议地址|偏移|偏移量|偏移地址|从0计|零基|从零计|从0起算|0基|零基地址|从零开始计数|从0开始计数|协议偏移|以0为起点',
  start:
    'from|starting at|starting from|start at|start from|beginning at|beginning from|begin at|starting|begins at|starts at|start|beginning|@|begin from|from address|starting address',
  startZh: '从|自|起始|起始于|开始于|起点',
  startAfterZh: '开始|起|起始|打头|开始的|起的|开头|往后|以后|之后|起连续|开始连续|开始往后',
  count: 'count|qty|quantity|length|len|number of registers|size|num|amount|total of|count of|quantity of|length of',
  countZh: '长度|数量|个数|共|一共|总共|共计|总计|连续|合计|读取数量|读取长度|寄存器数|寄存器数量|点数|连着|计|数目',
  measure: 'points|point|values|value|bits|bit|items|elements|entries|pcs|channels',
  measureZh: '个|点|位|个点|只|路',
  first: 'first|the first|initial|leading',
  firstZh: '前|头|前面|最前面|前头|最前',
  ordinal: 'ordinal',
  ordinalZh: '第',
  int16:
    'int16|signed|signed int|signed 16|short|int16s|signed integer|signed 16-bit|s16|i16|16-bit signed|signed value|signed values|signed integers|signed int16|signed word|signed 16 bit|16 bit signed',
  int16Zh:
    '有符号|有符号数|有符号整数|带符号|带符号数|有符号16位|16位有符号|有符号短整型|有符号的|有符号整型|带符号整数|16位有符号整数|16位有符号数',
  uint16:
    'uint16|unsigned|uint16s|unsigned int|unsigned 16|u16|ushort|unsigned 16-bit|16-bit unsigned|unsigned integer|unsigned integers|unsigned value|unsigned values|unsigned 16 bit|16 bit unsigned',
  uint16Zh: '无符号|无符号数|无符号整数|无符号16位|16位无符号|无符号的|无符号整型|16位无符号整数|16位无符号数',
  int32:
    'int32|int32s|dint|signed 32|signed 32-bit|32-bit signed|s32|i32|long|32-bit integer|32-bit integers|32 bit integer|32 bit integers|32-bit int|32-bit ints|32 bit int|signed int32|signed 32 bit|32 bit signed|32-bit signed integer|32-bit signed integers|signed 32-bit integer|signed 32-bit integers|signed 32-bit ints',
  int32Zh: '32位整数|有符号32位|32位有符号|长整型|32位有符号整数|32位整型|双整型|有符号32位整数|32位有符号数|长整数',
  uint32:
    'uint32|uint32s|udint|dword|dwords|unsigned 32|unsigned 32-bit|32-bit unsigned|u32|double word|double words|unsigned int32|unsigned 32 bit|32 bit unsigned|32-bit unsigned integer|32-bit unsigned integers|unsigned 32-bit integer|unsigned 32-bit integers',
  uint32Zh: '无符号32位|32位无符号|32位无符号整数|无符号32位整数|无符号长整型|双字|32位无符号数',
  float32:
    'float32|float|floats|float32s|floating point|floating-point|real|reals|single precision|ieee754|ieee 754|floating|float value|float values|float 32|32-bit float|32-bit floats|32 bit float|32 bit floats|fp32',
  float32Zh: '浮点数|浮点|浮点型|单精度|单精度浮点|单精度浮点数|浮点值|32位浮点数|32位浮点|实数|浮点类型|float型|float类型',
  valueWord: 'value|values|data|with value|with values|with|the value|the values|number',
  valueWordZh: '值|数值|数据|值为|数据为|数值为|的值|内容|值是',
  // --- undo
  undo: 'undo|revert|roll back|rollback|undo it|roll that back|roll it back|roll this back|reverse|take back|undoing|unwrite|reverted|put back',
  undoZh: '撤销|撤消|恢复|回退|回滚|还原|撤回|反悔|取消上次|取消上一次|取消刚才|取消刚刚|退回|撤掉|撤',
  undoable:
    'write|writes|change|changes|action|actions|operation|operations|step|steps|modification|modifications|edit|edits|setting|command|commands|writing|adjustment|adjustments',
  undoableZh: '写|写入|写操作|操作|修改|改动|更改|步|设置|变更|动作|次写入|次写操作|次修改|次操作|写值|调整|设定|写命令|命令',
  times: 'times|time',
  timesZh: '次|回|步|笔|遍',
  lastWord: 'last|latest|most recent|previous|recent|just|past|preceding',
  lastWordZh:
    '上一次|上次|上一个|上一步|上一笔|最近|最近一次|最后|最后一次|刚才|刚刚|刚|前一次|上一|最近的|刚才的|刚刚的|上一条|方才|前|最近的一次|最后的',
  // --- ports, scan, connect
  ports:
    'serial port|serial ports|com port|com ports|comport|comports|serial|serials|serial interface|serial interfaces|serial line|rs485 port|rs485 ports|rs232 port|rs232 ports|tty|ttys|port list',
  portsZh: '串口|串行口|串口号|com口|串行端口|串口列表|com端口|串口设备|rs485口|485口|232口',
  port: 'port|ports|tcp port',
  portZh: '端口|端口号|口|tcp端口',
  scan: 'scan|scanning|rescan|sweep|discover|probe|search|search for|look for|find|detect|ping|hunt for|locate|enumerate|scan for|discovery|find all|find out which',
  scanZh:
    '扫描|扫一下|扫一扫|扫扫|扫|扫下|搜索|搜一下|搜|搜寻|探测|寻找|找一下|找找|找|发现|检测|轮询一遍|扫一遍|扫站|扫描一下|探一下|探查|扫个|巡检一遍',
  connect:
    'connect|connecting|connect to|open|link|link to|attach|attach to|hook up|establish|dial|reconnect|reconnect to|hook up to|join|log into|establish a connection|establish connection|open a connection|open connection',
  connectZh:
    '连接|连|连一下|连上|连接到|连接上|连到|接上|接入|打开|建立连接|重连|重新连接|接到|联机|连通|连下|开一下|建立|连接一下|链接|接一下|打开一下',
  disconnect: 'disconnect|close connection|close the connection|hang up|unplug',
  disconnectZh: '断开连接|断开链接|断连|关闭连接|断开与',
  baud: 'baud|baudrate|baud rate|bps|bauds|speed',
  baudZh: '波特率|速率|波特',
  dataBits: 'data bits|data bit|databits|databit',
  dataBitsZh: '数据位|位数据位|位数据|个数据位',
  stopBits: 'stop bits|stop bit|stopbits|stopbit',
  stopBitsZh: '停止位|位停止位|位停止|个停止位',
  parityNone: 'no parity|none parity|parity none|parity no|without parity|parity: none|non parity|parity n',
  parityNoneZh: '无校验|不校验|没有校验|无奇偶校验|校验无|校验位无|无校验位|none校验|校验none|无检验|校验位为无|n校验|奇偶校验无',
  parityEven: 'even parity|parity even|even|parity e',
  parityEvenZh: '偶校验|校验偶|校验位偶|even校验|偶效验|e校验|偶校验位|校验位为偶',
  parityOdd: 'odd parity|parity odd|odd|parity o',
  parityOddZh: '奇校验|校验奇|校验位奇|odd校验|o校验|奇校验位|校验位为奇',
  network: 'network|subnet|lan|segment|net|ip range',
  networkZh: '网段|子网|局域网|网络',
  bus: 'bus|line|rs485 bus|modbus bus|fieldbus|rs485|modbus network|485 bus|wire|rs-485',
  busZh: '总线|485总线|现场总线|485|线路|modbus总线|链路|rs485总线',
  // --- history
  trend:
    'trend|trends|trending|plot|plots|chart|charts|graph|graphs|curve|curves|draw|history of|trend line|trendline|trend chart|trend graph|trend curve|plot of|time series|history|historical trend|visualize|visualise|line chart|trend plot|history curve|historical curve|history chart',
  trendZh:
    '趋势|趋势图|曲线|曲线图|画|画一下|画个|画出|绘制|画图|走势|走势图|变化曲线|历史曲线|图表|折线图|变化趋势|趋势线|图|画一张|画张|作图|绘图|画一条|历史趋势|变化情况|波形|画画|历史数据|走向|历史记录|画下',
  max: 'max|maximum|highest|peak|biggest|largest|maximal|max value|maximum value|peak value|highest value|top|hottest|high point|greatest|upper extreme|how high did|maxima|maximum of',
  maxZh:
    '最高|最大|最大值|最高值|峰值|最高点|最高到|最高达到|最高多少|最大多少|最高达|顶峰|极大值|最大到|高峰|最高是|最大是|最快|最大达到|最高曾|尖峰',
  min: 'min|minimum|lowest|smallest|minimal|min value|minimum value|bottom|least|coldest|lowest value|trough|low point|how low did|minima|valley',
  minZh: '最低|最小|最小值|最低值|谷值|最低点|最低到|最低达到|最低多少|最小多少|极小值|最低是|最小是|最低达|最小到|最慢|最低曾|低谷',
  avg: 'average|avg|mean|averaged|average of|average value|mean value|on average|averages|mean of|aver',
  avgZh: '平均|平均值|均值|平均数|平均多少|平均是|平均到|平均下来|均',
  above:
    'above|over|exceed|exceeds|exceeded|exceeding|greater than|higher than|more than|larger than|went above|go above|goes above|went over|go over|goes over|rise above|rose above|surpass|surpassed|beyond|top|topped|bigger than|at least',
  aboveZh: '超过|高于|大于|超出|超限|越限|超标|高过|超|以上|超了|多于|突破|越过|超过了|大过|冲过|高出',
  below:
    'below|under|less than|lower than|smaller than|fall below|fell below|drop below|dropped below|went below|go below|goes below|drops below|falls below|went under|dropped under|dip below|dipped below|beneath|dips below|drop under|fell under',
  belowZh: '低于|小于|少于|不足|低过|以下|跌破|掉到|跌到|低于了|不到|小过|跌落到',
  howMany:
    'how many|how many times|how often|number of times|number of|count|count of|counts|counting|times|count the|count how many|how frequently|total number of|tally|occurrences|occurrences of|count up|number of occurrences',
  howManyZh:
    '几次|多少次|多少回|几回|次数|有几次|有多少次|出现几次|多少个|几个|多少条|几条|统计次数|计数|发生几次|数一下|数数|几起|多少起|数量|多少|总次数|几遍|多少遍|有多少|共几次|多少笔|几笔|数一数|频次|统计|统计一下|统计下',
  list: 'list|show|show all|show me|find|display|give me|print|view|see|get|enumerate|lists|list out|list all|which|pull up|pull|what are|search|look up|check|dump|fetch|bring up|any|were there any|are there any|did any|what',
  listZh:
    '列出|列一下|列|列表|查|查一下|查看|查看一下|查询|查下|看看|看一下|看|显示|有哪些|哪些|列举|给我看|找出|找一下|调出|有什么|查找|翻一下|搜|搜一下|筛出|筛选|罗列|列出来|检索|展示|都有哪些|打开|找|看下|调取|导出来看看|有没有|是否有|查一查|查查|找找|捞一下|捞出',
  summarize:
    "analyse|analyze|analysis|summarise|summarize|summary|summary of|what happened|sum up|review|digest|overview|analysis of|recap|give me a summary|what went wrong|what has happened|analyzing|go through|look through|explain what happened|break down|report on|wrap up|what's happened|diagnose|summarising|what happened to|what happened with|what is happening|went wrong",
  summarizeZh:
    '分析|分析一下|分析下|总结|总结一下|汇总|汇总一下|归纳|概括|发生了什么|发生了啥|发生什么|怎么回事|出了什么问题|复盘|综述|小结|概述|梳理|梳理一下|解读|出了啥事|发生过什么|发生啥|归纳一下|总结下|诊断|诊断一下|概况|做个总结|出了什么事|出什么事了|出了哪些问题|盘点',
  log: 'log|logs|log file|logfile|communication log|comm log|comms log|event log|event logs|communication logs|communications log|comms|communication|message log|journal|event|events|records|record|logbook|incident|incidents|comm|traffic log|bus log|entries',
  logZh:
    '日志|通信日志|通讯日志|日志文件|事件|记录|通信记录|通讯记录|运行日志|事件日志|通信|通讯|报文日志|操作日志|事件记录|流水|操作记录|报文|总线日志|历史日志|通信情况|通讯情况|通信状况',
  timeoutTopic:
    "timeout|timeouts|time-out|time-outs|time out|time outs|timed out|timing out|times out|no response|no responses|no reply|no answer|not responding|does not respond|did not respond|non-responses|unresponsive|not answering|doesn't respond|doesn't answer|not respond|never answers|etimedout|does not answer|response timeout|response timeouts|communication timeout|communication timeouts|comm timeouts|comm timeout|timed-out|missed replies",
  timeoutTopicZh:
    '超时|通信超时|通讯超时|无响应|没响应|没有响应|不响应|响应超时|无应答|没应答|不应答|没有应答|无回应|没回应|没有回应|未响应|读超时|超时错误|从站无响应|不回应|不回|没回复|超时报警|请求超时|超时了',
  crcTopic:
    'crc|crc error|crc errors|crc check|checksum|checksum error|checksum errors|crc failure|crc failures|crc fault|crc faults|crc mismatch|crc mismatches|bad crc|bad crcs|checksum failures|checksum failure|crc check failed|checksum mismatch|crc16|crcs',
  crcTopicZh:
    'crc错误|crc|crc校验|crc校验错误|校验错误|校验和错误|校验失败|crc校验失败|crc错|crc报错|校验出错|crc错帧|校验码错误|crc不对|校验不通过|crc异常|crc故障|crc出错|crc问题|crc失败|crc校验出错|校验和',
  exceptionTopic:
    'exception|exceptions|exception response|exception responses|modbus exception|modbus exceptions|exception reply|exception replies|exception code|exception codes|error code|error codes|exceptional responses|modbus error|modbus error code|err code|modbus exception code|modbus error codes|error response',
  exceptionTopicZh:
    '异常|异常码|异常响应|异常代码|异常应答|异常码为|错误码|错误代码|异常报文|modbus异常|异常回复|异常返回|功能异常|故障码|故障代码|modbus异常码|modbus错误码|报错码|异常返回码|例外码|modbus错误代码|异常功能码|报警码',
  disconnectTopic:
    'disconnect|disconnects|disconnection|disconnections|connection loss|connection losses|lost connection|lost connections|dropped connection|dropped connections|connection drop|connection drops|dropout|dropouts|drop-outs|link loss|went offline|go offline|offline|link drops|link down|disconnected|lost link|connection lost|connections lost|drops|lost the connection|lose connection|lose the connection|dropped offline|drop offline|outage|outages|link failures|lost contact',
  disconnectTopicZh:
    '断线|通信断|通讯断|连接断|网络断|信号断|掉线|断开|断连|断网|离线|连接断开|连接丢失|通信中断|通讯中断|掉站|失联|断联|连接中断|链路中断|断链|脱机|掉链|断线情况|断开连接|掉线情况|通信断开|通讯断开',
  writeTopic:
    'write|writes|written|writing|write operation|write operations|written values|write log|write history|write records|write commands|value changes|writes made|write requests|who wrote|wrote',
  writeTopicZh: '写入|写操作|写|写入记录|写操作记录|写过|写记录|写命令|写请求|写入操作|写值记录|写值操作|写动作|写值|写入命令|写过的|写的',
  alarmTopic: 'alarm|alarms|alert|alerts|warning|warnings|alarm history|alarm log|alarm list|alarming|alarm records|alarm events',
  alarmTopicZh: '报警|告警|警报|报警记录|报警信息|告警记录|报警历史|警告|告警信息|预警|报警事件|历史报警|告警事件|报警情况|报警日志',
  anyTopic:
    'error|errors|fault|faults|problem|problems|issue|issues|failures|failure|communication error|communication errors|comm error|comm errors|communication fault|communication faults|communication failures|communication problems|comm problems|comms errors|communication issues|mistakes|trouble|troubles',
  anyTopicZh:
    '错误|故障|问题|通信错误|通讯错误|通信故障|通讯故障|出错|报错|失败|通信失败|通讯失败|通信问题|通讯问题|毛病|错|通信异常|通讯异常',
  happened:
    'occur|occurs|occurred|happen|happens|happened|see|seen|experience|experienced|have we had|there been|were there|did we have|we had|went|go|goes|made|been made|reach|reached|hit|reaching|get to|did we get|did it get|did we see|come|came|appeared|recorded|logged|took place|show up|showed up|have there been|was there|get|got|rise|rose|fall|fell|climb|climbed|peaked|reports|reported|came in|raised|triggered|fired|performed|executed|done',
  happenedZh:
    '出现|出现过|发生|发生过|出现了|发生了|有过|达到|达到过|达到了|到过|出过|产生|产生了|产生过|报过|报了|触发|触发过|触发了|出了|执行过|做过|执行了|做了|进行了|进行过|来过|有了|存在|存在过|有没有过|总共有|一共有|共有',
  // --- tags, errors, help
  tags: 'tag|tags|point|points|variable|variables|signal|signals|tag list|tag names|data point|data points|taglist|tag name|channels|measuring points|process points|io points|monitored points|datapoints|measurement points|points list',
  tagsZh:
    '点位|标签|测点|变量|点表|点|位号|信号|数据点|监测点|参数|点名|采集点|量|测点表|点位表|监控点|变量表|标签表|位号表|点位清单|测点清单|变量名|数据标签|点位列表|测量点|工艺点',
  writable:
    'writable|writeable|write-able|can be written|can write|may write|be written|can i write|can be changed|be changed|can be set|be set|i can write|allow writing|allow writes|changeable|settable|can i change|can i set|we can write|can we write|i can change|can change|controllable|adjustable|read-write|read/write|read write|allowed to write|rw|can be modified|be modified|i can set|can we change|can we set|can be adjusted|be adjusted|can be written to|be written to|write access|editable|can i adjust|can i modify|i am allowed to write',
  writableZh:
    '可写|可以写|能写|可写的|允许写|可写入|可以写入|能写入|可修改|可以修改|能修改|可以改|能改|可改|可设置|可以设置|能设置|可以设定|可调|可以调|能调|支持写|可读写|允许写入|可设|可控|可以控制|允许修改|能写的|可以写的|可更改|可操作|可以更改|可读可写|可设定|可以调整|能调整|可调整|允许改|读写',
  readonly:
    "read-only|read only|readonly|cannot be written|can't be written|not writable|can not be written|can only be read|only be read|only readable|non-writable|nonwritable|unwritable|not writeable|ro|cannot be changed|can't be changed|can't write|cannot write|can't i write|can i not write|be read only|can i only read|not be written|can't be modified|write-protected|write protected|can't change",
  readonlyZh:
    '只读|只能读|不可写|不能写|仅可读|不可以写|只可读|不能写入|不能改|不可修改|不能修改|不允许写|禁止写|只能看|不可改|不可写入|只能读取|写保护|只能读不能写|仅读',
  meaning:
    "mean|means|meaning|meaning of|explain|explanation|stand for|stands for|cause|causes|reason|reason for|interpret|signify|signifies|what causes|solve|fix|resolve|troubleshoot|indicate|indicates|definition|define|caused by|describe|keep getting|keeps getting|kept getting|i get|do i get|am i getting|are we getting|i am getting|i'm getting|getting|cure|deal with|handle|get rid of",
  meaningZh:
    '什么意思|是什么意思|啥意思|意思|含义|代表什么|表示什么|解释|解释一下|解释下|说明|说明一下|怎么回事|是怎么回事|咋回事|原因|为啥|为什么|什么原因|怎么解决|怎么处理|怎么办|咋办|如何解决|如何处理|怎么排查|如何排查|是什么|是啥|什么情况|啥情况|指什么|指的是什么|什么问题|啥问题|啥原因|怎么搞的|咋整|什么故障|啥故障|何意|代表啥|表示啥|什么含义|意味着什么|是什么故障|是什么错误|什么错误|老是|总是|一直|一直报|老报|总报|咋解决|咋处理|排查|是何意|说的是什么|什么鬼|说明什么',
  why: "why|how come|why do|why does|why did|why is|why are|what causes|what's causing|reason why|why am i|why do we|why do i",
  whyZh: '为什么|为啥|怎么回事|为何|咋回事|何故|怎么会',
  portBusy:
    "port busy|port is busy|port in use|port is in use|access denied|access is denied|already in use|port already in use|device busy port|is busy|in use|port occupied|is occupied|already open|busy port|being used by another|used by another program|used by another application|permission denied|ebusy|eacces|resource busy|is being used|cannot open the port|can't open port|port locked|port is already in use|port is already open|occupied",
  portBusyZh:
    '串口被占用|端口被占用|被占用|占用|串口占用|拒绝访问|访问被拒绝|端口占用|串口忙|端口忙|口被占|被占了|打不开|被别的程序占用|被其他程序占用|访问被拒|串口打不开',
  refused:
    'connection refused|connection was refused|refused|econnrefused|refuses connection|refused connection|refused to connect|refuses the connection|connect refused|connection is refused|connections refused|refusing connections|refuse the connection|actively refused|connection got refused',
  refusedZh: '连接被拒绝|连接被拒|拒绝连接|被拒绝|连接拒绝|被拒绝连接|拒绝了连接|拒连|连接遭拒|连接被对方拒绝|积极拒绝|被拒',
  help: 'help|what can you do|what do you do|what can i do|what can i ask|what are you able to do|how does this work|what are your capabilities|what can you help me with|what can you help with|capabilities|usage|manual|what commands|which commands|commands|what requests|what do you support|what can handrail do|how do i use this|how to use this|what functions|what features|features|user guide|instructions|what else can you do|what are you capable of|show help|what can i type|what can i say|how can you help|what kind of requests|how do i use you|how do you work|what is possible|tutorial|what are my options|what tasks|what all can you do|what can this do|what can this tool do|what does this tool do|what can this program do|what can this software do|what are you good for|your functions|your features|your capabilities|how can you help me|help me',
  helpZh:
    '你能做什么|你会做什么|你可以做什么|你能干什么|你能干啥|你会干什么|你会什么|你会啥|帮助|有什么功能|有哪些功能|能做什么|可以做什么|能干什么|能干啥|可以干什么|怎么用|怎么使用|如何使用|使用说明|使用帮助|功能介绍|你有什么功能|你有哪些功能|你能帮我做什么|你能帮我干什么|支持哪些功能|支持什么|都能做什么|都能干什么|你都会什么|都会些什么|能帮我做什么|帮助文档|你能做啥|能做啥|你会些什么|使用方法|操作说明|有哪些命令|支持哪些命令|可以问什么|能问什么|我可以问什么|我能问什么|怎么用你|你是干什么的|你是做什么的|怎么操作|你都能做什么|你都能干啥|都能干啥|会做什么|你的功能|说明书|操作手册|用法|支持哪些操作|能做哪些事|你能做哪些事|能做些什么|你能做些什么|你可以帮我做什么|可以帮我做什么|能提供什么功能|什么功能|哪些功能',
  howTo:
    "how do i|how do you|how can i|how to|how do we|how would i|how should i|how can you|how can we|how does one|how could i|show me how to|tell me how to|teach me how to|teach me to|explain how to|what is the way to|what's the way to|what is the command to|what's the command to|what is the command for|what's the command for|way to|steps to|help with|help me with|help on|help about|explain how i|what do i type to|what should i type to|what should i say to|what do i say to|how shall i|how must i|how am i supposed to|how do one|how is|what's the best way to|instructions for|instructions to|how would you|where can i|where do i|how does|how 2|how i can|how i|guide me to|guide to",
  howToZh:
    '怎么|怎样|如何|怎么才能|怎样才能|咋|怎么样才能|该怎么|要怎么|应该怎么|怎么去|怎么来|教我|教教我|教我怎么|怎么给|怎么把|如何才能|要如何|该如何|要怎样|咋样才能|怎么能|教一下|告诉我怎么|说说怎么|怎么用你|怎么让你|怎么进行|如何进行|怎么做|的方法|的步骤|咋样',
} as const;

/** Nouns of the plant that may stand in a tag name nobody has defined: with them "what is the …" asks for a value. */
export const plantNouns =
  'temperature|temp|pressure|level|flow|flowrate|speed|rpm|frequency|freq|current|voltage|power|energy|torque|humidity|position|opening|valve|pump|fan|blower|motor|tank|boiler|chiller|compressor|turbine|generator|heater|burner|cooler|cooling|tower|mixer|agitator|conveyor|furnace|reactor|exchanger|condenser|evaporator|drum|steam|water|air|oil|gas|fuel|feedwater|inlet|outlet|supply|suction|discharge|vibration|conductivity|ph|turbidity|oxygen|density|weight|setpoint|sensor|transmitter|drive|vfd|inverter|plc|filter|vacuum|silo|hopper|crusher|damper|exhaust|flue|combustion|deaerator|economizer|superheater|bearing|winding|header|pipe|line|belt|roller|oven|kiln|dryer|vessel|separator|centrifuge|cylinder|lamp|heat|consumption|efficiency|co2|o2|nox|brine|sump|reservoir|pit|basin|lube|hydraulic|coolant|dosing|concentration|moisture|thickness|tension|room|battery|ups|transformer|breaker|relay|probe|condensate|makeup|circulation|exhauster|screw|feeder|vent|gate|nozzle|slurry|sludge|chlorine|wind|solar|humidifier|hvac|ahu|outdoor|indoor|ambient|dewpoint|indoor|refrigerant|crane|elevator|robot|spindle|extruder|mold|mould|winder|actuator|regulator';
export const plantNounsZh =
  '温度|压力|液位|水位|料位|流量|转速|速度|频率|电流|电压|功率|电量|电能|能耗|扭矩|湿度|位置|开度|阀|阀门|泵|风机|鼓风机|引风机|送风机|电机|马达|罐|储罐|水箱|油箱|锅炉|冷却塔|冷水机|冷机|制冷机|压缩机|空压机|汽轮机|透平|发电机|加热器|燃烧器|冷却器|搅拌|搅拌机|搅拌器|输送带|皮带|皮带机|炉|炉膛|反应釜|换热器|冷凝器|蒸发器|汽包|蒸汽|水|空气|油|气|燃料|燃气|给水|进水|出水|回水|供水|进口|出口|入口|吸入|排气|振动|电导率|电导|浊度|溶解氧|氧量|含氧量|密度|重量|负荷|负载|设定值|设定|传感器|变送器|变频器|过滤器|滤网|真空|真空度|料仓|破碎机|风门|烟气|烟道|除氧器|省煤器|过热器|轴承|绕组|管道|母管|产线|烘箱|窑|干燥机|分离器|离心机|气缸|灯|产量|效率|浓度|含水率|厚度|张力|室内|室外|室温|环境|电池|变压器|断路器|开关|继电器|凝结水|补水|循环水|循环泵|热水|冷水|冷冻水|冷却水|余氯|给煤机|磨煤机|螺杆|喷嘴|污泥|计数|产品|车间|仓库|配电室|机房|电表|水表|机组|机械手|机器人|主轴|模具|注塑机|挤出机|风速|风量|风压|光照|热量|露点|加药|药剂|计量泵|油温|水温|气温|油压|水压|气压|油位|转矩|扬程|差压|酸碱度|二氧化碳|闸门|电梯|行车|吊车|照明|空调|除尘器|给料机|振动筛|提升机|卷扬机|辊道|轧机|炉压|炉渣|上水|下水|排水|排污|消防|净水|原水|清水|污水|总管|支管|执行器|调节阀|电磁阀|截止阀|安全阀|疏水阀|蝶阀|球阀|放空阀|排气阀|出水阀|回水阀|旁通阀';

/** Frequent English words that are nobody's typo and nobody's tag: they end a name, and never become another word. */
export const commonEnglish =
  'about|after|again|against|ago|all|almost|along|already|although|always|among|another|anybody|anyone|anything|anyway|because|become|before|begin|behind|believe|below|best|better|between|bring|broken|build|busy|but|buy|call|came|care|case|cause|come|coming|cool|cost|could|day|days|different|down|during|early|either|else|end|enough|even|ever|every|everybody|everyone|everything|fact|far|fast|feel|few|fine|follow|food|friend|fun|give|gone|good|great|hand|happy|hard|hear|hold|home|hope|hour|hours|house|idea|if|important|instead|joke|keep|kind|knew|know|known|large|late|later|learn|least|leave|left|less|life|like|little|live|long|look|lot|love|man|many|maybe|mean|meet|mind|minute|minutes|month|more|most|much|must|name|near|never|new|news|next|nice|nobody|none|normal|not|nothing|off|often|old|one|only|other|our|own|part|people|person|place|play|please|point|poor|pretty|problem|really|reason|remember|rest|road|same|second|seem|seen|sell|shop|short|side|since|sleep|slow|small|soon|sorry|sort|still|story|strong|such|sun|sure|take|talk|than|thank|that|their|them|then|they|thing|things|think|though|thought|three|time|tired|together|told|tomorrow|too|tree|true|try|two|type|under|understand|until|very|wait|walk|want|warm|watch|way|wear|week|weeks|well|went|were|where|whether|while|white|whole|whom|whose|wife|win|wish|within|woman|word|work|world|worry|would|wrong|year|years|yes|yet|young|your|yourself|ready|real|road|bread|tread|step|stay|task|tell|test|text|thank|tend|send|lead|load|list|lost|last|fast|past|post|best|rest|cost|port|part|sort|short|stop|shop|start|smart|stars|storm|tank|rank|bank|lane|line|like|life|lift|list|live|love|oven|even|ever|never|level|lever|jump|dump|lump|lamp|camp|damp|pump|unit|units|until|coal|coil|cool|soil|oil|boil|boiler|broiler|wire|write|white|wrote|quote|value|valve|valid|plan|plane|plant|plot|slot|spot|slow|show|snow|flow|follow|floor|flour|four|five|six|seven|eight|nine|ten|fore|force|forge|form|from|farm|firm|film|fill|full|fully|pull|push|bush|rush|crash|trash|brush|mode|model|modem|node|note|code|core|care|card|hard|heard|board|read|dead|deal|meal|seal|heal|heat|seat|meat|beat|team|steam|stream|dream|cream|clean|clear|learn|earn|near|hear|fear|year|gear|bear|wear|tear|poem|song|music|movie|weather|email|mail|message|phone|write|letter|rain|sunny|dinner|lunch|recipe|game|football|stock|price|capital|president|country|translate|song|sing|dance|python|script|essay|paper|book|birthday|holiday|hotel|flight|ticket|bitcoin|meaning|history|firmware|program|schedule|delete|erase|remove|install|upgrade|backup|password|user|users|account|report|export|import|alone|without|whatever|whenever|someone|something|somewhere|anywhere|shift|morning|evening|night|noon|midnight|afternoon|tonight|yesterday|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter|red|green|blue|black|yellow|orange|cat|dog|fox|brown|quick|lazy|over|foo|bar|baz|qux|lorem|ipsum|dolor|sit|amet|talking|working|worse|worst|might|right|light|fight|sight|tight|eight|weight|height|either|neither|neighbor';
