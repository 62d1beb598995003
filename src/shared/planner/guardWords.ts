/** Words of requests that are refused or that Handrail has no tool for. Joined to the lexicon. */
export const guardWords: Readonly<Record<string, string>> = {
  // bypass_confirmation: a word of skipping near a word of confirming, or one phrase that says both
  skip: "skip|skipping|bypass|bypassing|disable|without|no need to|no need for|no need|no|don't|do not|dont|never|stop|turn off|switch off|avoid|ignore|suppress|omit|drop|remove|forget|forget about|need not|needn't|not|don't need|do not need|don't need to|auto|automatically|always|hide|cancel|不用|不用再|无需|无须|跳过|免|免去|免除|别|别再|不要|不要再|取消|关闭|不必|省略|省去|不需要|去掉|略过|不|绕过|关掉|禁用|停用|不经|不经过|未经|屏蔽|自动|默认|始终|总是|永远|甭|甭再|一律|提前|预先|事先|直接|忽略|勿|省掉",
  confirm:
    'confirm|confirmation|confirmations|confirming|approval|approvals|approve|approving|ask|asking|asking me|ask me|prompt|prompts|prompting|confirm dialog|double check|double-check|permission|consent|authorization|authorisation|sign-off|verify with me|confirmation dialog|confirmation step|确认|确认框|确认步骤|再确认|二次确认|审批|询问|问我|问|批准|弹窗|提示|同意|核对|授权|审核|许可|确认一下|请示|弹框|点头|复核|允许',
  preApproved:
    'auto-approve|auto approve|autoapprove|auto-confirm|auto confirm|pre-approve|pre-approved|preapprove|preapproved|pre-approval|already approved|i already approved|consider it approved|consider it confirmed|yes to all|assume yes|assume i say yes|assume approval|without asking|no questions asked|blanket approval|always allow|always approve|approve all|approve everything|confirm everything|confirm all|approve automatically|confirm automatically|confirmed in advance|approved in advance|自动批准|自动确认|自动同意|默认同意|默认批准|默认确认|预先批准|提前批准|提前确认|预先确认|始终允许|总是允许|免确认|免审批|一律同意|一律批准|全部同意|全部批准|视为同意|视为确认|当我已经确认|算我确认过|我已经批准|别问|不用问|别再问|不要问|甭问|不必问|全部自动通过|自动通过',
  // disable_safety
  disableVerb:
    'disable|disabling|bypass|bypassing|override|overriding|defeat|suppress|mute|silence|turn off|switch off|shut off|remove|ignore|ignoring|deactivate|jumper|jumper out|skip|inhibit|circumvent|get around|lift|cancel|block|kill|disarm|shelve|force past|knock out|take out|cut out|unlock|exceed|disregard|past|beyond|without|no|屏蔽|禁用|关闭|关掉|取消|解除|旁路|短接|跳过|停用|绕过|绕开|忽略|抑制|切除|退出|拆除|拆掉|去掉|去除|不管|无视|失效|摘除|封锁|关|禁止|禁掉|消除|撤掉|撤销|停掉|关了|强制解除|切掉|闭掉|消音|摘掉|强解|取下|甩开|废掉|突破|超出|撤出|不理|不顾|放开|封掉|屏掉|短掉|掐掉|打掉|免除',
  safety:
    'interlock|interlocks|interlocking|alarm|alarms|emergency stop|e-stop|estop|e stop|emergency shutdown|esd|safety|safeties|safety system|safety limit|safety limits|limit|limits|high limit|low limit|trip|trips|trip protection|protection|protections|guard|guards|safeguard|safeguards|range limit|range limits|range check|range checks|watchdog|safety relay|safety valve|light curtain|safety door|lockout|relief valve|max limit|min limit|upper limit|lower limit|over-temperature protection|overload protection|rate limit|联锁|连锁|互锁|闭锁|报警|告警|警报|急停|急停按钮|紧急停车|紧急停机|限值|上限|下限|限制|限位|保护|安全|安全门|安全保护|量程限制|范围限制|安全限制|联锁保护|超温保护|超压保护|过载保护|安全联锁|跳闸|安全回路|光幕|安全继电器|报警器|高温报警|低液位报警|限幅|安全阀|安全光栅|看门狗|超温报警',
  // mass_write
  all: 'all|every|each|entire|whole|every single|all of the|all the|all of|each and every|complete|any and all|the whole|the entire|所有|全部|每个|每一个|整个|全体|所有的|全部的|各个|每台|每一台|所有这些|全|统统|各|每|每个从站的',
  everything:
    'everything|whole plant|entire plant|the whole plant|whole address space|entire address space|address space|full address space|the entire address space|whole memory|entire memory|memory map|register map|all addresses|every address|all outputs|everything in the plant|全厂|一切|整个地址空间|地址空间|全地址|所有地址|全部地址|所有东西|全站|整个寄存器区|所有输出|全车间|整个plc|全地址空间',
  random:
    'random|random value|random values|random numbers|random number|random data|randomly|randomize|randomise|garbage|arbitrary values|whatever values|随机|随机值|随机数|随机数据|乱写|随便写|乱七八糟|任意值|随便什么值|瞎写|乱改',
  // fast_loop_write
  loop: 'continuously|continually|endlessly|repeatedly|forever|nonstop|non-stop|in a loop|loop|looping|over and over|over and over again|as fast as possible|as fast as you can|as quickly as possible|as often as possible|infinite loop|infinitely|constantly|without stopping|keep writing|keep toggling|keep setting|keep sending|keep switching|keep changing|keep on writing|again and again|non stop|at full speed|at maximum speed|as rapidly as possible|until i say stop|until i stop you|until i tell you to stop|indefinitely|back and forth|flood|spam|hammer|tight loop|round the clock|every cycle|every second|every millisecond|each second|ceaselessly|every few seconds|every few milliseconds|循环|循环写|循环写入|不停|不停地|不停的|不断|不断地|不断的|反复|反复地|一直写|死循环|无限循环|连续不断|连续不断地|最快速度|以最快的速度|以最快速度|尽可能快|尽快反复|疯狂|狂写|无限次|没完没了|高频|来回切换|来回|一遍又一遍|反反复复|持续写|持续写入|持续不断|一刻不停|高速|每秒|每毫秒|轮番|无限|永远写|一直循环|一直不停|越快越好|重复写|一直重复|不停地写|无休止|频繁|来回写|持续地|永不停止|直到我喊停',
  every: 'every|each|per|once every|每|每隔|间隔|隔',
  toggle: 'toggle|toggling|flip|flipping|switch|alternate|cycle|切换|翻转|来回切|通断|开关|启停|闪烁',
  // out_of_scope: not this product's world at all
  outside:
    "weather|forecast the weather|rain|sunny|joke|jokes|poem|poems|poetry|email|emails|e-mail|mail|letter|story|stories|song|songs|music|movie|movies|film|code for|source code|python|javascript|java|c++|script|translate|translation|news|stock|stocks|stock price|stock market|recipe|recipes|restaurant|restaurants|essay|football|soccer|basketball|world cup|capital|president|birthday|games|bitcoin|hotel|hotels|flight|flights|meaning of life|dinner|lunch|breakfast|coffee|pizza|holiday|vacation|what time is it|what's the time|what day is it|what day is today|what date is it|what is the date|love|girlfriend|boyfriend|marry|horoscope|lottery|taxi|uber|homework|novel|riddle|wikipedia|google|youtube|facebook|twitter|chatgpt|tweet|blog|resume|cv|cook|sing|dance|shopping|amazon|who won|how old are you|are you human|are you an ai|who made you|who are you|what is your name|what's your name|your name|write a program|write code|write some code|write a function|sorting algorithm|sort algorithm|html|website|web page|sms|whatsapp|wechat|phone call|call my|call the|text my|tic tac toe|chess|haiku|limerick|math problem|square root|prime numbers|history of rome|world war|gdp|population|traffic jam|order food|book a|buy|meeting|calendar|appointment|天气|天气预报|下雨|下雪|笑话|讲个笑话|段子|诗|写首诗|首诗|作诗|古诗|邮件|发邮件|邮箱|电子邮件|信件|故事|讲故事|讲个故事|歌|唱歌|唱首歌|音乐|放首歌|电影|代码|写代码|写段代码|编程|脚本|python脚本|翻译|新闻|股票|股价|股市|基金|彩票|菜谱|做菜|餐厅|吃什么|吃啥|外卖|点餐|订餐|午饭|晚饭|早饭|作文|论文|足球|篮球|世界杯|首都|总统|生日|游戏|比特币|酒店|机票|火车票|车票|几点了|现在几点|今天几号|今天星期几|星期几|几月几号|恋爱|女朋友|男朋友|结婚|星座|打车|快递|作业|小说|谜语|微信|微博|抖音|淘宝|购物|简历|写周报|发周报|周报表|日报|写报告|你是谁|你叫什么|你几岁|你是机器人吗|你是人吗|旅游|旅行|放假|假期|工资|请假|股|聊天|陪我聊|写一篇|写篇|写个故事|对联|情书|祝福语|数学题|汇率|房价|油价|地图|导航|歌词|唐诗|打电话|发短信|短信|会议|开会|日程|日历|菜单|咖啡|冒泡排序|排序算法|算法|网页|爬虫|ppt|写封信|写封邮件|一首诗",
  // not_supported: plant work without a tool
  unsupported:
    'firmware|plc program|plc programs|plc code|ladder|ladder logic|ladder diagram|structured text|function block|program to|program into|upload the program|download the program|plc project|program download|program upload|project file|flash the|reflash|reboot|restart|restart the plc|reset the plc|factory reset|factory settings|factory defaults|default settings|password|passwords|user account|user accounts|users|schedule|scheduled|scheduling|timer|cron|every day|every night|every morning|daily|weekly|calibrate|calibration|backup|back up|pid|pid loop|autotune|auto-tune|tune the pid|recipe management|maintenance order|work order|purchase order|spare parts|batch report|shift report|create a tag|add a tag|new tag|rename|delete tag|add a device|add device|remove device|license|remote desktop|vpn|ip address of|change the ip|hmi screen|hmi|opc ua|opc|bacnet|profinet|profibus|mqtt|ethercat|s7|ethernet/ip|dnp3|canopen|update the software|software update|remote into|print the report|sync the clock|plc clock|system clock|set the clock|camera|video|database backup|alarm threshold|alarm limit|alarm limits|alarm setpoint|alarm setpoints|remind me|reminder|notify me|alert me|固件|升级固件|刷固件|烧录|刷机|plc程序|程序下载|程序上传|梯形图|下载程序|上传程序|程序|组态|工程文件|编译|重启|重启plc|复位plc|恢复出厂|恢复出厂设置|出厂设置|出厂值|默认参数|密码|用户账号|账号|权限|定时|定时任务|计划任务|每天|每晚|每天早上|每周|每月|定期|预约|校准|标定|备份|pid|pid参数|整定|自整定|工单|维修单|采购|备件|班报|生产报表|报表|新建点位|添加点位|新增点位|增加点位|加个点位|删除点位|重命名|改名|添加设备|新增设备|删除设备|授权文件|远程桌面|触摸屏|画面|组态画面|摄像头|视频|监控画面|opc|profinet|mqtt|bacnet|升级软件|软件升级|打印报表|校时|对时|系统时间|plc时钟|的ip地址|改ip|修改ip|更改ip|报警限值|报警阈值|报警上限|报警下限|提醒我|通知我|叫醒我|发通知|升级',
  erase:
    'delete|erase|purge|wipe|clean up|clean out|clear out|clear|remove|drop|truncate|destroy|tamper with|删除|删掉|删|清空|清除|抹掉|清理|抹除|销毁|清掉|篡改|修改历史|删了',
  archive:
    'history|log|logs|log file|log files|records|record|historical data|trend data|data|database|archive|audit trail|audit log|audit|trends|event log|alarm history|历史|历史数据|历史记录|日志|记录|数据|数据库|趋势数据|审计|审计记录|审计日志|操作记录|报警记录|通信日志|曲线数据',
  exportVerb: 'export|exporting|save to excel|save as|excel|word document|导出|另存|保存到excel|存成excel|导成|excel',
  conditional: 'if|when|whenever|unless|as soon as|in case|如果|假如|要是|一旦|若|当|的时候|的话|就启动|就停止|就停|否则',
  negation:
    "没说|没让|没叫|并没|没有说|没有让|取消启动|取消停止|取消打开|取消关闭|取消开启|取消设置|don't|do not|dont|never|not|no longer|shouldn't|must not|mustn't|cannot|can't|avoid|refrain from|hold off|hold off on|won't|doesn't|isn't|didn't|别|不要|别再|不要再|勿|禁止|不准|不许|先别|先不要|暂时不要|千万别|千万不要|不能|不可|不该|不应该|切勿|不必|不用|不想|暂不|甭",
  // told of, supposed or tried out, and not asked for
  reported:
    'said|says|told|tells|mentioned|claims|claimed|according to|someone|somebody|he|she|they|operator|the operator|colleague|my colleague|explain|pretend|pretend to|imagine|suppose|supposing|simulate|simulating|simulation|有人|某人|他说|她说|他们说|说过|听说|据说|写着|写道|提到|模拟|模拟一下|假装|假设|想象|演示|解释|解释一下',
  wonder:
    '通没通|断没断|合没合|闭没闭|why|when did|when was|when will|who|did|was|were|has|have|had|should i|should we|what happens|what if|what would|what will|is it ok|is it safe|safe to|allowed to|how long|how often|where|whether|为什么|为啥|谁|什么时候|何时|是不是|有没有|是否|该不该|要不要|应不应该|可不可能|会不会|万一|会怎么样|会怎样|会发生什么|了吗|了没|了没有|过吗|过没有|安全吗|多久|啥时候|已经|早已|曾|曾经|哪个时候|能不能安全|没有',
  // said after a request, takes it back
  denial:
    'no|nope|never mind|nevermind|forget it|forget that|scratch that|cancel that|on second thought|不行|先不|先不了|算了|就算了|不了|还是不|当我没说|取消吧|不要了',
  wonderEnd: '吗|么|没|没有|没了|不',
  isAre: "is|are|was|were|does|did|has|have|am|isn't|aren't",
  running:
    'running|stopped|started|on or off|open or closed|opened|closed|tripped|active|working|operational|online|开着|关着|停着|转着|运行中|在运行|在转|停了|启动了|开了|关了|运行着|跑着|在跑|还在跑|开没开|停没停|启动没有|转没转|在线|正常运行|停止状态|运行了|还开着|还在转|正在运行|在不在运行|在工作|在运转|运转着',
  // back references
  pronoun:
    'it|that one|the same|same|same one|this one|that|the other one|the other|them|those|the previous one|previous one|the last one|same thing|same again|likewise|ditto|do it|the first one|the second one|one more|another one|它|他|她|那个|同样|一样|同上|那一个|上面那个|上一个|前面那个|刚才那个|刚刚那个|前一个|另一个|另外一个|同一个|刚才的|上面的|前面的|它们|这玩意|这个|照旧|那台|这台|那两个|那俩|其他的|剩下的|继续|另一台|另外一台|那一台|后一个|后面那个',
  again:
    'again|once more|one more time|repeat|repeat that|redo|do it again|another time|retry|try again|as before|like before|再来一次|再来一遍|再试一次|再试试|再读一次|再读一遍|再查一次|再看一次|再一次|重来|重复一次|重复|又|重试|再看看|再来|刚才说的|重新来|再执行一次|再写一次|再看一眼|再看一下|再读一下|再查一下|照做',
  alsoFor:
    'what about|how about|and for|also|as well|too|same for|and what about|and how about|and also|instead|呢|那|也|的呢|换成|改为看|至于',
  then: 'then|and then|after that|afterwards|next|followed by|and after that|after which|finally|subsequently|and next|然后|接着|随后|之后|再|最后|其次|接下来|然后再|接着再|之后再|完了再|再然后|紧接着|之后呢|完了|回头再|后再|并且再|随后再|最后再',
  minus: 'minus|negative|负|零下|负的',
  percentOf: '百分之',
  changeBack:
    'put it back|change it back|set it back|back to what it was|改回去|调回去|改回来|调回来|变回去|恢复原值|恢复原来的值|恢复原样|改回原来|改回原值|恢复到之前|还原回去|恢复之前的值|恢复成原来的|undo it',
};
