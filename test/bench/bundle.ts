import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../src/main/entries.ts';

type Figure = {
  name: string;
  value: number;
  unit: string;
  peer: number | null;
  ratio: number | null;
  goal: string | null;
  met: boolean | null;
};
/** What a panel PC can still parse in a blink; the study's plain skeleton (React, zustand, uPlot, virtual rows) is the peer. */
const goalGzipKb = 250;
const skeletonGzip = (root: string): number =>
  ['react-dom/cjs/react-dom-client.production.js', 'uplot/dist/uPlot.esm.js'].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(root, 'node_modules', file))).length,
    0,
  );

/** Bytes of the built page, plain and as gzip; the peer is the gzip of React DOM and uPlot as they lie in their packages. */
export async function bench(): Promise<{ name: string; figures: Figure[]; summary: string }> {
  const root = projectRoot();
  const folder = join(root, 'out', 'renderer');
  const files = (at: string): string[] =>
    readdirSync(at).flatMap((name) => (statSync(join(at, name)).isDirectory() ? files(join(at, name)) : [join(at, name)]));
  const sum = (extension: string): { bytes: number; gzip: number } =>
    files(folder)
      .filter((file) => file.endsWith(extension))
      .map((file) => readFileSync(file))
      .reduce((total, body) => ({ bytes: total.bytes + body.length, gzip: total.gzip + gzipSync(body).length }), { bytes: 0, gzip: 0 });
  const js = sum('.js');
  const css = sum('.css');
  const peer = skeletonGzip(root);
  const plain = (
    name: string,
    value: number,
    met: boolean | null = null,
    goal: string | null = null,
    against: number | null = null,
  ): Figure => ({
    name,
    value,
    unit: 'bytes',
    peer: against,
    ratio: against === null ? null : Number((value / against).toFixed(2)),
    goal,
    met,
  });
  const gzip = js.gzip + css.gzip;
  return {
    name: 'bundle',
    figures: [
      plain('script', js.bytes),
      plain('script, gzip', js.gzip, null, null, peer),
      plain('style', css.bytes),
      plain('page, gzip', gzip, gzip <= goalGzipKb * 1024, `at most ${goalGzipKb} KiB`),
    ],
    summary: `The page is ${(js.bytes + css.bytes) / 1000} kB, ${(gzip / 1000).toFixed(0)} kB as gzip; React DOM and uPlot alone are ${(peer / 1000).toFixed(0)} kB as gzip.`,
  };
}
