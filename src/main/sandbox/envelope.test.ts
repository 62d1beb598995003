import { expect, test } from 'vitest';
import { writeEnvelope } from './envelope.ts';
import type { RawRun } from './protocol.ts';

const limits = { timeoutMs: 5_000, memoryMb: 512 };
const bytes = (text: string): { bytes: Uint8Array; total: number } => ({ bytes: Buffer.from(text), total: Buffer.byteLength(text) });
function raw(more: Partial<RawRun>): RawRun {
  return {
    end: 'reported',
    report: null,
    foreignBytes: 0,
    exitCode: 0,
    signal: null,
    stdout: bytes(''),
    stderr: bytes(''),
    execMs: 1.26,
    startMs: 2,
    memoryMb: 10.04,
    memorySource: 'vmhwm',
    runtime: 'python-3.11',
    reason: null,
    ...more,
  };
}
const envelope = (more: Partial<RawRun>) => writeEnvelope(raw(more), 'kernel', limits);
const reported = (report: unknown, more: Partial<RawRun> = {}) => envelope({ report: JSON.stringify(report), ...more });

test('status, level, times and memory come from the host, whatever the report claims', () => {
  const result = reported({
    kind: 'result',
    status: 'ok',
    level: 'wasm',
    metadata: { exec_time_ms: 0 },
    output: { type: 'json', data: { status: 'error' } },
  });
  expect(result).toMatchObject({
    status: 'ok',
    level: 'kernel',
    runtime: 'python-3.11',
    output: { type: 'json', data: { status: 'error' } },
  });
  expect(result.metadata).toEqual({
    exec_time_ms: 1.3,
    start_ms: 2,
    memory_used_mb: 10,
    memory_source: 'vmhwm',
    cached: false,
    redactions: 0,
  });
});

test.each([
  ['no JSON', '{"kind":'],
  ['no object', '[1]'],
  ['no kind', '{}'],
  ['an unknown kind', '{"kind":"approve"}'],
  ['an unknown output', '{"kind":"result","output":{"type":"html","data":"x"}}'],
  ['a row that does not fit', '{"kind":"result","output":{"type":"table","data":{"columns":["a"],"rows":[[1,2]],"total_rows":1}}}'],
  ['fewer rows in all than shown', '{"kind":"result","output":{"type":"table","data":{"columns":["a"],"rows":[[1],[2]],"total_rows":1}}}'],
  ['a picture that is none', '{"kind":"result","output":{"type":"image","data":{"mime":"image/png","base64":"aGVsbG8="}}}'],
  ['a picture of another kind', '{"kind":"result","output":{"type":"image","data":{"mime":"image/svg+xml","base64":"aGVsbG8="}}}'],
  ['too deep', `{"kind":"result","output":{"type":"json","data":${'['.repeat(100)}${']'.repeat(100)}}}`],
])('a report with %s is refused as an error', (_what, report) => {
  const result = envelope({ report });
  expect(result.status).toBe('error');
  expect(result.output).toBeNull();
  expect(result.error!.message).toContain('refused');
});

test.each([
  [{ end: 'exit', exitCode: 139 }, 'crashed'],
  [{ end: 'exit', exitCode: null, signal: 'SIGSEGV' }, 'crashed'],
  [{ end: 'exit', exitCode: 134 }, 'crashed'],
  [{ end: 'exit', exitCode: 137 }, 'killed'],
  [{ end: 'exit', exitCode: null, signal: 'SIGKILL' }, 'killed'],
  [{ end: 'exit', exitCode: 0 }, 'no_result'],
  [{ end: 'exit', exitCode: 7 }, 'no_result'],
  [{ end: 'exit', exitCode: 152 }, 'timeout'],
  [{ end: 'timeout' }, 'timeout'],
  [{ end: 'memory' }, 'memory'],
  [{ end: 'output_limit' }, 'output_limit'],
  [{ end: 'result_limit' }, 'result_limit'],
  [{ end: 'cancelled' }, 'killed'],
  [{ end: 'unavailable', reason: 'no bubblewrap' }, 'unavailable'],
] as [Partial<RawRun>, string][])('%j is %s', (more, status) => {
  expect(envelope(more).status).toBe(status);
});

test('what was written before the end is there, whatever the end was', () => {
  expect(envelope({ end: 'timeout', stdout: bytes('half a li') }).stdout).toEqual({ text: 'half a li', bytes: 9, truncated: false });
  const cut = { bytes: Buffer.from('abc'), total: 300 };
  expect(envelope({ end: 'output_limit', stdout: cut }).stdout).toEqual({ text: 'abc', bytes: 300, truncated: true });
});

test('control sequences, broken UTF-8 and turning marks arrive harmless and well-formed', () => {
  const stdout = { bytes: Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0xed, 0xa0, 0x80, 0x0a]), total: 12 };
  const { text } = envelope({ end: 'timeout', stdout }).stdout;
  expect(text).toBe('a\ufffd\ufffd\u2400\u241b[2J\ufffd\ufffd\ufffd\n');
  const result = reported({ kind: 'result', output: { type: 'text', data: 'x\u202ey\u0007' } });
  expect(result.output!.data).toBe('x\ufffdy\u2407');
  const half = envelope({ report: '{"kind":"result","output":{"type":"json","data":{"k\\ud800":"\\udfff"}}}' });
  expect(JSON.stringify(half.output!.data)).toBe('{"k\ufffd":"\ufffd"}');
});

test('personal data is masked in every text, also in keys, errors and file names', () => {
  const person = '13800138000';
  const stream = bytes(`tel ${person}\n`);
  const result = reported(
    {
      kind: 'result',
      output: { type: 'json', data: { phone: person, nested: [{ mail: 'a.b@example.com' }], [`tel ${person}`]: 1, count: 13800138 } },
      notes: [`tel ${person}`],
      files: [{ name: `${person}.csv`, size: 1, sha256: 'a'.repeat(64) }],
    },
    { stdout: stream, stderr: stream },
  );
  const text = JSON.stringify(result);
  expect(text).not.toContain(person);
  expect(text).not.toContain('a.b@example.com');
  expect(text).toContain('13800138');
  expect(result.metadata.redactions).toBeGreaterThanOrEqual(6);
  const failed = reported({
    kind: 'error',
    error: { name: 'ValueError', message: `call ${person}`, trace: [{ line: 3, in: person }] },
  });
  expect(JSON.stringify(failed)).not.toContain(person);
});

test('a key named __proto__ is only a key', () => {
  const result = envelope({ report: '{"kind":"result","output":{"type":"json","data":{"__proto__":{"polluted":1}}}}' });
  expect(JSON.stringify(result.output!.data)).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a result over the limit is refused with advice, never cut in silence', () => {
  const result = reported({ kind: 'result', output: { type: 'text', data: 'x'.repeat(1_100_000) } });
  expect(result.status).toBe('result_limit');
  expect(result.output).toBeNull();
  expect(result.error!.message).toContain('Reduce it inside the program');
});

test('the file list takes only plain entries with a true digest', () => {
  const good = { name: 'a.csv', size: 3, sha256: 'b'.repeat(64) };
  const result = reported({
    kind: 'result',
    output: null,
    files: [good, { name: 'x', size: -1, sha256: 'b'.repeat(64) }, { name: 'y', size: 1, sha256: 'no' }, 5, null],
  });
  expect(result.files).toEqual([good]);
});

test('an error carries at most eight steps and a short message', () => {
  const trace = Array.from({ length: 50 }, (_, i) => ({ line: i, in: 'f' }));
  const { error } = reported({ kind: 'error', error: { name: 'E'.repeat(500), message: 'x'.repeat(9_000), trace } });
  expect(error!.trace).toHaveLength(8);
  expect(error!.message.length).toBeLessThanOrEqual(400);
  expect(error!.name.length).toBeLessThanOrEqual(80);
});
