import { spawn } from 'node:child_process';
import { readFile, writeFile, mkdtemp, rm, chmod, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SerialPort } from 'serialport';
import { createDevices } from '../../src/main/devices/index.ts';
import type { ConnectionConfig, Devices, WireReply, WireRequest } from '../../src/shared/contracts/devices.ts';
import { asHandrailError } from '../../src/shared/errors.ts';
import { encodeRtu, encodeTcp, wordsPdu } from '../../src/main/devices/index.ts';
import { openPtyLine } from '../harness/ptyLine.ts';
import type { Failure } from './runner.ts';
import { judgeDecode } from './lineFaultDecode.ts';
import type { Exchange, Expected, Fault, FaultRequest, Got, Verdict } from './lineFaultFormat.ts';
import { fillTid, lengthMs, play, rtuPeer, sleep, tcpPeer, type Peer, type Seen } from './lineFaultPeer.ts';

/** Line faults: a scripted peer for each case, the request through the product's own client, what came against what is expected. */
export async function run(files: string[]): Promise<{ passed: number; failed: number; failures: Failure[] }> {
  const faults: Fault[] = [];
  for (const file of files) faults.push(...(JSON.parse(await readFile(file, 'utf8')) as { faults: Fault[] }).faults);
  return runFaults(faults);
}

export async function runFaults(faults: readonly Fault[]): Promise<{ passed: number; failed: number; failures: Failure[] }> {
  const failures: Failure[] = [];
  try {
    setPriority(-15); // peer and client keep the times of the script on a busy machine, where that is allowed
  } catch {
    // then the machine decides
  }
  // A few at a time, for most of a case is waiting.
  const queue = faults.map((fault, index) => ({ fault, index }));
  const verdicts = new Array<Verdict>(faults.length);
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) verdicts[next.index] = await judge(next.fault);
    }),
  );
  for (const [index, fault] of faults.entries()) {
    let verdict = verdicts[index]!;
    // On time alone a case may be run again, on a machine with nothing else to do; a wrong value never.
    for (let again = 0; again < 2 && !verdict.passed && verdict.timeOnly && !verdict.wrong_value && !verdict.wrong_write; again++)
      verdict = await judge(fault);
    if (!verdict.passed)
      failures.push({
        id: fault.id,
        title: fault.title,
        expected: verdict.expected,
        got: verdict.got,
        wrong_value: verdict.wrong_value,
        wrong_write: verdict.wrong_write,
      });
  }
  return { passed: faults.length - failures.length, failed: failures.length, failures };
}

async function judge(fault: Fault): Promise<Verdict> {
  try {
    if (fault.kind === 'decode' || fault.transport === 'codec') return judgeDecode(fault);
    if (fault.setup || fault.kind === 'open') return await judgeOpen(fault);
    return await withPeer(fault, async (peer, devices) => {
      if (fault.parallel) return judgeParallel(fault, peer, devices);
      if (fault.tid_reuse) return judgeTidReuse(fault, peer, devices);
      return judgeExchanges(fault, peer, devices);
    });
  } catch (error) {
    return {
      passed: false,
      expected: fault.expected,
      got: { error: error instanceof Error ? error.stack : String(error) },
      wrong_value: false,
      wrong_write: false,
      timeOnly: false,
    };
  }
}

async function withPeer<T>(fault: Fault, work: (peer: Peer, devices: Devices) => Promise<T>): Promise<T> {
  const isLine = fault.transport === 'rtu';
  const peer = isLine ? await rtuPeer() : await tcpPeer();
  const devices = createDevices();
  const config: ConnectionConfig = isLine
    ? {
        id: 'line',
        kind: 'rtu',
        serial: {
          path: peer.path,
          baud: 115_200,
          dataBits: 8,
          parity: 'none',
          stopBits: 1,
          ...(fault.line?.echo === undefined ? {} : { echo: fault.line.echo }),
        },
      }
    : { id: 'line', kind: 'tcp', host: '127.0.0.1', port: peer.port, timing: { inFlight: fault.parallel ? 16 : 1 } };
  devices.configure([config]);
  try {
    return await work(peer, devices);
  } finally {
    await devices.close();
    await peer.close();
  }
}

async function judgeExchanges(fault: Fault, peer: Peer, devices: Devices): Promise<Verdict> {
  const steps: Exchange[] = [
    { request: fault.request!, expect_tx: fault.expect_tx, server: fault.server ?? [], expected: fault.expected },
    ...(fault.then ?? []),
  ];
  const scripts: { played: Promise<void>; dueAt: number }[] = [];
  for (const [index, step] of steps.entries()) {
    await sleep(step.wait_before_ms ?? 0);
    // What the script has the peer do before this request happens before it, however busy the machine is.
    const due = scripts.filter((script) => script.dueAt <= performance.now());
    if (due.length > 0) {
      await Promise.all(due.map((script) => script.played));
      await sleep(5);
    }
    if (step.reconnect) await reopened(devices);
    const from = { bytes: peer.received.length, requests: peer.requests };
    let tid: number | null = null;
    let isPlayed = false;
    peer.onRequest = (seen) => {
      tid = seen.tid;
      if (isPlayed) return; // the script answers one request; a second one would be ours to explain
      isPlayed = true;
      const server = step.server ?? [];
      scripts.push({ played: play(server, seen).catch(() => undefined), dueAt: performance.now() + lengthMs(server) });
    };
    const got = await ask(devices, requestOf(step.request, fault.js_value));
    if (step.expect_tx === null || step.expected.wire === 'none' || step.expected.requests_seen !== undefined || !got.ok) await sleep(15); // a frame too many would come now
    const sent = peer.received.subarray(from.bytes).toString('hex');
    const problem = compare(step, index === 0 ? fault.js_value : undefined, got, sent, tid, [peer.requests, peer.requests - from.requests]);
    if (problem) return { ...problem, got: { ...got, tx: sent, step: index }, expected: { ...step.expected, expect_tx: step.expect_tx } };
  }
  return { passed: true };
}

type Failing = Extract<Verdict, { passed: false }>;

function compare(step: Exchange, _js: unknown, got: Got, sent: string, tid: number | null, seen: [number, number]): Failing | null {
  const { expected } = step;
  const fail = (wrong_value = false, timeOnly = false, wrong_write = false): Failing => ({
    passed: false,
    expected,
    got,
    wrong_value,
    wrong_write,
    timeOnly,
  });
  const wantsValues = Array.isArray(expected.values);
  const isSameValue = !wantsValues || sameList(expected.values!, got.values);
  if (got.ok) {
    if (!isSameValue) return fail(true);
    if (isOwnLateAnswer(step, got, tid)) return fail(false, true);
    if (!expected.ok) return fail(true);
  } else if (expected.ok) {
    if (!expected.also_accept_error?.includes(got.error_code!)) return fail(false, got.error_code === 'TIMEOUT');
  } else {
    const accepted = [expected.error_code, ...(expected.also_accept ?? [])];
    if (!accepted.includes(got.error_code)) return fail(false, got.error_code === 'TIMEOUT');
    if (got.error_code === 'EXCEPTION' && expected.exception_code !== undefined && got.exception_code !== expected.exception_code)
      return fail();
  }
  const isSecondChoice = !got.ok && (expected.ok || got.error_code !== expected.error_code);
  const crc = expected.crc_valid;
  // What is accepted in place of the first choice has its own crc verdict: a time-out has none.
  if (crc !== undefined && crc !== 'any' && got.crc_valid !== crc && !(isSecondChoice && expected.ok)) return fail();
  if (step.expect_tx === null || expected.wire === 'none') {
    if (sent !== '') return fail(false, false, true);
  } else if (step.expect_tx !== undefined && sent !== '' && sent !== fillTid(step.expect_tx, tid ?? Number.parseInt(sent.slice(0, 4), 16)))
    return fail(false, false, true);
  else if (step.expect_tx !== undefined && sent === '' && got.ok) return fail();
  if (expected.requests_seen !== undefined && !seen.includes(expected.requests_seen)) return fail(false, false, true);
  if (expected.max_ms !== undefined && got.duration_ms > expected.max_ms) return fail(false, true);
  if (expected.min_ms !== undefined && got.duration_ms < expected.min_ms) return fail(false, true);
  return null;
}

/**
 * Over TCP the transaction id says whose answer it is. The answer to this very question, taken although it came after the
 * deadline (the loop was held up, both lay in the kernel), is late; it is nobody else's value.
 */
const isOwnLateAnswer = (step: Exchange, got: Got, tid: number | null): boolean =>
  tid !== null &&
  step.expected.error_code === 'TIMEOUT' &&
  got.duration_ms >= step.request.timeout_ms &&
  (step.server ?? []).every((chunk) => chunk.hex === undefined || /^<tid>/.test(chunk.hex));

const plain = (value: unknown): unknown => (value === true ? 1 : value === false ? 0 : value);
const sameList = (expected: unknown[], got: unknown): boolean =>
  Array.isArray(got) && got.length === expected.length && expected.every((value, i) => plain(value) === plain(got[i]));

/** Waits until the client has opened its connection again; asks for nothing. */
async function reopened(devices: Devices): Promise<void> {
  for (let waited = 0; waited < 4000; waited += 10) {
    const state = devices.health()[0]?.state;
    if (state === 'open' || state === 'closed' || state === 'released') return;
    await sleep(10);
  }
}

function requestOf(request: FaultRequest, jsValue?: 'NaN' | 'undefined'): WireRequest {
  const replaced = jsValue === 'NaN' ? Number.NaN : undefined;
  const values = jsValue ? [replaced] : request.values;
  const wire: Record<string, unknown> = {
    connection: 'line',
    unitId: request.unit,
    functionCode: request.fc,
    priority: 'person',
    once: true,
    timeoutMs: request.timeout_ms,
    address: request.address,
    quantity: request.quantity,
    andMask: request.and_mask,
    orMask: request.or_mask,
    writeAddress: request.write_address,
    subFunction: request.sub_function,
  };
  if (values !== undefined) {
    if (request.fc === 5 || request.fc === 15)
      wire['bits'] = Array.isArray(values) ? values.map((value: unknown) => (value === 1 ? true : value === 0 ? false : value)) : values;
    else wire['words'] = values;
  }
  if (request.data !== undefined) wire['data'] = Uint8Array.from(Buffer.from(request.data, 'hex'));
  if (request.fc === 43) wire['deviceId'] = { category: request.category ?? 1, object: request.object ?? 0 };
  for (const key of Object.keys(wire)) if (wire[key] === undefined && key !== 'quantity') delete wire[key];
  return wire as unknown as WireRequest; // what does not fit is the point of the `local` cases
}

async function ask(devices: Devices, request: WireRequest): Promise<Got> {
  try {
    return gotReply(await devices.request(request));
  } catch (thrown) {
    const error = asHandrailError(thrown);
    const { detail } = error;
    return {
      ok: false,
      error_code: theirCode(typeof detail['failure'] === 'string' ? detail['failure'] : error.code),
      ...(typeof detail['exception'] === 'number' ? { exception_code: detail['exception'] } : {}),
      crc_valid: (detail['crc_valid'] as boolean | null | undefined) ?? null,
      duration_ms: Number(detail['duration_ms'] ?? 0),
      note: error.message,
    };
  }
}

const gotReply = (reply: WireReply): Got => ({
  ok: true,
  values: reply.words ?? reply.bits ?? (reply.objects ? Object.values(reply.objects) : reply.data ? [...reply.data] : null),
  crc_valid: reply.crcValid,
  duration_ms: reply.durationMs,
});

/** Our failures carry the format's names, but for these. */
const theirCode = (failure: string): string =>
  ({
    READ_ONLY: 'INVALID_REQUEST',
    NOT_QUIET: 'TIMEOUT',
    PORT_SETTINGS: 'PORT_OPEN_FAILED',
    ARGS_INVALID: 'INVALID_REQUEST',
    FRAME_LIMIT: 'INVALID_REQUEST',
  })[failure] ?? failure;

/** The peer answers value = address: on a socket in reverse order once no more come, on a line 5 ms after each request. */
async function judgeParallel(fault: Fault, peer: Peer, devices: Devices): Promise<Verdict> {
  const { count, request, address_from } = fault.parallel!;
  const isLine = fault.transport === 'rtu';
  let isBusy = false;
  let twoOnTheWire = false;
  let held: Seen[] = [];
  let idle: NodeJS.Timeout | undefined;
  const answer = (seen: Seen): void => {
    const pdu = wordsPdu(
      request.fc === 4 ? 4 : 3,
      Array.from({ length: seen.quantity }, (_, i) => (seen.address + i) & 0xffff),
    );
    seen.reply.send(isLine ? encodeRtu(request.unit, pdu) : encodeTcp(seen.tid!, request.unit, pdu));
  };
  peer.onRequest = (seen) => {
    if (isLine) {
      twoOnTheWire ||= isBusy;
      isBusy = true;
      setTimeout(() => {
        isBusy = false;
        answer(seen);
      }, 5);
      return;
    }
    held.push(seen);
    clearTimeout(idle);
    idle = setTimeout(
      () => {
        const all = held.reverse();
        held = [];
        for (const one of all) answer(one);
      },
      held.length >= count ? 0 : 20,
    );
  };
  const all = await Promise.all(
    Array.from({ length: count }, (_, i) => ask(devices, requestOf({ ...request, address: address_from + i }))),
  );
  const wrong = all.findIndex((got, i) => got.ok && (got.values as number[])[0] !== address_from + i);
  const lost = all.findIndex((got) => !got.ok || (fault.expected.crc_valid !== undefined && got.crc_valid !== fault.expected.crc_valid));
  if (wrong < 0 && lost < 0 && !twoOnTheWire) return { passed: true };
  return {
    passed: false,
    expected: fault.expected,
    got: { ...(all[wrong >= 0 ? wrong : lost] ?? {}), two_on_the_wire: twoOnTheWire },
    wrong_value: wrong >= 0,
    wrong_write: false,
    timeOnly: wrong < 0 && !twoOnTheWire,
  };
}

/** The answer of the first request comes so much later that an 8-bit id would be in use again. */
async function judgeTidReuse(fault: Fault, peer: Peer, devices: Devices): Promise<Verdict> {
  const { held, between, request } = fault.tid_reuse!;
  const stale = 0xdead;
  const late: Seen[] = [];
  let index = 0;
  peer.onRequest = (seen) => {
    const mine = index++;
    const answer = (to: Seen, word: number): void =>
      to.reply.send(encodeTcp(to.tid!, request.unit, wordsPdu(request.fc === 4 ? 4 : 3, new Array<number>(to.quantity).fill(word))));
    if (mine < held) late.push(seen);
    else if (mine < held + between) answer(seen, mine);
    else {
      for (const old of late) answer(old, stale);
      setTimeout(() => answer(seen, mine), 30);
    }
  };
  for (let i = 0; i <= held + between; i++) {
    const got = await ask(devices, requestOf(request));
    const isHeld = i < held;
    const wrongValue = got.ok && (isHeld || (got.values as number[]).some((word) => word !== i));
    if (
      wrongValue ||
      (!isHeld && !got.ok) ||
      (!isHeld && fault.expected.crc_valid !== undefined && got.crc_valid !== fault.expected.crc_valid)
    ) {
      return {
        passed: false,
        expected: fault.expected,
        got: { ...got, request: i },
        wrong_value: wrongValue,
        wrong_write: false,
        timeOnly: !wrongValue,
      };
    }
  }
  return { passed: true };
}

/** Only the opening is judged. */
async function judgeOpen(fault: Fault): Promise<Verdict> {
  const { setup } = fault;
  const ends: (() => Promise<unknown> | void)[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'handrail-open-'));
  await chmod(folder, 0o755);
  ends.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const serial = (path: string): ConnectionConfig => ({
      id: 'line',
      kind: 'rtu',
      serial: { path, baud: 115_200, dataBits: 8, parity: 'none', stopBits: 1 },
    });
    let config: ConnectionConfig = serial(join(folder, 'missing'));
    if (setup?.tcp === 'closed_port') config = { id: 'line', kind: 'tcp', host: '127.0.0.1', port: await closedPort() };
    if (setup?.port === 'regular_file') {
      await writeFile(join(folder, 'file'), 'no port');
      config = serial(join(folder, 'file'));
    }
    if (setup?.port === 'locked' || setup?.port === 'mode_0600_of_root') {
      const line = await openPtyLine();
      ends.unshift(() => line.close());
      config = serial(line.path);
      if (setup.port === 'locked') ends.unshift(await lockPort(line.path));
      else {
        await chmod(await realpath(line.path), 0o600);
        return verdictOf(fault, await askAs(setup.as_user ?? 'nobody', config, requestOf(fault.request!)));
      }
    }
    const devices = createDevices();
    ends.unshift(() => devices.close());
    devices.configure([config]);
    return verdictOf(fault, await ask(devices, requestOf(fault.request!)));
  } finally {
    for (const end of ends) await end();
  }
}

function verdictOf(fault: Fault, got: Got): Verdict {
  return compare({ request: fault.request!, expected: fault.expected }, undefined, got, '', null, [0, 0]) ?? { passed: true };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 1;
}

async function lockPort(path: string): Promise<() => Promise<void>> {
  const port = new SerialPort({ path, baudRate: 115_200, autoOpen: false, lock: true });
  await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
  return () => new Promise((resolve) => port.close(() => resolve()));
}

/** The same request in a process of another user. */
async function askAs(user: string | number, config: ConnectionConfig, request: WireRequest): Promise<Got> {
  const ids = typeof user === 'number' ? { uid: user, gid: user } : await idsOf(user);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--ask', JSON.stringify({ config, request })], {
    ...ids,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  await new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  return JSON.parse(out) as Got;
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith(`${user}:`))
    ?.split(':');
  return { uid: Number(line?.[2] ?? 65534), gid: Number(line?.[3] ?? 65534) };
}

if (process.argv[2] === '--ask') {
  const { config, request } = JSON.parse(process.argv[3]!) as { config: ConnectionConfig; request: WireRequest };
  const devices = createDevices();
  devices.configure([config]);
  const got = await ask(devices, request);
  await devices.close();
  process.stdout.write(JSON.stringify(got));
}
export type { Expected };
