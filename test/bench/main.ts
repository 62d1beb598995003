/** A figure stands beside its peer or limit, measured in the same run. `ratio` is value over peer. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  peer: number | null;
  ratio: number | null;
  goal: string | null;
  met: boolean | null;
};
export type Bench = { name: string; figures: Figure[]; summary: string };

const benches: Record<string, () => Promise<{ bench(): Promise<Bench> }>> = {
  line: () => import('./line.ts'),
  start: () => import('./start.ts'),
  bundle: () => import('./bundle.ts'),
  record: () => import('./record.ts'),
  loop: () => import('./loop.ts'),
  planner: () => import('./planner.ts'),
  sandbox: () => import('./sandbox.ts'),
  tokens: () => import('./tokens.ts'),
};

const name = process.argv[2] ?? '';
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (!load) {
  console.error(`bench: unknown benchmark "${name}". Benchmarks: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
console.log(JSON.stringify(await (await load()).bench(), null, 1));
process.exit(0);
