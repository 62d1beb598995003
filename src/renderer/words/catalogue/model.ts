import type { Bilingual } from '../../../shared/errors.ts';

/** Words of models. */
export const modelWords = {
  'model.none': {
    en: 'No model connected. The built-in planner answers everyday requests: read, write, scan, trend, undo, explain, logs.',
    zh: '未连接模型。内置规划器可处理日常请求：读、写、扫描、趋势、撤销、解释错误、日志。',
  },
  'model.builtin': { en: 'Built-in planner', zh: '内置规划器' },
  'model.ollama': { en: 'Ollama', zh: 'Ollama' },
  'model.openai': { en: 'OpenAI-compatible server', zh: 'OpenAI 兼容服务' },
  'model.address': { en: 'Address of the model server', zh: '模型服务地址' },
  'model.test': { en: 'Test', zh: '测试' },
  'model.testing': { en: 'Asking, up to 15 s…', zh: '正在询问，最多 15 秒…' },
  'model.noneFound': { en: 'The server answers, but has no models.', zh: '服务有应答，但没有模型。' },
  'model.tools.yes': { en: 'uses tools', zh: '支持工具' },
  'model.tools.no': { en: 'no tools', zh: '不支持工具' },
  'model.tools.unknown': { en: 'tools unknown', zh: '工具支持未知' },
} as const satisfies Record<string, Bilingual>;
