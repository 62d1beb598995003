import type { Bilingual } from '../../../shared/errors.ts';

/** Words of the trend. */
export const trendWords = {
  trend: { en: 'Trend', zh: '趋势' },
  'trend.span': { en: 'Time span', zh: '时间范围' },
  'span.5m': { en: '5 min', zh: '5 分' },
  'span.30m': { en: '30 min', zh: '30 分' },
  'span.2h': { en: '2 h', zh: '2 时' },
  'span.8h': { en: '8 h', zh: '8 时' },
  'span.1d': { en: '1 d', zh: '1 天' },
  'trend.live': { en: 'Live', zh: '实时' },
  'trend.paused': { en: 'Paused at {time}', zh: '已暂停于 {time}' },
  'trend.table': { en: 'Table', zh: '表格' },
  'trend.write': { en: 'W', zh: '写' },
  'trend.delta': { en: 'Δt {time}', zh: '时差 {time}' },
  'trend.between': { en: '{min} to {max}, mean {mean}', zh: '{min} 至 {max}，均值 {mean}' },
  'trend.unpin': { en: 'Remove the second cursor', zh: '移除第二光标' },
  'trend.none': {
    en: 'Press T on a tag, or drag one here. Shift and a press set a second cursor.',
    zh: '在标签上按 T，或把标签拖到此处。Shift 加按下可设置第二光标。',
  },
  'trend.leftOut': { en: 'Not drawn, only four units fit: {tags}', zh: '未绘出，最多四种单位：{tags}' },
  'trend.remove': { en: 'Remove {tag} from the trend', zh: '从趋势中移除 {tag}' },
  'trend.describe': { en: '{tag}: {min} to {max} {unit}, last {last}', zh: '{tag}：{min} 到 {max} {unit}，最后 {last}' },
  'trend.describe.none': { en: '{tag}: nothing in this time', zh: '{tag}：此时段无数据' },
  'export.note': {
    en: 'Minimum, mean and maximum of each bucket; gaps are gaps; only good and uncertain values.',
    zh: '每段的最小、平均、最大值；间断保持间断；仅含良好和存疑的值。',
  },
} as const satisfies Record<string, Bilingual>;
