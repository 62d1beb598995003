import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CallEnvelope, ResultEnvelope } from '../../contracts/calls.ts';
import type { Lang, WireError } from '../../errors.ts';
import { interpret, nextStep, renderAnswer } from '../index.ts';
import type { World } from '../types.ts';
import type { Done } from './steps.ts';

const world = JSON.parse(readFileSync(new URL('../../../../test/fixtures/intents/world.json', import.meta.url), 'utf8')) as World;

function done(tool: string, args: Record<string, unknown>, result: unknown, error: WireError | null = null): Done {
  const call = {
    call_id: 'c',
    parent_call_id: null,
    session_id: 's',
    turn_id: 't',
    tool,
    args,
    depends_on: [],
    expected_output_schema: null,
    timeout_ms: 1,
    meta: { timestamp: '', caller: '' },
  } satisfies CallEnvelope;
  const meta = {
    timestamp: '',
    duration_ms: 1,
    exit_code: null,
    status_code: null,
    crc_valid: null,
    truncated: false,
    fallback: null,
    attempts: 1,
    cached: false,
  };
  return { call, result: { call_id: 'c', ok: error === null, result, error, meta } satisfies ResultEnvelope };
}
const reading = (tag: string, value: number | boolean | null, unit: string, extra: Record<string, unknown> = {}) => ({
  tag,
  name: { en: tag, zh: tag },
  value,
  unit,
  quality: 'good',
  read_at: '2026-03-18T10:30:00',
  age_ms: 200,
  reason: null,
  device: 'plc1',
  reference: '40001',
  error: null,
  last_known: null,
  ...extra,
});
const step = (text: string, results: Done[] = [], lang: Lang = 'en') => nextStep(interpret(text, world), { lang, results, world });

describe('the next step', () => {
  test('calls the tool by its own name and arguments', () => {
    expect(step('read 10 holding registers from slave 1 starting at 0')).toEqual({
      type: 'calls',
      last: false,
      calls: [{ callId: 'c1', tool: 'modbus_read', args: { unit: 1, table: 'holding', address: 0, count: 10 } }],
    });
  });

  test('of a relative change reads first and then writes an absolute value', () => {
    const text = 'raise pump 1 frequency by 5';
    expect(step(text)).toMatchObject({ calls: [{ tool: 'tag_read', args: { tags: ['pump1_freq'] } }] });
    const read = done('tag_read', {}, { readings: [reading('pump1_freq', 30.1, 'Hz')] });
    expect(step(text, [read])).toMatchObject({ calls: [{ callId: 'c2', tool: 'tag_write', args: { tag: 'pump1_freq', value: 35.1 } }] });
  });

  test('of a relative change past the limit asks, and from a bad reading writes nothing', () => {
    const text = 'raise pump 1 frequency by 5';
    expect(step(text, [done('tag_read', {}, { readings: [reading('pump1_freq', 48, 'Hz')] })])).toMatchObject({
      type: 'clarify',
      reason: 'out_of_range',
    });
    for (const quality of ['bad', 'stale', 'uncertain']) {
      const end = step(text, [
        done('tag_read', {}, { readings: [reading('pump1_freq', quality === 'bad' ? null : 30, 'Hz', { quality })] }),
      ]);
      expect(end).toMatchObject({ type: 'answer', text: expect.stringContaining('was not made') as string });
    }
  });

  test('of two relative changes reads both at once and then lists both writes, in order', () => {
    const text = 'raise pump 2 frequency by 5 and lower pump 1 frequency by 2';
    expect(step(text)).toMatchObject({ calls: [{ tool: 'tag_read', args: { tags: ['pump2_freq', 'pump1_freq'] } }] });
    const read = done('tag_read', {}, { readings: [reading('pump2_freq', 20, 'Hz'), reading('pump1_freq', 30, 'Hz')] });
    expect(step(text, [read])).toEqual({
      type: 'calls',
      calls: [
        { callId: 'c2', tool: 'tag_write', args: { tag: 'pump2_freq', value: 25 } },
        { callId: 'c3', tool: 'tag_write', args: { tag: 'pump1_freq', value: 28 } },
      ],
      last: false,
    });
    // One without a reliable value: neither is written.
    const half = done(
      'tag_read',
      {},
      { readings: [reading('pump2_freq', 20, 'Hz'), reading('pump1_freq', 30, 'Hz', { quality: 'stale' })] },
    );
    expect(step(text, [half])).toMatchObject({ type: 'answer', text: expect.stringContaining('was not made') as string });
  });

  test('of a relative change after a set one starts from what was set, whatever the device still holds', () => {
    const text = 'set pump 1 frequency to 20 and raise pump 1 frequency by 5';
    const read = done('tag_read', {}, { readings: [reading('pump1_freq', 40, 'Hz')] });
    expect(step(text, [read])).toMatchObject({ calls: [{ args: { value: 20 } }, { args: { value: 25 } }] });
  });

  test('of two writes says the first and the failure of the second', () => {
    const text = 'raise pump 2 frequency by 5 and lower pump 1 frequency by 2';
    const read = done('tag_read', {}, { readings: [reading('pump2_freq', 20, 'Hz'), reading('pump1_freq', 30, 'Hz')] });
    const ok = { tag: 'pump2_freq', unit: 'Hz', before: 20, after: 25, now: 25, sent: true, verdict: 'confirmed', undoable: true };
    const error: WireError = { code: 'WRITE_NOT_TAKEN', message: 'Pump 1 kept 30 Hz.', advice: 'Look at it.', retry: 'no', detail: {} };
    const end = step(text, [read, done('tag_write', {}, { writes: [ok] }), done('tag_write', {}, null, error)]);
    expect(end).toMatchObject({ type: 'answer', error });
    expect(end.type === 'answer' && end.text).toMatch(/pump2_freq: 20 Hz → 25 Hz.*\n\nPump 1 kept 30 Hz\. Look at it\./s);
  });

  test('of several requests goes one by one and stops at the first failure', () => {
    const text = 'read boiler temp then start pump 1';
    const read = done('tag_read', {}, { readings: [reading('boiler_temp', 150, '°C')] });
    expect(step(text, [read])).toMatchObject({ calls: [{ tool: 'tag_write', args: { tag: 'pump1_run', value: true } }] });
    const error: WireError = { code: 'TIMEOUT', message: 'No answer.', advice: 'Check power.', retry: 'yes', detail: {} };
    expect(step(text, [done('tag_read', {}, null, error)])).toMatchObject({ type: 'answer', text: 'No answer. Check power.', error });
  });

  test('asks one question with the candidates to pick from', () => {
    expect(step('set pump frequency to 30')).toEqual({
      type: 'clarify',
      reason: 'ambiguous_tag',
      question: 'Several tags fit. Which one?',
      candidates: [
        { value: 'pump1_freq', label: 'pump 1 frequency (pump1_freq)' },
        { value: 'pump2_freq', label: 'pump 2 frequency (pump2_freq)' },
      ],
    });
    expect(step('给从站写5', [], 'zh')).toMatchObject({ type: 'clarify', reason: 'missing_unit' });
  });

  test('refuses in words and with an error', () => {
    expect(step('把所有寄存器都清零', [], 'zh')).toMatchObject({ type: 'refuse', error: { code: 'POLICY_REFUSED' } });
  });

  test('of a trend opens the trend', () => {
    const result = {
      from: '2026-03-18T09:30:00',
      to: '2026-03-18T10:30:00',
      series: [
        { tag: 'boiler_temp', name: { en: 'Boiler', zh: '锅炉' }, unit: '°C', min: 1, max: 3, avg: 2, last: 2.5, samples: 10, gaps: [] },
      ],
    };
    expect(step('plot boiler temp', [done('trend', {}, result)])).toMatchObject({
      type: 'answer',
      shows: [{ kind: 'trend', tags: ['boiler_temp'], from: '2026-03-18T09:30:00', to: '2026-03-18T10:30:00' }],
    });
  });

  test('explains an exception with the words of the diagnosis', () => {
    expect(step('what does exception code 2 mean')).toMatchObject({
      type: 'answer',
      text: expect.stringContaining('illegal data address') as string,
    });
  });
});

describe('an answer', () => {
  const say = (text: string, lang: Lang, tool: string, result: unknown): string =>
    renderAnswer(interpret(text, world), [done(tool, {}, result)], lang, world);

  test('states value, unit, time and source', () => {
    const result = { readings: [reading('boiler_temp', 151.25, '°C', { name: { en: 'Boiler temperature', zh: '锅炉温度' } })] };
    expect(say('锅炉温度现在多少', 'zh', 'tag_read', result)).toBe('锅炉温度：151.25 °C（10:30:00 读取，plc1 参考 40001）。');
    expect(say('boiler temp', 'en', 'tag_read', result)).toBe('Boiler temperature: 151.25 °C (read at 10:30:00, plc1 ref 40001).');
  });

  test('never states an old value as the present one', () => {
    const bad = {
      readings: [
        reading('boiler_temp', null, '°C', {
          quality: 'bad',
          error: { message: 'No answer.', advice: 'Check power.' },
          last_known: { value: 99, read_at: '2026-03-18T09:00:00', age_ms: 5_400_000 },
        }),
      ],
    };
    expect(say('boiler temp', 'en', 'tag_read', bad)).toBe(
      'boiler_temp: no present value (plc1 ref 40001). No answer. Check power. It last read 99 °C at 2026-03-18 09:00:00; that is not its value now.',
    );
  });

  test('shows an old or doubtful reading with its age and quality', () => {
    const stale = { readings: [reading('boiler_temp', 99, '°C', { quality: 'stale', age_ms: 65_000 })] };
    expect(say('boiler temp', 'en', 'tag_read', stale)).toContain('quality stale');
    expect(say('boiler temp', 'en', 'tag_read', stale)).toContain('65 s ago');
  });

  test('of many registers is a table with both address forms', () => {
    const values = [0, 1].map((address) => ({
      address,
      reference: String(40001 + address),
      value: 7 + address,
      raw: [7],
      quality: 'good',
      reason: null,
      tag: null,
    }));
    const text = say('read registers 0-1 of slave 1', 'en', 'modbus_read', {
      device: 'plc1',
      unit: 1,
      table: 'holding',
      values,
      read_at: '2026-03-18T10:30:00',
    });
    expect(text).toContain('| Address | Reference | Value |');
    expect(text).toContain('| 1 | 40002 | 8 |');
  });

  test('of a write says what was read back', () => {
    const write = { tag: 'pump1_freq', unit: 'Hz', before: 30, after: 35, now: 30, sent: true, verdict: 'not-taken', undoable: false };
    expect(say('set pump 1 frequency to 35', 'en', 'tag_write', { writes: [write] })).toBe(
      'pump1_freq: 30 Hz → 35 Hz, the device did not take it and still holds the old value; it reads 30 Hz now.',
    );
    expect(say('把1号泵频率设为35', 'zh', 'tag_write', { writes: [{ ...write, now: 35, verdict: 'confirmed', undoable: true }] })).toBe(
      'pump1_freq：30 Hz → 35 Hz，已确认，回读一致。 可以撤销。',
    );
  });

  test('says so when nothing was recorded', () => {
    expect(
      say('max boiler temp yesterday', 'en', 'aggregate', {
        fn: 'max',
        threshold: null,
        from: '2026-03-17T00:00:00',
        to: '2026-03-18T00:00:00',
        results: [
          {
            tag: 'boiler_temp',
            name: { en: 'Boiler', zh: '锅炉' },
            unit: '°C',
            value: null,
            at: null,
            samples: 0,
            bad_samples: 0,
            duration_ms: null,
          },
        ],
      }),
    ).toBe('Boiler: no good sample from 2026-03-17 00:00:00 to 2026-03-18 00:00:00.');
  });
});

describe('a scan is answered by what it found', () => {
  const scan = interpret('scan COM3 for slaves 1-16', world);
  const job = (state: string, extra: Record<string, unknown> = {}) => ({
    job_id: 'j1',
    kind: 'scan_devices',
    state,
    progress: { done: 4, total: 16 },
    result: null,
    error: null,
    age_ms: 1,
    ...extra,
  });
  const found = {
    found: [
      { unit: 3, connection: 'line', device: null, identity: { vendor: 'ACME', product: 'PT-1', revision: null } },
      { unit: 9, connection: 'line', device: 'vfd2', identity: null },
    ],
    probed: 16,
    silent: 14,
    settings: { baud: 19200, dataBits: 8, parity: 'even', stopBits: 1 },
  };
  const asked = done('scan_devices', scan.params, job('running'));

  test('while it runs as a job, the job is waited for, and nothing is said yet', () => {
    for (const results of [
      [asked],
      [asked, done('job', { job_id: 'j1', wait_ms: 20_000 }, job('running', { progress: { done: 9, total: 16 } }))],
    ])
      expect(nextStep(scan, { lang: 'en', world, results })).toMatchObject({
        type: 'calls',
        calls: [{ tool: 'job', args: { job_id: 'j1', wait_ms: 20_000 } }],
        last: false,
      });
  });

  test('its end gives the stations with their settings, in both languages, whether it took a job or not', () => {
    const ended = [asked, done('job', { job_id: 'j1', wait_ms: 20_000 }, job('done', { result: found }))];
    expect(renderAnswer(scan, ended, 'en', world)).toBe(
      'Found 2 devices (16 asked):\n- unit 3 @ line: ACME PT-1\n- unit 9 @ line: vfd2\nLine settings: 19200 8E1',
    );
    expect(renderAnswer(scan, [done('scan_devices', scan.params, job('done', { result: found }))], 'zh', world)).toContain(
      '找到 2 台设备（问了 16 个）',
    );
    expect(
      renderAnswer(scan, [done('scan_devices', scan.params, job('done', { result: { found: [], probed: 16, silent: 16 } }))], 'en', world),
    ).toMatch(/^No device answered \(16 asked\)/);
  });

  test('a scan that failed or was stopped says so and why', () => {
    const error = { code: 'PORT_NOT_FOUND', message: 'No port COM3.', advice: 'Check the plug.', retry: 'no', detail: {} };
    expect(renderAnswer(scan, [done('scan_devices', scan.params, job('failed', { error }))], 'en', world)).toBe(
      'The scan did not finish 4/16. No port COM3. Check the plug.',
    );
  });
});
