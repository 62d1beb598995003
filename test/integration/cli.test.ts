import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { TurnReport } from '../../src/shared/contracts/agent.ts';
import type { VerifyReport } from '../../src/shared/contracts/record.ts';
import type { RunResult } from '../../src/shared/contracts/sandbox.ts';
import { entryFile } from '../../src/main/entries.ts';
import { freshFolder, handrail } from '../harness/cli.ts';

type Ask = TurnReport;
const ask = async (data: string, text: string, ...more: string[]): Promise<{ code: number | null; report: Ask }> => {
  const run = await handrail(['ask', text, '--json', '--data', data, ...more]);
  return { code: run.code, report: run.json as Ask };
};
const codeOf = (json: unknown): string => (json as { error: { code: string } }).error.code;

describe('a question to the simulated plant', () => {
  test('is answered in the language it was asked in, with value, unit and the call behind it', async () => {
    const data = freshFolder();
    const zh = await ask(data, '锅炉温度是多少？');
    const en = await ask(data, 'what is the boiler temperature?');
    for (const { code, report } of [zh, en]) {
      expect(code).toBe(0);
      expect(report.error).toBeNull();
      expect(report.grounded).toBe(true);
      const { call, result } = report.calls[0]!;
      expect(call).toMatchObject({ tool: 'tag_read', args: { tags: ['boiler_temp'] }, meta: { caller: 'agent:builtin' } });
      const reading = (result.result as { readings: { value: number; unit: string; quality: string; reference: string }[] }).readings[0]!;
      expect(reading).toMatchObject({ unit: '°C', quality: 'good' });
      expect(report.answer).toContain('°C');
      expect(report.answer).toContain(String(Math.trunc(reading.value)));
      expect(report.states.map((s) => s.state)).toEqual(['PLANNING', 'TOOL_CALLING', 'PLANNING', 'VERIFICATION', 'IDLE']);
    }
    expect(zh.report.answer).toMatch(/锅炉温度/);
    expect(en.report.answer).toMatch(/boiler/i);
  });

  test('reads registers by unit and address', async () => {
    const { code, report } = await ask(freshFolder(), 'read 10 holding registers from unit 1 starting at 0');
    expect(code).toBe(0);
    expect(report.calls[0]!.call.args).toMatchObject({ unit: 1, table: 'holding', address: 0, count: 10 });
  });

  test('help and what an exception means are texts of the program: no number of theirs is marked as if it were measured', async () => {
    for (const text of ['what can you do', '异常码02是什么意思']) {
      const { code, report } = await ask(freshFolder(), text);
      expect({ text, code, grounded: report.grounded, marks: report.marks }).toEqual({ text, code: 0, grounded: true, marks: [] });
    }
  });

  test('asks back with candidates and exit 2 where the words fit several tags', async () => {
    const { code, report } = await ask(freshFolder(), '当前温度是多少？');
    expect(code).toBe(2);
    expect(report.needs_clarification).toBe(true);
    expect(report.clarification!.candidates.length).toBeGreaterThanOrEqual(3);
    expect(report.calls).toEqual([]);
  });
});

describe('a write from the command line', () => {
  test('needs exact consent, is read back, and is undone by consent to the old value', async () => {
    const data = freshFolder();
    const locked = await ask(data, 'set boiler setpoint to 120');
    expect(locked.code).toBe(3);
    expect(`${locked.report.error!.message} ${locked.report.error!.advice}`).toContain('--approve boiler_temp_sp=120');

    const wrong = await ask(data, 'set boiler setpoint to 120', '--approve', 'boiler_temp_sp=121');
    expect([wrong.code, wrong.report.error!.code]).toEqual([3, 'APPROVAL_MISMATCH']);

    const done = await ask(data, 'set boiler setpoint to 120', '--approve', 'boiler_temp_sp=120');
    expect(done.code).toBe(0);
    const { writes } = done.report.calls.at(-1)!.result.result as { writes: { verdict: string; before: number; now: number }[] };
    expect(writes).toMatchObject([{ verdict: 'confirmed', now: 120 }]);
    expect(done.report.states.map((s) => s.state)).toContain('VERIFICATION');
    const old = writes[0]!.before;

    const asked = await ask(data, 'undo');
    expect(asked.code).toBe(3);
    const words = `${asked.report.answer} ${asked.report.error!.message} ${asked.report.error!.advice}`;
    expect(words).toContain('boiler_temp_sp');
    expect(words).toContain(String(old));

    const undone = await ask(data, 'undo', '--approve', `boiler_temp_sp=${old}`);
    expect(undone.code).toBe(0);
    const after = await ask(data, 'what is the boiler setpoint');
    expect((after.report.calls[0]!.result.result as { readings: { value: number }[] }).readings[0]!.value).toBe(old);

    const verified = await handrail(['audit', 'verify', '--json', '--data', data]);
    expect([verified.code, (verified.json as VerifyReport).ok]).toEqual([0, true]);
  });

  test('of two relative changes is one request: both written in order, from values read just before', async () => {
    const data = freshFolder();
    const text = 'lower the boiler setpoint by 2 and lower pump 1 frequency by 1';
    const asked = await ask(data, text);
    const now = (asked.report.calls[0]!.result.result as { readings: { value: number }[] }).readings.map((r) => r.value);
    const [setpoint, frequency] = [now[0]! - 2, now[1]! - 1];
    const half = await ask(data, text, '--approve', `boiler_temp_sp=${setpoint}`);
    expect(half.code).toBe(3);
    const done = await ask(data, text, '--approve', `boiler_temp_sp=${setpoint}`, '--approve', `pump1_freq=${frequency}`);
    expect(done.code).toBe(0);
    expect(done.report.calls.map(({ call, result }) => [call.tool, result.ok])).toEqual([
      ['tag_read', true],
      ['tag_write', true],
      ['tag_write', true],
    ]);
    const holds = await ask(data, 'read boiler setpoint and pump 1 frequency');
    const values = holds.report.calls.flatMap(({ result }) =>
      (result.result as { readings: { value: number }[] }).readings.map((r) => r.value),
    );
    expect(values).toEqual([setpoint, frequency]);
  });

  test('is refused for a read-only tag, a value out of range and a broadcast', async () => {
    const data = freshFolder();
    expect((await ask(data, '把锅炉温度改成120度', '--approve', 'boiler_temp=120')).report.clarification?.reason).toBe('read_only_tag');
    expect((await ask(data, '2号泵频率调到60Hz', '--approve', 'pump2_freq=60')).code).not.toBe(0);
    expect((await ask(data, 'write 1 to register 5 of unit 0')).code).toBe(3);
  });
});

describe('the record', () => {
  test('lists, shows, exports, proves elsewhere, and names the first broken record', async () => {
    const data = freshFolder();
    await ask(data, 'what is the boiler temperature?');
    const list = (await handrail(['audit', 'list', '--json', '--data', data])).json as { id: string }[];
    expect(list).toHaveLength(1);
    const shown = (await handrail(['audit', 'show', list[0]!.id, '--json', '--data', data])).json as { calls: unknown[] };
    expect(shown.calls).toHaveLength(1);
    const file = join(freshFolder(), 'session.jsonl');
    expect((await handrail(['audit', 'export', list[0]!.id, file, '--data', data])).code).toBe(0);
    expect((await handrail(['audit', 'verify', file])).code).toBe(0);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.map((line, i) => (i === 3 ? line.replace('boiler', 'bolier') : line)).join('\n'));
    expect((await handrail(['audit', 'replay', list[0]!.id, '--data', data])).code).toBe(0);

    const db = new Database(join(data, 'record.db'));
    db.exec('DROP TRIGGER IF EXISTS event_no_update');
    for (const { name } of db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all() as { name: string }[])
      db.exec(`DROP TRIGGER "${name}"`);
    db.prepare("UPDATE event SET payload = replace(payload, 'cli', 'clj') WHERE seq = 1").run();
    db.close();
    const broken = await handrail(['audit', 'verify', '--json', '--data', data]);
    expect(broken.code).toBe(1);
    expect((broken.json as VerifyReport).firstBroken!.seq).toBe(1);
  });
});

describe('a program in the sandbox', () => {
  test('javascript and python give the result contract', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'a.js'), 'result = [1, 2, 3].reduce((a, b) => a + b)\n');
    writeFileSync(join(folder, 'a.py'), 'result = sum(range(10))\n');
    writeFileSync(join(folder, 'bad.py'), 'result = 1 / 0\n');
    const js = (await handrail(['exec', '--lang', 'javascript', join(folder, 'a.js'), '--json'])).json as RunResult;
    expect(js).toMatchObject({ status: 'ok', output: { type: 'json', data: 6 } });
    const py = (await handrail(['exec', '--lang', 'python', join(folder, 'a.py'), '--json'])).json as RunResult;
    expect(py).toMatchObject({ status: 'ok', output: { type: 'json', data: 45 } });
    const bad = await handrail(['exec', '--lang', 'python', join(folder, 'bad.py'), '--json']);
    expect(bad.code).toBe(3);
    expect(bad.json).toMatchObject({ status: 'error', error: { name: 'ZeroDivisionError' } });
  });

  test('a question that computes over read values goes through the sandbox', async () => {
    const { code, report } = await ask(freshFolder(), 'average of the first 4 holding registers of unit 1');
    expect(code).toBe(0);
    expect(report.states.map((s) => s.state)).toContain('SANDBOX_EXECUTION');
  });
});

describe('desk work', () => {
  test('a named CSV answers maximum and when', async () => {
    const folder = freshFolder();
    writeFileSync(
      join(folder, 'boiler.csv'),
      'time,temp,pressure\n2026-03-18 08:00:00,120.5,0.8\n2026-03-18 08:05:00,133.25,0.9\n2026-03-18 08:10:00,99,0.7\n',
    );
    const { code, report } = await ask(freshFolder(), '日志里温度最高是多少', '--input', join(folder, 'boiler.csv'));
    expect(code).toBe(0);
    expect(report.answer).toContain('133.25');
    expect(report.answer).toContain('08:05');
  });
});

describe('bad input', () => {
  test('each kind has its own code, advice and exit code, and loses nothing', async () => {
    const folder = freshFolder();
    const plant = join(folder, 'plant.json');
    writeFileSync(plant, '{"name": {');
    const cases: [string[], number, string][] = [
      [['asl', 'x'], 1, 'ARGS_USAGE'],
      [['ask'], 1, 'ARGS_USAGE'],
      [['ask', 'x', '--model', 'gpt'], 1, 'ARGS_USAGE'],
      [['ask', 'x', '--plant', plant], 1, 'ARGS_PLANT_FILE'],
      [['ask', 'x', '--plant', join(folder, 'none.json')], 1, 'ARGS_UNREADABLE_FILE'],
      [['ask', 'x', '--approve', 'nonsense'], 1, 'ARGS_USAGE'],
      [['ask', 'x', '--approve', 'no_such_tag=1'], 1, 'DEVICE_TAG_UNKNOWN'],
      [['exec', '--lang', 'cobol', 'a'], 1, 'ARGS_USAGE'],
      [['tool', 'tag_read', '{'], 1, 'ARGS_USAGE'],
      [['tool', 'no_such_tool', '{}'], 3, 'TOOL_UNKNOWN'],
      [['tool', 'tag_read', '{"tags":[]}'], 3, 'ARGS_INVALID'],
      [['audit', 'show', 'nope'], 1, 'STORE_NOT_FOUND'],
    ];
    const data = freshFolder();
    for (const [args, exit, code] of cases) {
      const run = await handrail([...args, '--json', '--data', data]);
      expect({ args, exit: run.code, code: codeOf(run.json) }).toEqual({ args, exit, code });
      expect(run.stderr).toContain(code);
    }
    expect(existsSync(plant)).toBe(true);
  });

  test('an unreachable device and a busy port are named', async () => {
    const folder = freshFolder();
    const made = await handrail(['simulate', '--fault', 'list', '--json']);
    expect(made.code).toBe(0);
    const server = createServer();
    const port = await new Promise<number>((done) =>
      server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port)),
    );
    const busy = await handrail(['simulate', '--port', String(port), '--json', '--data', folder]);
    expect([busy.code, codeOf(busy.json)]).toEqual([1, 'PORT_LISTEN']);
    await new Promise<void>((done) => server.close(() => done()));
    // The same plant, served by nobody: the port is free again and refuses.
    const plant = join(folder, 'plant.json');
    writeFileSync(plant, JSON.stringify(smallPlant(port)));
    const run = await handrail(['ask', 'read register 0 of unit 1', '--plant', plant, '--json', '--data', folder]);
    expect(run.code).toBe(3);
    expect((run.json as Ask).error).toMatchObject({ code: 'PORT_REFUSED' });
  });

  test('a second process that wants to write to the same data folder is told who has it', async () => {
    const data = freshFolder();
    const server = spawn(process.execPath, [entryFile('cli'), 'serve', '--no-open', '--json', '--data', data], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<void>((done) => server.once('close', () => done()));
    try {
      await new Promise<void>((up) => server.stdout.once('data', () => up()));
      const run = await handrail(['ask', 'what is the boiler temperature?', '--json', '--data', data]);
      expect([run.code, codeOf(run.json)]).toEqual([1, 'STORE_LOCKED']);
      expect((await handrail(['audit', 'list', '--json', '--data', data])).code).toBe(0);
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  });
});

function smallPlant(port: number): unknown {
  return {
    name: { en: 'small', zh: '小厂' },
    simulated: false,
    connections: [{ id: 'net', kind: 'tcp', host: '127.0.0.1', port }],
    devices: [{ id: 'plc1', name: { en: 'plc', zh: '控制器' }, aliases: ['plc1'], connection: 'net', unitId: 1 }],
    tags: [],
  };
}
