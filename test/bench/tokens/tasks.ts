/** The twelve tasks: data with a known answer, the calls of a naive and of a fair classic agent, and the program of an embedded one. */
// A table of tasks; longer than a file should be, because each task must be read as a whole.
import { asCsv, buckets, iso, mean, pages, random, round, series, shown, start, type Row } from './plant.ts';

export type Call = { name: string; args: object; result: unknown };
export type Instance = {
  question: string;
  answer: unknown;
  /** What `plant.trend` and `plant.read` give to the program. */
  tags: Record<string, Row[]>;
  inputs?: { name: string; text: string }[];
  naive: Call[];
  naiveCsv: Call[];
  fair: Call[];
  dependentCalls: number;
  program: string;
  /** A first attempt with a mistake that small models make, for the arm with retries. */
  mistaken: string;
};
export type Task = { id: number; title: string; scales: boolean; make(n: number, seed: number): Instance };

const raw = (tags: Record<string, Row[]>): Pick<Instance, 'naive' | 'naiveCsv'> => ({
  naive: Object.entries(tags).map(([tag, rows]) => ({ name: 'trend', args: { tag }, result: { tag, rows: shown(rows) } })),
  naiveCsv: Object.entries(tags).map(([tag, rows]) => ({ name: 'trend', args: { tag, format: 'csv' }, result: asCsv(rows) })),
});
const text = (name: string, content: string): Pick<Instance, 'naive' | 'naiveCsv' | 'inputs' | 'tags'> => {
  const call = { name: 'read_file', args: { path: name }, result: content };
  return { naive: [call], naiveCsv: [call], inputs: [{ name, text: content }], tags: {} };
};
const aggregate = (args: object, result: unknown): Call => ({ name: 'aggregate', args, result });

export const tasks: Task[] = [
  {
    id: 1,
    title: 'Value and status of 12 tags on 3 pumps',
    scales: false,
    make(_n, seed) {
      const next = random(seed);
      const kinds = ['flow', 'pressure', 'current', 'running'];
      const tags: Record<string, Row[]> = {};
      for (const pump of [1, 2, 3])
        for (const kind of kinds)
          tags[`P${pump}.${kind}`] = [{ at: start, value: kind === 'running' ? Number(next() > 0.4) : round(next() * 50) }];
      const names = Object.keys(tags);
      const readings = names.map((tag) => ({ tag, value: tags[tag]![0]!.value, quality: 'good' }));
      const call = { name: 'read_tags', args: { tags: names }, result: { readings } };
      const answer = {
        running: [1, 2, 3].filter((p) => tags[`P${p}.running`]![0]!.value === 1).map((p) => `P${p}`),
        values: Object.fromEntries(readings.map((r) => [r.tag, r.value])),
      };
      return {
        question: 'Which of the pumps P1, P2 and P3 are running, and what are flow, pressure and current of each?',
        answer,
        tags,
        naive: [call],
        naiveCsv: [call],
        fair: [call],
        dependentCalls: 1,
        program:
          "rows = plant.read([f'P{p}.{k}' for p in (1, 2, 3) for k in ('flow', 'pressure', 'current', 'running')])\nv = {r.tag: r.value for r in rows}\nresult = {'running': [f'P{p}' for p in (1, 2, 3) if v[f'P{p}.running'] == 1], 'values': v}",
        mistaken: "rows = plant.read_tags(['P1.flow'])\nresult = rows",
      };
    },
  },
  {
    id: 2,
    title: 'Highest discharge pressure with its time',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const tags = { 'P1.pressure': series(n, 1000, (i) => 6 + Math.sin(i / 90) + next() * 0.8, 3) };
      const top = tags['P1.pressure'].reduce((a, b) => (b.value > a.value ? b : a));
      const answer = { max: top.value, at: iso(top.at) };
      return {
        question: 'What was the highest discharge pressure of P1 in this period, and when?',
        answer,
        tags,
        ...raw(tags),
        fair: [
          aggregate(
            { tags: ['P1.pressure'], fn: 'max' },
            { results: [{ tag: 'P1.pressure', value: top.value, at: answer.at, samples: n }] },
          ),
        ],
        dependentCalls: 1,
        program:
          "points = plant.trend('P1.pressure').points\ntop = max(points, key=lambda p: p.value)\nresult = {'max': top.value, 'at': top.at}",
        mistaken: "points = plant.trend('P1.pressure')\nresult = max(points, key=lambda p: p.value)",
      };
    },
  },
  {
    id: 3,
    title: 'Two pumps compared by hourly mean flow',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const half = Math.max(2, Math.floor(n / 2));
      const step = Math.floor(86_400_000 / half);
      const tags = {
        'P1.flow': series(half, step, (i) => 40 + 5 * Math.sin((i / half) * 9) + next()),
        'P2.flow': series(half, step, (i) => 40 + 5 * Math.cos((i / half) * 9) + next()),
      };
      const [a, b] = [buckets(tags['P1.flow'], 3_600_000), buckets(tags['P2.flow'], 3_600_000)];
      const gaps = a.map((x, i) => ({ t: x.t, gap: round(x.mean - b[i]!.mean, 2) }));
      const most = gaps.reduce((x, y) => (Math.abs(y.gap) > Math.abs(x.gap) ? y : x));
      const answer = { hours_p1_higher: gaps.filter((g) => g.gap > 0).length, greatest_gap: most.gap, hour: most.t };
      return {
        question:
          'Compare the flow of P1 and P2 by hourly means over the day: in how many hours was P1 higher, and in which hour was the gap greatest?',
        answer,
        tags,
        ...raw(tags),
        fair: [
          aggregate({ tags: ['P1.flow'], fn: 'mean', bucket: '1h' }, { buckets: a.map((x) => [x.t, x.mean]) }),
          aggregate({ tags: ['P2.flow'], fn: 'mean', bucket: '1h' }, { buckets: b.map((x) => [x.t, x.mean]) }),
        ],
        dependentCalls: 2,
        program:
          "from statistics import mean\ndef hourly(tag):\n    groups = {}\n    for p in plant.trend(tag).points:\n        groups.setdefault(p.at[:13], []).append(p.value)\n    return {h: round(mean(v), 3) for h, v in groups.items()}\na, b = hourly('P1.flow'), hourly('P2.flow')\ngap = {h: round(a[h] - b[h], 2) for h in a}\nh = max(gap, key=lambda k: abs(gap[k]))\nresult = {'hours_p1_higher': sum(g > 0 for g in gap.values()), 'greatest_gap': gap[h], 'hour': h + ':00:00Z'}",
        mistaken: "from statistics import mean\na = plant.trend('P1.flow').points\nresult = mean(a)",
      };
    },
  },
  {
    id: 4,
    title: 'Flat-lined sensors among 40',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const each = Math.max(2, Math.floor(n / 40));
      const tags: Record<string, Row[]> = {};
      for (let t = 1; t <= 40; t++) {
        const name = `S${String(t).padStart(2, '0')}`;
        const isFlat = next() < 0.12;
        const level = 20 + next() * 60;
        tags[name] = series(each, Math.floor(28_800_000 / each), (i) => (isFlat ? level : level + (i % 2 === 0 ? 0.3 : -0.3) + next()));
      }
      const spread = (rows: Row[]): [number, number] => [Math.min(...rows.map((r) => r.value)), Math.max(...rows.map((r) => r.value))];
      const answer = { flat: Object.keys(tags).filter((tag) => spread(tags[tag]!)[0] === spread(tags[tag]!)[1]) };
      const all = Object.entries(tags).map(([tag, rows]) => ({ tag, rows: shown(rows) }));
      const names = Object.keys(tags);
      return {
        question: 'Which of the sensors S01 to S40 did not change at all in the last 8 hours?',
        answer,
        tags,
        naive: [{ name: 'trend', args: { tags: names }, result: all }],
        naiveCsv: [
          {
            name: 'trend',
            args: { tags: names, format: 'csv' },
            result: ['tag,t,v', ...all.flatMap((s) => s.rows.map((r) => `${s.tag},${r.t},${r.v}`))].join('\n'),
          },
        ],
        fair: [aggregate({ tags: names, fn: 'range' }, { results: Object.entries(tags).map(([tag, rows]) => [tag, ...spread(rows)]) })],
        dependentCalls: 1,
        program:
          "names = [f'S{i:02d}' for i in range(1, 41)]\nflat = []\nfor s in plant.trend(names):\n    v = [p.value for p in s.points]\n    if min(v) == max(v):\n        flat.append(s.tag)\nresult = {'flat': flat}",
        mistaken: "names = [f'S{i:02d}' for i in range(1, 41)]\nresult = [s for s in plant.trends(names)]",
      };
    },
  },
  {
    id: 5,
    title: 'Alarm episodes above a limit with 5 s debounce',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      let high = 0;
      const rows = series(
        n,
        1000,
        () => {
          if (high > 0) high -= 1;
          else if (next() < 0.012) high = Math.floor(next() * 12) + 1;
          return (high > 0 ? 85 : 70) + next() * 4;
        },
        1,
      );
      const tags = { 'T1.temp': rows };
      const episodes: { start: string; end: string }[] = [];
      let from = -1;
      for (let i = 0; i <= n; i++) {
        const above = i < n && rows[i]!.value > 80;
        if (above && from < 0) from = i;
        if (!above && from >= 0) {
          if (i - from >= 5) episodes.push({ start: iso(rows[from]!.at), end: iso(rows[i - 1]!.at) });
          from = -1;
        }
      }
      const answer = { count: episodes.length, last: episodes.at(-1) ?? null };
      return {
        question: 'How many times was T1.temp above 80 for 5 s or longer (1 s samples), and when did the last such episode start and end?',
        answer,
        tags,
        ...raw(tags),
        fair: pages(
          'T1.temp',
          rows.filter((r) => r.value > 80),
          { above: 80 },
        ),
        dependentCalls: 1,
        program:
          "episodes, run = [], []\nfor p in plant.trend('T1.temp').points + [None]:\n    if p is not None and p.value > 80:\n        run.append(p.at)\n    else:\n        if len(run) >= 5:\n            episodes.append({'start': run[0], 'end': run[-1]})\n        run = []\nresult = {'count': len(episodes), 'last': episodes[-1] if episodes else None}",
        mistaken: "run = []\nfor t, v in plant.trend('T1.temp').points:\n    run.append(v > 80)\nresult = sum(run)",
      };
    },
  },
  {
    id: 6,
    title: 'Lag between vibration and motor current',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const half = Math.max(10, Math.floor(n / 2));
      const lag = half > 40 ? 7 : 2;
      const noise = Array.from({ length: half + lag }, () => next() * 10);
      const tags = {
        'M1.current': series(half, 2000, (i) => 20 + noise[i + lag]!),
        'M1.vibration': series(half, 2000, (i) => 1 + noise[i]! / 5 + next() * 0.05, 3),
      };
      const answer = { lag_samples: lag };
      return {
        question: 'By how many samples does M1.vibration follow M1.current (the lag from 0 to 10 with the highest correlation)?',
        answer,
        tags,
        ...raw(tags),
        fair: [...pages('M1.current', tags['M1.current']), ...pages('M1.vibration', tags['M1.vibration'])],
        dependentCalls: 2,
        program:
          "from statistics import correlation\nx = [p.value for p in plant.trend('M1.current').points]\ny = [p.value for p in plant.trend('M1.vibration').points]\nlags = range(min(11, len(x) - 2))\nbest = max(lags, key=lambda k: correlation(x[:len(x) - k], y[k:]))\nresult = {'lag_samples': best}",
        mistaken: "import numpi as np\nx = [p.value for p in plant.trend('M1.current').points]\nresult = np.argmax(x)",
      };
    },
  },
  {
    id: 7,
    title: 'Energy per shift from a swapped 32-bit counter with rollover',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const count = Math.max(9, n);
      const step = Math.floor(86_400_000 / (count - 1));
      let counter = 4_294_967_296 - 5_000;
      const values = Array.from({ length: count }, () => {
        const now = counter % 4_294_967_296;
        counter += Math.ceil(next() * (40_000 / count));
        return now;
      });
      const swapped = (value: number): number => (value % 65_536) * 65_536 + Math.floor(value / 65_536);
      const rows: Row[] = values.map((value, i) => ({ at: start + i * step, value: swapped(value) }));
      const tags = { 'E1.counter_raw': rows };
      const at = (hour: number): number => Math.min(count - 1, Math.ceil((hour * 3_600_000) / step));
      const bounds = [0, 8, 16, 24].map(at);
      const used = [0, 1, 2].map((s) => (values[bounds[s + 1]!]! - values[bounds[s]!]! + 4_294_967_296) % 4_294_967_296);
      const answer = { shifts_kwh: used };
      return {
        question:
          'E1.counter_raw is a 32-bit kWh counter whose two words are swapped and which may roll over. How much energy was used in each of the three 8-hour shifts since 08:00, by the first sample at or after each boundary?',
        answer,
        tags,
        ...raw(tags),
        fair: bounds.map((i, s) => ({
          name: 'value_at',
          args: { tag: 'E1.counter_raw', at: iso(start + [0, 8, 16, 24][s]! * 3_600_000) },
          result: { tag: 'E1.counter_raw', t: iso(rows[i]!.at), v: rows[i]!.value },
        })),
        dependentCalls: 4,
        program:
          "from datetime import datetime, timedelta\npts = plant.trend('E1.counter_raw').points\nt0 = datetime.fromisoformat(pts[0].at.replace('Z', '+00:00'))\ndef value(hours):\n    for p in pts:\n        if datetime.fromisoformat(p.at.replace('Z', '+00:00')) >= t0 + timedelta(hours=hours):\n            break\n    return (p.value & 0xFFFF) << 16 | p.value >> 16\nv = [value(h) for h in (0, 8, 16, 24)]\nresult = {'shifts_kwh': [(b - a) % 2**32 for a, b in zip(v, v[1:])]}",
        mistaken:
          "from datetime import datetime\npts = plant.trend('E1.counter_raw').points\nv = [p['valu'] for p in pts]\nresult = v[-1] - v[0]",
      };
    },
  },
  {
    id: 8,
    title: 'Communication quality per unit from a log',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const counts: Record<string, { timeouts: number; exceptions: Record<string, number> }> = {};
      const lines = Array.from({ length: n }, (_, i) => {
        const unit = 1 + Math.floor(next() * 6);
        const kind = next();
        const head = `${iso(start + i * 500)} unit=${unit} fc=3 addr=${Math.floor(next() * 200)} `;
        const entry = (counts[unit] ??= { timeouts: 0, exceptions: {} });
        if (kind < 0.02 * unit) {
          entry.timeouts += 1;
          return `${head}TIMEOUT after 1000 ms`;
        }
        if (kind > 0.97) {
          const code = next() < 0.7 ? 2 : 6;
          entry.exceptions[code] = (entry.exceptions[code] ?? 0) + 1;
          return `${head}EXCEPTION code=${code}`;
        }
        return `${head}OK ${2 + Math.floor(next() * 20)} ms`;
      });
      const answer = counts;
      return {
        question: 'From bus.log: how many timeouts and how many exceptions of each code did each unit have?',
        answer,
        ...text('bus.log', lines.join('\n')),
        fair: [
          {
            name: 'analyze_log',
            args: { file: 'bus.log', action: 'count', by: ['unit', 'outcome', 'code'] },
            result: {
              counts: Object.entries(counts).map(([unit, c]) => ({ unit: Number(unit), timeouts: c.timeouts, exceptions: c.exceptions })),
            },
          },
        ],
        dependentCalls: 1,
        program:
          "import re\nout = {}\nfor line in open('bus.log'):\n    u = re.search(r'unit=(\\d+)', line).group(1)\n    e = out.setdefault(u, {'timeouts': 0, 'exceptions': {}})\n    if 'TIMEOUT' in line:\n        e['timeouts'] += 1\n    m = re.search(r'EXCEPTION code=(\\d+)', line)\n    if m:\n        e['exceptions'][m.group(1)] = e['exceptions'].get(m.group(1), 0) + 1\nresult = out",
        mistaken: "import re\nout = {}\nfor line in open('buss.log'):\n    out[line] = 1\nresult = out",
      };
    },
  },
  {
    id: 9,
    title: 'First-out among 15 inputs before a trip',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const names = Array.from({ length: 15 }, (_, i) => `DI${String(i + 1).padStart(2, '0')}`);
      const trip = start + n * 300;
      const order = [...names].sort(() => next() - 0.5).slice(0, 5);
      const events = Array.from({ length: Math.max(4, n - 6) }, (_, i) => ({
        at: start + i * 250,
        input: names[Math.floor(next() * 15)]!,
        state: next() < 0.5 ? 0 : 1,
      })).filter((e) => e.at < trip - 5_000 || n < 30);
      const clean = events.filter((e) => e.at < trip - 200);
      const window = order.map((input, i) => ({ at: trip - 180 + i * 37, input, state: 1 }));
      const rows = [...clean, ...window, { at: trip, input: 'TRIP', state: 1 }];
      const precise = (at: number): string => new Date(at).toISOString();
      const answer = { first_out: order[0], sequence: order };
      const lines = ['t,input,state', ...rows.map((e) => `${precise(e.at)},${e.input},${e.state}`)].join('\n');
      return {
        question:
          'events.csv holds input changes. Which input came first in the 200 ms before the TRIP, and in which order did the others follow?',
        answer,
        ...text('events.csv', lines),
        fair: [
          {
            name: 'find_events',
            args: { file: 'events.csv', input: 'TRIP' },
            result: { events: [{ t: precise(trip), input: 'TRIP', state: 1 }] },
          },
          {
            name: 'find_events',
            args: { file: 'events.csv', from: precise(trip - 200), to: precise(trip) },
            result: { events: window.map((e) => ({ t: precise(e.at), input: e.input, state: 1 })) },
          },
        ],
        dependentCalls: 2,
        program:
          "import csv\nfrom datetime import datetime, timedelta\nrows = list(csv.DictReader(open('events.csv')))\nt = lambda r: datetime.fromisoformat(r['t'].replace('Z', '+00:00'))\ntrip = next(t(r) for r in rows if r['input'] == 'TRIP')\nseq = [r['input'] for r in rows if trip - timedelta(milliseconds=200) <= t(r) < trip]\nresult = {'first_out': seq[0], 'sequence': seq}",
        mistaken:
          "import csv\nrows = list(csv.DictReader(open('events.csv')))\ntrip = [r for r in rows if r['input'] == 'TRIP'][0]['time']\nresult = trip",
      };
    },
  },
  {
    id: 10,
    title: 'A sensor with a wrong scale beside its reference',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const each = Math.max(3, Math.floor(n / 4));
      const names = ['F1.flow_a', 'F1.flow_b', 'F1.flow_c'];
      const wrong = names[Math.floor(next() * 3)]!;
      const base = (i: number): number => 52 + 4 * Math.sin(i / 50);
      const tags: Record<string, Row[]> = { 'F1.reference': series(each, 1000, (i) => base(i)) };
      for (const name of names) tags[name] = series(each, 1000, (i) => (base(i) + next() - 0.5) * (name === wrong ? 10 : 1));
      const average = (name: string): number => round(mean(tags[name]!.map((r) => r.value)), 3);
      const answer = { tag: wrong, factor: 10 };
      const all = ['F1.reference', ...names];
      return {
        question: 'One of the flow sensors of F1 is off by a constant factor against F1.reference. Which one, and by what factor?',
        answer,
        tags,
        ...raw(tags),
        fair: [
          { name: 'list_tags', args: { filter: 'F1' }, result: { tags: all.map((tag) => ({ tag, unit: 'm3/h' })) } },
          aggregate(
            { tags: ['F1.reference'], fn: 'mean' },
            { results: [{ tag: 'F1.reference', value: average('F1.reference'), samples: each }] },
          ),
          aggregate({ tags: names, fn: 'mean' }, { results: names.map((tag) => ({ tag, value: average(tag), samples: each })) }),
        ],
        dependentCalls: 3,
        program:
          "from statistics import mean\nnames = [t.tag for t in plant.tags('F1') if t.tag != 'F1.reference']\nm = lambda tag: mean(p.value for p in plant.trend(tag).points)\nref = m('F1.reference')\nratio = {t: m(t) / ref for t in names}\nt = max(ratio, key=lambda k: abs(ratio[k] - 1))\nresult = {'tag': t, 'factor': round(ratio[t])}",
        mistaken: "from statistics import mean\nnames = plant.tags('F1')\nresult = {n: mean(plant.trend(n.name).points) for n in names}",
      };
    },
  },
  {
    id: 11,
    title: 'Chinese log: faults by station and shift',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const wide = (text: string): string => text.replace(/\d/g, (d) => String.fromCharCode(0xff10 + Number(d)));
      const counts: Record<string, number> = {};
      const lines = Array.from({ length: n }, () => {
        const station = 1 + Math.floor(next() * 5);
        const hour = Math.floor(next() * 24);
        const shift = hour < 8 ? '夜班' : hour < 16 ? '早班' : '中班';
        const clock = `${String(hour).padStart(2, '0')}:${String(Math.floor(next() * 60)).padStart(2, '0')}`;
        const isFault = next() < 0.15;
        if (isFault) counts[`${station}号站 ${shift}`] = (counts[`${station}号站 ${shift}`] ?? 0) + 1;
        const line = `2026-01-05 ${clock} ${station}号站 ${isFault ? '故障：电机过载' : '运行正常'} 电流${round(next() * 40, 1)}A`;
        return next() < 0.5 ? wide(line) : line;
      });
      const rows = Object.entries(counts).map(([key, count]) => ({ key, count }));
      return {
        question: '统计 station.log 中每个站每个班次（夜班0-8点，早班8-16点，中班16-24点）的故障次数，数字可能是全角。',
        answer: counts,
        ...text('station.log', lines.join('\n')),
        fair: [
          {
            name: 'analyze_log',
            args: { file: 'station.log', action: 'count', match: '故障', by: ['station', 'shift'] },
            result: { counts: rows },
          },
        ],
        dependentCalls: 1,
        program:
          "import re, unicodedata\nout = {}\nfor line in open('station.log', encoding='utf-8'):\n    line = unicodedata.normalize('NFKC', line)\n    if '故障' in line:\n        h = int(re.search(r' (\\d\\d):', line).group(1))\n        s = re.search(r'(\\d)号站', line).group(1)\n        k = f\"{s}号站 {'夜班' if h < 8 else '早班' if h < 16 else '中班'}\"\n        out[k] = out.get(k, 0) + 1\nresult = out",
        mistaken:
          "out = {}\nfor line in open('station.log', encoding='utf-8'):\n    h = int(line[11:13])\n    out[h] = out.get(h, 0) + 1\nresult = outt",
      };
    },
  },
  {
    id: 12,
    title: 'A set-point change computed and proposed',
    scales: true,
    make(n, seed) {
      const next = random(seed);
      const tags = { 'B1.temp': series(n, 1000, (i) => 64 + Math.sin(i / 40) + next()), 'B1.setpoint': [{ at: start, value: 65 }] };
      const average = round(mean(tags['B1.temp'].map((r) => r.value)), 3);
      const target = round(65 + (65 - average) * 0.5, 1);
      const answer = { old: 65, proposed: target };
      const read: Call = {
        name: 'read_tags',
        args: { tags: ['B1.setpoint'] },
        result: { readings: [{ tag: 'B1.setpoint', value: 65, unit: '°C', quality: 'good' }] },
      };
      const propose: Call = {
        name: 'propose_write',
        args: { tag: 'B1.setpoint', value: target },
        result: { proposed: true, note: 'a person decides' },
      };
      const trend = (format?: string): Call => ({
        name: 'trend',
        args: { tag: 'B1.temp', ...(format ? { format } : {}) },
        result: format ? asCsv(tags['B1.temp']) : { tag: 'B1.temp', rows: shown(tags['B1.temp']) },
      });
      return {
        question:
          'Propose a new B1.setpoint: the present one plus half of the distance between it and the mean of B1.temp (present minus mean), to one decimal.',
        answer,
        tags,
        naive: [read, trend(), propose],
        naiveCsv: [read, trend('csv'), propose],
        fair: [read, aggregate({ tags: ['B1.temp'], fn: 'mean' }, { results: [{ tag: 'B1.temp', value: average, samples: n }] }), propose],
        dependentCalls: 3,
        program:
          "from statistics import mean\nold = plant.read('B1.setpoint')[0].value\navg = mean(p.value for p in plant.trend('B1.temp').points)\nnew = round(old + (old - avg) * 0.5, 1)\nplant.propose_write('B1.setpoint', new)\nresult = {'old': old, 'proposed': new}",
        mistaken: "from statistics import mean\nold = plant.read('B1.setpoint').value\nresult = old",
      };
    },
  },
];
