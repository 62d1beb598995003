import type { ConnectionConfig, Devices, FrameRecord, LineHealth } from '../../../shared/contracts/devices.ts';
import { asHandrailError, type Bilingual, type HandrailError } from '../../../shared/errors.ts';
import { exceptionTexts } from '../../../shared/modbus/exceptions.ts';
import { crcFits } from '../framing/checksum.ts';
import { decodeAscii } from '../framing/ascii.ts';
import { hexOf } from '../failures.ts';
import { decodeTcp } from '../framing/tcp.ts';
import { defaultTimeoutMs } from '../line/timing.ts';
import { causes, type Condition } from './causes.ts';
import { examineFrame, isWhole, type Asked } from './forensics.ts';

/** One thing found on a line: what it is, how sure, the bytes that show it and, where one can be made, the repaired frame. */
export type LineFinding = {
  condition: Condition;
  severity: 'ok' | 'note' | 'fault';
  title: Bilingual;
  cause: Bilingual;
  remedy: Bilingual;
  /** How many frames or requests show it. */
  count: number;
  evidence: string[];
  /** A frame with a right checksum that is one explainable step away from what came. */
  proof: string | null;
};
export type Diagnosis = {
  connection: string;
  healthy: boolean;
  findings: LineFinding[];
  probes: { unit: number; ok: boolean; failure: string | null; exception: number | null; durationMs: number | null }[];
};

/** What the traffic of one connection shows. Pure: the same for the live ring, a recording and a sniffed text. */
export function examineTraffic(frames: readonly FrameRecord[], kind: ConnectionConfig['kind']): LineFinding[] {
  const found = new Map<Condition, { count: number; evidence: string[]; proof: string | null }>();
  const note = (condition: Condition, evidence: string, proof: Uint8Array | null = null): void => {
    const entry = found.get(condition) ?? { count: 0, evidence: [], proof: null };
    entry.count++;
    if (entry.evidence.length < 4) entry.evidence.push(evidence);
    if (proof && !entry.proof) entry.proof = hexOf(proof);
    found.set(condition, entry);
  };
  let asked: Asked = null;
  const whole = new Set<string>();
  for (const frame of frames) {
    if (frame.direction === 'tx') {
      asked = questionOf(frame.bytes, kind);
      continue;
    }
    const hex = hexOf(frame.bytes);
    if (frame.note?.includes('(echo)')) note('echo', hex);
    if (frame.verdict === 'ok') whole.add(hex);
    else if (frame.verdict === 'exception') note('exception', hex);
    else if (frame.note?.startsWith('came after') || frame.note?.startsWith('late answer')) note('late-answers', hex);
    else if (frame.verdict === 'stray' && whole.has(hex)) note('repeated-answers', hex);
    else if (kind === 'tcp') noteSocket(frame, note);
    else {
      const [best] = examineFrame(frame.bytes, asked);
      if (best) note(best.condition, `${hex}: ${best.note}`, best.repaired);
      else if (frame.note?.includes('around the answer')) note('stray-bytes', hex);
      else if (frame.verdict === 'incomplete' && beginsAsAnswer(frame.bytes, asked)) note('cut-short', hex);
      else if (frame.verdict === 'crc' || frame.verdict === 'garbage' || frame.verdict === 'incomplete') note('noise', hex);
    }
  }
  // 11h/13h can fit once by chance; only two frames, independent of each other, make it a finding.
  const flow = found.get('xon-xoff');
  if (flow && flow.count < 2) {
    found.delete('xon-xoff');
    note('lost-byte', `${flow.evidence[0]} (one frame only: not yet proof of flow control)`);
  }
  return [...found].map(([condition, entry]) => finding(condition, entry)).sort((a, b) => rank(b) - rank(a));
}

function noteSocket(
  { bytes, verdict, note: reason = '' }: FrameRecord,
  note: (condition: Condition, evidence: string, proof?: Uint8Array | null) => void,
): void {
  if (verdict === 'stray') {
    if (reason.startsWith('unit ')) return note('foreign-unit', `${hexOf(bytes)}: ${reason}`);
    return note(reason === '' || reason.startsWith('nobody asked') ? 'shifted-id' : 'unfit-answer', `${hexOf(bytes)}: ${reason}`);
  }
  if (String.fromCharCode(...bytes.subarray(0, 5)) === 'HTTP/') return note('http', String.fromCharCode(...bytes.subarray(0, 24)));
  if (isWhole(bytes)) return note('rtu-over-tcp', hexOf(bytes), bytes);
  if (decodeAscii(bytes).kind === 'frame') return note('ascii-wrapped', hexOf(bytes));
  // Protocol id 0 is Modbus; what is wrong then is the length that follows it.
  if (verdict === 'garbage') note(bytes[2] === 0 && bytes[3] === 0 ? 'wrong-length' : 'protocol', hexOf(bytes));
}

const beginsAsAnswer = (bytes: Uint8Array, asked: Asked): boolean =>
  asked !== null && bytes.length >= 2 && bytes[0] === asked.unitId && (bytes[1]! & 0x7f) === asked.pdu[0];

function questionOf(frame: Uint8Array, kind: ConnectionConfig['kind']): Asked {
  if (kind === 'tcp') {
    const decoded = decodeTcp(frame, 2);
    return decoded.kind === 'frame' ? { unitId: decoded.unitId, pdu: decoded.pdu } : null;
  }
  if (kind === 'ascii' || kind === 'ascii_over_tcp') {
    const decoded = decodeAscii(frame);
    return decoded.kind === 'frame' ? { unitId: decoded.unitId, pdu: decoded.pdu } : null;
  }
  return crcFits(frame) ? { unitId: frame[0]!, pdu: frame.subarray(1, -2) } : null;
}

function finding(condition: Condition, entry: { count: number; evidence: string[]; proof: string | null }): LineFinding {
  const { severity, title, cause, remedy } = causes[condition];
  return { condition, severity, title, cause, remedy, ...entry };
}

const rank = (one: LineFinding): number => (one.severity === 'fault' ? 1000 : 0) + one.count;

const openFailures: Readonly<Record<string, Condition>> = {
  PORT_NOT_FOUND: 'port-missing',
  PORT_BUSY: 'port-busy',
  PORT_PERMISSION: 'port-permission',
  PORT_NOT_SERIAL: 'port-missing',
  PORT_REFUSED: 'refused',
  PORT_UNREACHABLE: 'unreachable',
};

/**
 * Asks each unit of a connection (one read, read-only; twice where it fails, the second time with patience; a socket that stays
 * silent a third time, on a new connection) and says what is wrong with the line, from the answers, the traffic seen and the
 * state of the wire. A question that failed is never called sound: what nothing explains is said to be unexplained. Works with no model.
 */
export async function runDoctor(
  devices: Pick<Devices, 'request' | 'recentFrames' | 'health' | 'connections'>,
  options: {
    connection: string;
    units: readonly { unitId: number; functionCode?: 1 | 2 | 3 | 4; address?: number; quantity?: number }[];
    signal?: AbortSignal;
  },
): Promise<Diagnosis> {
  const { connection, units, signal } = options;
  const config = devices.connections().find((one) => one.id === connection);
  const kind = config?.kind ?? 'tcp';
  const healthOf = (): LineHealth | undefined => devices.health().find((one) => one.connection === connection);
  const usualMs = config?.timing?.timeoutMs ?? defaultTimeoutMs;
  const startedAt = performance.now();
  const probes: Probe[] = [];
  let refused: HandrailError | null = null;
  const exceptions = new Map<number, number[]>();
  for (const unit of units) {
    const tries: Probe[] = [];
    const epochs: number[] = [];
    while (!refused && mayAskAgain(tries, kind)) {
      try {
        const reply = await devices.request({
          connection,
          unitId: unit.unitId,
          functionCode: unit.functionCode ?? 3,
          address: unit.address ?? 0,
          quantity: unit.quantity ?? 1,
          priority: 'person',
          once: true,
          ...(tries.length > 0 ? { timeoutMs: Math.max(patienceMs, usualMs) } : {}),
          ...(signal ? { signal } : {}),
        });
        tries.push({ unit: unit.unitId, ok: true, failure: null, exception: null, durationMs: reply.durationMs });
      } catch (thrown) {
        const error = asHandrailError(thrown);
        if (error.code === 'CANCELLED') throw error;
        const exception = typeof error.detail['exception'] === 'number' ? error.detail['exception'] : null;
        if (exception !== null) exceptions.set(exception, [...(exceptions.get(exception) ?? []), unit.unitId]);
        if (error.code in openFailures) refused = error;
        // An exception is an answer: the unit is there and the line is sound.
        tries.push({
          unit: unit.unitId,
          ok: exception !== null && exception !== 11 && exception !== 10,
          failure: typeof error.detail['failure'] === 'string' ? error.detail['failure'] : error.code,
          exception,
          durationMs: null,
        });
      }
      epochs.push(healthOf()?.epoch ?? 0);
    }
    const last = tries.at(-1);
    if (last) probes.push({ ...last, ...afterSilence(tries, epochs, usualMs) });
    if (refused) break;
  }
  const frames = devices.recentFrames(connection);
  const findings = examineTraffic(frames, kind).filter((one) => one.condition !== 'exception');
  // What was seen before we asked explains nothing of what failed now.
  const now = examineTraffic(
    frames.filter((frame) => frame.t >= startedAt),
    kind,
  );
  for (const one of judgeProbes(probes, refused, now, healthOf(), kind))
    if (!findings.some((known) => known.condition === one.condition)) findings.push(one);
  findings.push(...[...exceptions].map(([code, at]) => exceptionFinding(code, at)));
  if (!findings.some((one) => one.severity === 'fault') && probes.length > 0)
    findings.push(finding('healthy', { count: probes.length, evidence: probes.map((probe) => `unit ${probe.unit}`), proof: null }));
  findings.sort((a, b) => rank(b) - rank(a));
  return {
    connection,
    healthy: !findings.some((one) => one.severity === 'fault'),
    findings,
    probes: probes.map(({ recovered: _, ...probe }) => probe),
  };
}

/** So long a unit that was silent is waited for when it is asked again: devices behind radio or a slow gateway need it. */
const patienceMs = 2500;
/** `recovered`: silent at first, and what its answer in the end says. */
type Probe = Diagnosis['probes'][number] & { recovered?: Condition };

function mayAskAgain(tries: readonly Probe[], kind: ConnectionConfig['kind']): boolean {
  const last = tries.at(-1);
  if (last === undefined) return true;
  if (last.ok) return false;
  // After two silent questions a socket is given up; the third one goes over a new connection.
  return tries.length < (kind === 'tcp' && tries.every((one) => one.failure === 'TIMEOUT') ? 3 : 2);
}

function afterSilence(tries: readonly Probe[], epochs: readonly number[], usualMs: number): { recovered?: Condition } {
  const last = tries.at(-1)!;
  if (!last.ok || tries[0]!.failure !== 'TIMEOUT') return {};
  if ((last.durationMs ?? 0) > usualMs) return { recovered: 'late-answers' };
  return { recovered: epochs.at(-1) !== epochs[0] ? 'deaf-connection' : 'unsteady' };
}

/** What a failed question means where the bytes did not say more. */
const failureMeans: Readonly<Record<string, Condition>> = {
  INCOMPLETE: 'cut-short',
  FUNCTION_MISMATCH: 'unfit-answer',
  BYTE_COUNT_MISMATCH: 'unfit-answer',
  LENGTH_MISMATCH: 'unfit-answer',
  UNIT_MISMATCH: 'foreign-unit',
  MBAP_LENGTH: 'wrong-length',
  PROTOCOL_ID: 'protocol',
  ECHO_ONLY: 'echo-only',
  CONNECTION_CLOSED: 'one-client',
};

function judgeProbes(
  probes: readonly Probe[],
  refused: HandrailError | null,
  now: readonly LineFinding[],
  health: LineHealth | undefined,
  kind: ConnectionConfig['kind'],
): LineFinding[] {
  if (refused) return [finding(openFailures[refused.code]!, { count: 1, evidence: [refused.text.message.en], proof: null })];
  const out = new Map<Condition, string[]>();
  const add = (condition: Condition, evidence: string): void => void out.set(condition, [...(out.get(condition) ?? []), evidence]);
  const silent = probes.filter((probe) => !probe.ok && probe.failure === 'TIMEOUT');
  const isWholeLine = silent.length === probes.length && kind !== 'tcp' && (health?.counters.answers ?? 0) === 0;
  const isExplained = now.some((one) => one.severity === 'fault');
  for (const probe of probes) {
    const at = `unit ${probe.unit}`;
    if (probe.recovered)
      add(
        probe.recovered,
        `${at}: silent at first, then answered${probe.durationMs === null ? '' : ` in ${Math.round(probe.durationMs)} ms`}`,
      );
    else if (probe.ok || probe.exception !== null) continue;
    else if (probe.failure !== 'TIMEOUT') {
      if (!isExplained) add(failureMeans[probe.failure ?? ''] ?? 'unexplained', `${at}: ${probe.failure}`);
    } else if (!now.some((one) => one.condition === 'shifted-id')) add(isWholeLine ? 'silent-line' : 'silent-unit', at);
  }
  return [...out].map(([condition, evidence]) => finding(condition, { count: evidence.length, evidence, proof: null }));
}

function exceptionFinding(code: number, units: number[]): LineFinding {
  const text = exceptionTexts[code];
  const base = finding('exception', {
    count: units.length,
    evidence: [...new Set(units)].map((unit) => `unit ${unit}: exception ${code}`),
    proof: null,
  });
  return text ? { ...base, title: text.name, cause: text.means, remedy: text.remedy } : base;
}
