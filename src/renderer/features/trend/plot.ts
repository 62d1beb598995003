import uPlot from 'uplot';
import type { TrendMark, TrendSeries } from '../../../shared/contracts/api.ts';
import { clockTime, formatNumber } from '../../words/format.ts';
import { drawnPoints, isolated, laneRange, openEnd, scaleFor, ticks, valueAt, type Lane } from './lanes.ts';

export type PlotWords = { write: string; lang: 'zh' | 'en' };
export type PlotInput = {
  lanes: Lane[];
  series: ReadonlyMap<string, TrendSeries>;
  colours: ReadonlyMap<string, number>;
  marks: readonly TrendMark[];
  from: number;
  to: number;
  /** The second cursor, where it was set. */
  pin: number | null;
  words: PlotWords;
};
export type Look = Record<'text1' | 'text2' | 'grid' | 'lineStrong' | 'plot' | 'hand' | 'onHand' | 'surface1' | 'font', string> & {
  series: string[];
};
const dashes: number[][] = [[], [], [6, 3], [], [2, 3], [8, 3, 2, 3], [10, 4], [1, 2]];
const left = 50;
const bottom = 20;

/** Token values of the moment: a canvas knows no custom properties, so they are read once for each theme and density. */
export function readLook(element: Element): Look {
  const style = getComputedStyle(element);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text1: value('--text-1'),
    text2: value('--text-2'),
    grid: value('--grid'),
    lineStrong: value('--line-strong'),
    plot: value('--plot'),
    hand: value('--hand-fill'),
    onHand: value('--on-hand'),
    surface1: value('--surface-1'),
    font: `${value('--fs-label')} ${value('--font-ui')}`,
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => value(`--series-${n}`)),
  };
}

/** One canvas with stacked lanes over one time axis. Built anew when the lanes or the look change, fed otherwise. */
export function createPlot(
  host: HTMLElement,
  first: PlotInput,
  look: Look,
  size: { width: number; height: number },
  onCursor: (at: number | null) => void,
): { plot: uPlot; feed(input: PlotInput): void } {
  let input = first;
  const tagIds = first.lanes.flatMap((lane) => lane.tags.map((tag) => tag.id));
  const laneOf = (id: string): number => input.lanes.findIndex((lane) => lane.tags.some((tag) => tag.id === id));
  const rangeOf = (lane: Lane): { min: number; max: number } =>
    laneRange(
      lane.tags.flatMap((tag) => input.series.get(tag.id) ?? []),
      Math.max(0, ...lane.tags.map((tag) => tag.decimals)),
    );
  const colour = (id: string): number => input.colours.get(id) ?? 0;

  const plot = new uPlot(
    {
      ...size,
      padding: [4, 16, 0, 0], // half a time stands beyond the right edge
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: { size: 6, width: 1.5, stroke: look.text1, fill: look.plot },
      },
      scales: {
        x: { time: true, auto: false, range: () => [input.from / 1000, input.to / 1000] },
        ...Object.fromEntries(
          first.lanes.map((_lane, i) => [`lane${i}`, { auto: true, range: () => scaleFor(input.lanes[i]!, rangeOf(input.lanes[i]!)) }]),
        ),
      },
      axes: [
        {
          stroke: look.text2,
          grid: { stroke: look.grid, width: 1 },
          ticks: { show: false },
          font: look.font,
          size: bottom,
          gap: 2,
          space: 66,
          values: (_plot: uPlot, splits: number[]) =>
            splits.map((s) => tickTime(s * 1000, ((splits[1] ?? 0) - (splits[0] ?? 0)) * 1000, input.to - input.from)),
        },
        { show: true, size: left, scale: 'lane0', grid: { show: false }, ticks: { show: false }, splits: () => [], values: () => [] },
      ],
      series: [
        {},
        ...tagIds.map((id) => ({
          scale: `lane${laneOf(id)}`,
          stroke: look.series[colour(id)] ?? look.text1,
          width: 1.6,
          dash: dashes[colour(id)],
          points: { show: false },
          spanGaps: false,
          pxAlign: 0,
        })),
      ],
      hooks: {
        drawAxes: [(u: uPlot) => drawLanes(u, input, look, rangeOf)],
        draw: [(u: uPlot) => drawMarks(u, input, look), (u: uPlot) => drawPin(u, input, look)],
        setCursor: [
          (u: uPlot) => onCursor(u.cursor.left === undefined || u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, 'x') * 1000),
        ],
      },
    },
    dataOf(input, tagIds),
    host,
  );
  return {
    plot,
    feed(next) {
      input = next;
      plot.setData(dataOf(next, tagIds), true);
    },
  };
}

function dataOf(input: PlotInput, tagIds: readonly string[]): uPlot.AlignedData {
  const tables = tagIds.map((id): uPlot.AlignedData => {
    const series = input.series.get(id);
    const points = series ? drawnPoints(series) : { x: [], y: [] };
    return [points.x, points.y];
  });
  const edges: uPlot.AlignedData = [[input.from / 1000, input.to / 1000]];
  if (tables.length === 0) return edges;
  return uPlot.join(tables.map((table): uPlot.AlignedData => (table[0].length > 0 ? table : [[input.from / 1000], [null]])));
}

const two = (n: number): string => String(n).padStart(2, '0');
function tickTime(at: number, step: number, span: number): string {
  const d = new Date(at);
  if (span > 2 * 86_400_000) return `${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:00`;
  return step < 60_000 ? clockTime(d) : `${two(d.getHours())}:${two(d.getMinutes())}`;
}

type Box = { x: number; y: number; width: number; height: number };
const laneBox = (u: uPlot, lane: Lane): Box => ({
  x: u.bbox.left,
  y: u.bbox.top + lane.top * u.bbox.height,
  width: u.bbox.width,
  height: (lane.bottom - lane.top) * u.bbox.height,
});
const px = (): number => devicePixelRatio || 1;

function drawLanes(u: uPlot, input: PlotInput, look: Look, rangeOf: (lane: Lane) => { min: number; max: number }): void {
  const { ctx } = u;
  ctx.save();
  ctx.font = scaledFont(look.font);
  input.lanes.forEach((lane, i) => {
    const box = laneBox(u, lane);
    const range = rangeOf(lane);
    ctx.lineWidth = px();
    const lines = ticks(range.min, range.max, Math.max(1, Math.floor(box.height / px() / 26)));
    lines.forEach((value) => {
      const y = Math.round(u.valToPos(value, `lane${i}`, true));
      ctx.strokeStyle = look.grid;
      line(ctx, box.x, y, box.x + box.width, y);
      ctx.fillStyle = look.text2;
      ctx.textAlign = 'right';
      // At the edge of its lane a number leans inwards, or it would run into the neighbour's.
      ctx.textBaseline = y < box.y + 6 * px() ? 'top' : y > box.y + box.height - 6 * px() ? 'bottom' : 'middle';
      const decimals = Math.min(Math.max(0, ...lane.tags.map((tag) => tag.decimals)), decimalsOf(lines));
      ctx.fillText(formatNumber(value, decimals), box.x - 5 * px(), y);
    });
    ctx.strokeStyle = look.lineStrong;
    line(ctx, box.x, Math.round(box.y + box.height), box.x + box.width, Math.round(box.y + box.height));
    drawLimits(u, lane, i, box, look);
    for (const tag of lane.tags) drawGaps(u, input, tag.id, box, look);
  });
  ctx.restore();
}

const decimalsOf = (values: readonly number[]): number =>
  Math.max(0, ...values.map((value) => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0));
const scaledFont = (font: string): string => font.replace(/^([\d.]+)px/, (_whole, size: string) => `${Number(size) * px()}px`);

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1 + 0.5, y1 + 0.5);
  ctx.lineTo(x2 + 0.5, y2 + 0.5);
  ctx.stroke();
}

/** Normal limits of a lane with one tag: with more, it would not be clear whose they are. */
function drawLimits(u: uPlot, lane: Lane, i: number, box: Box, look: Look): void {
  const [tag] = lane.tags;
  if (!tag || lane.tags.length > 1 || !tag.normal) return;
  for (const limit of [tag.normal.low, tag.normal.high]) {
    if (limit === null) continue;
    const y = u.valToPos(limit, `lane${i}`, true);
    if (y < box.y || y > box.y + box.height) continue;
    u.ctx.save();
    u.ctx.strokeStyle = look.text2;
    u.ctx.setLineDash([7, 3, 1, 3].map((n) => n * px()));
    line(u.ctx, box.x, y, box.x + box.width, y);
    u.ctx.restore();
    u.ctx.fillStyle = look.text2;
    u.ctx.textAlign = 'left';
    u.ctx.textBaseline = 'bottom';
    u.ctx.fillText(formatNumber(limit, tag.decimals), box.x + 4 * px(), y - 2 * px());
  }
}

/** A gap is a hatched band with dashed edges; where a series just ends, a dot stands at its last point. */
function drawGaps(u: uPlot, input: PlotInput, id: string, box: Box, look: Look): void {
  const series = input.series.get(id);
  if (!series) return;
  const end = openEnd(series, input.to);
  const spans = [...drawnPoints(series).gaps, ...(end === null ? [] : [[end, input.to] as [number, number]])];
  const x = (at: number): number => Math.min(box.x + box.width, Math.max(box.x, u.valToPos(at / 1000, 'x', true)));
  for (const [from, to] of spans) {
    const [x1, x2] = [x(from), x(to)];
    if (x2 - x1 < 2) continue;
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(x1, box.y, x2 - x1, box.height);
    ctx.clip();
    ctx.strokeStyle = look.lineStrong;
    ctx.globalAlpha = 0.55;
    const step = 7 * px();
    for (let at = x1 - box.height; at < x2; at += step) line(ctx, at, box.y + box.height, at + box.height, box.y);
    ctx.globalAlpha = 1;
    ctx.setLineDash([2 * px(), 2 * px()]);
    for (const edge of [x1, x2]) line(ctx, edge, box.y, edge, box.y + box.height);
    ctx.restore();
  }
}

function drawMarks(u: uPlot, input: PlotInput, look: Look): void {
  const { ctx } = u;
  ctx.save();
  ctx.font = scaledFont(look.font);
  input.lanes.forEach((lane, i) => {
    const box = laneBox(u, lane);
    haloText(ctx, lane.unit, box.x + 4 * px(), box.y + 2 * px(), look);
    for (const tag of lane.tags) {
      const series = input.series.get(tag.id);
      if (!series) continue;
      ctx.fillStyle = look.series[input.colours.get(tag.id) ?? 0] ?? look.text1;
      for (const point of isolated(series)) {
        ctx.beginPath();
        ctx.arc(u.valToPos(point.at / 1000, 'x', true), u.valToPos(point.value, `lane${i}`, true), 1.8 * px(), 0, 7);
        ctx.fill();
      }
      const end = openEnd(series, input.to);
      const value = end === null ? null : valueAt(series, end);
      if (end !== null && value !== null) {
        ctx.fillStyle = look.series[input.colours.get(tag.id) ?? 0] ?? look.text1;
        ctx.beginPath();
        ctx.arc(u.valToPos(end / 1000, 'x', true), u.valToPos(value, `lane${i}`, true), 3 * px(), 0, 7);
        ctx.fill();
      }
      ctx.strokeStyle = look.series[input.colours.get(tag.id) ?? 0] ?? look.text1;
      ctx.lineWidth = 1.5 * px();
      for (const at of series.bad) {
        const x = u.valToPos(at / 1000, 'x', true);
        if (x < box.x || x > box.x + box.width) continue;
        ctx.beginPath();
        ctx.arc(x, box.y + box.height - 5 * px(), 2.5 * px(), 0, 7);
        ctx.stroke();
      }
    }
    for (const mark of input.marks) {
      if (mark.at < input.from || mark.at > input.to) continue;
      const here = mark.tag === null ? i === 0 : lane.tags.some((tag) => tag.id === mark.tag);
      if (!here) continue;
      drawFlag(ctx, Math.round(u.valToPos(mark.at / 1000, 'x', true)), box, mark, input.words, look);
    }
  });
  ctx.restore();
}

/** The second cursor stands where it was put, with its time. */
function drawPin(u: uPlot, input: PlotInput, look: Look): void {
  if (input.pin === null || input.pin < input.from || input.pin > input.to) return;
  const { ctx } = u;
  ctx.save();
  ctx.font = scaledFont(look.font);
  const x = Math.round(u.valToPos(input.pin / 1000, 'x', true));
  ctx.strokeStyle = look.text1;
  ctx.lineWidth = 1.5 * px();
  ctx.setLineDash([3 * px(), 3 * px()]);
  line(ctx, x, u.bbox.top, x, u.bbox.top + u.bbox.height);
  ctx.setLineDash([]);
  haloText(
    ctx,
    clockTime(input.pin),
    Math.min(x + 4 * px(), u.bbox.left + u.bbox.width - 60 * px()),
    u.bbox.top + u.bbox.height - 16 * px(),
    look,
  );
  ctx.restore();
}

/** Text that stays legible where a line runs through it. */
function haloText(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, look: Look): void {
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.strokeStyle = look.plot;
  ctx.lineWidth = 4 * px();
  ctx.lineJoin = 'round';
  ctx.strokeText(text, x, y);
  ctx.fillStyle = look.text2;
  ctx.fillText(text, x, y);
}

function drawFlag(ctx: CanvasRenderingContext2D, x: number, box: Box, mark: TrendMark, words: PlotWords, look: Look): void {
  const isWrite = mark.kind === 'write';
  ctx.strokeStyle = isWrite ? look.hand : look.lineStrong;
  ctx.lineWidth = 1.5 * px();
  line(ctx, x, box.y, x, box.y + box.height);
  const size = 14 * px();
  ctx.fillStyle = isWrite ? look.hand : look.lineStrong;
  ctx.fillRect(x, box.y, size, size - px());
  ctx.fillStyle = isWrite ? look.onHand : look.plot;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(isWrite ? words.write : '!', x + size / 2, box.y + size / 2);
  const text = mark.text[words.lang];
  if (x + size + ctx.measureText(text).width + 6 * px() > box.x + box.width) return;
  ctx.fillStyle = look.text1;
  ctx.textAlign = 'left';
  ctx.fillText(text, x + size + 4 * px(), box.y + size / 2);
}
