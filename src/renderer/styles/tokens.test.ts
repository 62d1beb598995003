import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
function theme(name: string): Map<string, string> {
  const block = new RegExp(`/\\* theme:${name} \\*/([\\s\\S]*?)/\\* end \\*/`).exec(css)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+):\s*(#[0-9A-F]{6})/gi)].map((match) => [match[1]!, match[2]!]));
}
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const ratio = (a: string, b: string): number => {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
};
const surfaces = ['surface-1', 'surface-2', 'surface-3'];
const pairs: [string, string, number][] = [
  ...surfaces.flatMap((on): [string, string, number][] => [
    ['text-1', on, 7],
    ['text-2', on, 4.5],
    ['text-3', on, 4.5],
    ['accent', on, 4.5],
    ['line-strong', on, 3],
  ]),
  ['text-1', 'surface-selected', 7],
  ['text-1', 'surface-hover', 7],
  ['text-1', 'change', 7],
  ['text-1', 'hand-weak', 7],
  ['hand-ink', 'surface-2', 4.5],
  ['on-hand', 'hand-fill', 4.5],
  ['on-accent', 'accent-fill', 4.5],
  ['on-stop', 'stop-fill', 7],
  ['focus', 'surface-1', 3],
  ['on-alarm-1', 'alarm-1-fill', 4.5],
  ['on-alarm-2', 'alarm-2-fill', 4.5],
  ['on-alarm-3', 'alarm-3-fill', 4.5],
  ['alarm-1-ink', 'surface-1', 4.5],
  ['text-1', 'alarm-1-weak', 7],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n): [string, string, number] => [`series-${n}`, 'plot', 3]),
];

test.each(['light', 'dark', 'contrast'])('every pair of the %s theme holds its contrast', (name) => {
  const colours = theme(name);
  const weak = pairs.filter(([a, b, least]) => ratio(colours.get(a) ?? '#000000', colours.get(b) ?? '#000000') < least);
  expect(colours.size).toBeGreaterThan(40);
  expect(weak).toEqual([]);
});
