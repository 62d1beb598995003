import type { Bilingual, Lang } from '../../../shared/errors.ts';

const b = (en: string, zh: string): Bilingual => ({ en, zh });

/** One line a command: its words and what it does. */
export const commandHelp: Record<string, { usage: string; does: Bilingual }> = {
  serve: {
    usage: 'serve [--port N] [--no-open]',
    does: b('serve the page on 127.0.0.1; prints its address with the token', '在 127.0.0.1 提供页面，打印带令牌的地址'),
  },
  simulate: {
    usage: 'simulate [--port N] [--rtu LINK] [--fault NAME]',
    does: b('run only the simulated plant; --fault list shows the faults', '仅运行仿真工厂；--fault list 列出故障'),
  },
  ask: {
    usage: 'ask TEXT [--model builtin|ollama:NAME|openai:NAME] [--base-url URL] [--approve TAG=VALUE] [--input FILE]',
    does: b(
      'ask or order in Chinese or English; a write needs --approve with exactly that tag and value',
      '用中文或英文提问或下达指令；写入须用 --approve 明确该点位和数值',
    ),
  },
  interpret: {
    usage: 'interpret TEXT',
    does: b('show what the built-in planner understands, without doing it', '显示内置规划器的理解，不执行'),
  },
  tool: {
    usage: 'tool NAME JSON [--approve TAG=VALUE] [--dry-run] [--input FILE]',
    does: b('one call through the gateway; prints its envelope', '经网关执行一次调用，打印其信封'),
  },
  exec: {
    usage: 'exec --lang python|javascript|sql|shell [--input FILE] [--timeout-ms N] FILE',
    does: b('one sandbox run; prints its result envelope', '一次沙箱运行，打印结果信封'),
  },
  doctor: { usage: 'doctor --connection C', does: b('what is wrong on this line, with the evidence', '诊断此线路的问题及证据') },
  health: {
    usage: 'health [SESSION]',
    does: b(
      'how sandbox, record and history stand, tokens and program runs on record; asks no device',
      '沙箱、记录和历史的状况，以及记录中的词元和程序运行统计；不询问设备',
    ),
  },
  audit: {
    usage: 'audit list | show ID | verify [FILE] | export ID FILE | replay ID',
    does: b('the record: sessions, proof, export, replay', '记录：会话、校验、导出、回放'),
  },
};

const everywhere = b(
  'Everywhere: --json one JSON document on stdout · --data DIR data folder · --plant FILE plant file (default: the simulated plant) · --lang zh|en',
  '通用：--json 在标准输出打印一个 JSON 文档 · --data DIR 数据文件夹 · --plant FILE 工厂文件（默认：仿真工厂）· --lang zh|en',
);
const exits = b(
  'Exit: 0 answered, 1 wrong usage or set-up, 2 asks back, 3 refused or failed.',
  '退出码：0 已回答，1 用法或环境错误，2 反问，3 拒绝或失败。',
);
const limits = b('Not a safety function. A software lock is not lock-out.', '不是安全功能，软件锁定不能代替上锁挂牌。');

export function helpText(lang: Lang, command?: string): string {
  const one = command === undefined ? undefined : commandHelp[command];
  if (one) return `handrail ${one.usage}\n  ${one.does[lang]}\n\n${everywhere[lang]}`;
  const lines = Object.values(commandHelp).map((entry) => `  handrail ${entry.usage}\n      ${entry.does[lang]}`);
  return ['Handrail', '', ...lines, '', everywhere[lang], exits[lang], limits[lang]].join('\n');
}
