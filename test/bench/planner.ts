import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { interpret, suggest } from '../../src/shared/planner/index.ts';
import type { World, WorldTag } from '../../src/shared/planner/types.ts';
import type { Bench } from './main.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/intents/${name}`, import.meta.url), 'utf8');

/** The corpus's plant with numbered pumps and tanks added until it has `count` tags. */
function plantOf(count: number): World {
  const world = JSON.parse(fixture('world.json')) as World;
  const tags: WorldTag[] = [...world.tags];
  const kinds: [string, string, string, string][] = [
    ['pump', 'frequency', '泵', '频率'],
    ['tank', 'level', '罐', '液位'],
    ['fan', 'current', '风机', '电流'],
    ['heater', 'temperature', '加热器', '温度'],
  ];
  for (let i = 3; tags.length < count; i++)
    for (const [thing, measure, zhThing, zhMeasure] of kinds)
      if (tags.length < count)
        tags.push({
          name: `${thing}${i}_${measure}`,
          unit: '%',
          min: 0,
          max: 100,
          write: true,
          aliases: [`${i}号${zhThing}${zhMeasure}`, `${thing} ${i} ${measure}`],
        });
  return { ...world, tags };
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;

/** Milliseconds a request at 1,000 tags, over the worked requests; the peer is the same at the corpus's 15 tags. */
export async function bench(): Promise<Bench> {
  const texts = fixture('train.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { text: string }).text);
  const measure = (world: World, run: (text: string, world: World) => unknown): number[] => {
    for (const text of texts) run(text, world);
    // The median of five runs of each request: a machine that is busy with other work must not be measured in its place.
    const times = texts.map((text) => {
      const runs = [0, 1, 2, 3, 4].map(() => {
        const start = performance.now();
        run(text, world);
        return performance.now() - start;
      });
      return runs.sort((a, b) => a - b)[2]!;
    });
    return times.sort((a, b) => a - b);
  };
  const large = plantOf(1000);
  const small = plantOf(15);
  const coldStart = performance.now();
  interpret('锅炉温度现在多少', large);
  const cold = performance.now() - coldStart;
  const at1000 = measure(large, (text, world) => interpret(text, world));
  const at15 = measure(small, (text, world) => interpret(text, world));
  const typing = measure(large, (text, world) => suggest(text, text.length, world, 'zh'));
  const figure = (name: string, value: number, peer: number | null, goal: number | null) => ({
    name,
    value: Number(value.toFixed(3)),
    unit: 'ms',
    peer: peer === null ? null : Number(peer.toFixed(3)),
    ratio: peer === null || peer === 0 ? null : Number((value / peer).toFixed(2)),
    goal: goal === null ? null : `< ${goal} ms`,
    met: goal === null ? null : value < goal,
  });
  const p99 = quantile(at1000, 0.99);
  return {
    name: 'planner',
    figures: [
      figure('request at 1,000 tags, median (peer: 15 tags)', quantile(at1000, 0.5), quantile(at15, 0.5), 10),
      figure('request at 1,000 tags, 99 %', p99, quantile(at15, 0.99), 10),
      figure('request at 1,000 tags, slowest', at1000[at1000.length - 1]!, at15[at15.length - 1]!, 50),
      figure('first request on a new plant of 1,000 tags (index built)', cold, null, null),
      figure('suggestions at 1,000 tags, 99 %', quantile(typing, 0.99), null, 10),
    ],
    summary: `${quantile(at1000, 0.5).toFixed(2)} ms a request at 1,000 tags (99 %: ${p99.toFixed(2)} ms), ${quantile(at15, 0.5).toFixed(2)} ms at 15`,
  };
}
