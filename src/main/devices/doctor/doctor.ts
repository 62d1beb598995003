import type { ConnectionConfig, Devices, FrameRecord, LineHealth } from '../../../shared/contracts/devices.ts';
import { asHandrailError, type Bilingual, type HandrailError } from '../../../shared/errors.ts';
import { exceptionTexts } from '../../../shared/modbus/exceptions.ts';
import { crcFits } from '../framing/checksum.ts';
import { decodeAscii } from '../framing/ascii.ts';
import { hexOf } from '../failures.ts';
import { decodeTcp } from '../framing/tcp.ts';
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
  for (const frame of frames) {
    if (frame.direction === 'tx') {
      asked = questionOf(frame.bytes, kind);
      continue;
    }
    if (frame.note?.includes('(echo)')) note('echo', hexOf(frame.bytes));
    if (frame.note?.startsWith('came after')) note('late-answers', hexOf(frame.bytes));
    if (frame.note?.startsWith('late answer')) note('shifted-id', hexOf(frame.bytes));
    if (frame.verdict === 'ok') continue;
    if (frame.verdict === 'exception') note('exception', hexOf(frame.bytes));
    else if (kind === 'tcp') noteSocket(frame.bytes, frame.verdict, note);
    else {
      const [best] = examineFrame(frame.bytes, asked);
      if (best) note(best.condition, `${hexOf(frame.bytes)}: ${best.note}`, best.repaired);
      else if (frame.verdict === 'crc' || frame.verdict === 'garbage' || frame.verdict === 'incomplete') note('noise', hexOf(frame.bytes));
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
  bytes: Uint8Array,
  verdict: FrameRecord['verdict'],
  note: (condition: Condition, evidence: string, proof?: Uint8Array | null) => void,
): void {
  if (verdict === 'stray') return note('shifted-id', hexOf(bytes));
  if (String.fromCharCode(...bytes.subarray(0, 5)) === 'HTTP/') return note('http', String.fromCharCode(...bytes.subarray(0, 24)));
  if (isWhole(bytes)) return note('rtu-over-tcp', hexOf(bytes), bytes);
  if (decodeAscii(bytes).kind === 'frame') return note('ascii-wrapped', hexOf(bytes));
  if (verdict === 'garbage') note('protocol', hexOf(bytes));
}

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
 * Asks each unit of a connection (one read, read-only, twice where it fails) and says what is wrong with the line, from the
 * answers, the traffic seen and the state of the wire. Works with no model.
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
  const probes: Diagnosis['probes'] = [];
  let refused: HandrailError | null = null;
  const exceptions = new Map<number, number[]>();
  for (const unit of units) {
    let last: Diagnosis['probes'][number] | null = null;
    for (let attempt = 0; attempt < 2 && !last?.ok && !refused; attempt++) {
      try {
        const reply = await devices.request({
          connection,
          unitId: unit.unitId,
          functionCode: unit.functionCode ?? 3,
          address: unit.address ?? 0,
          quantity: unit.quantity ?? 1,
          priority: 'person',
          once: true,
          ...(signal ? { signal } : {}),
        });
        last = { unit: unit.unitId, ok: true, failure: null, exception: null, durationMs: reply.durationMs };
      } catch (thrown) {
        const error = asHandrailError(thrown);
        if (error.code === 'CANCELLED') throw error;
        const exception = typeof error.detail['exception'] === 'number' ? error.detail['exception'] : null;
        if (exception !== null) exceptions.set(exception, [...(exceptions.get(exception) ?? []), unit.unitId]);
        if (error.code in openFailures) refused = error;
        // An exception is an answer: the unit is there and the line is sound.
        last = {
          unit: unit.unitId,
          ok: exception !== null && exception !== 11 && exception !== 10,
          failure: typeof error.detail['failure'] === 'string' ? error.detail['failure'] : error.code,
          exception,
          durationMs: null,
        };
      }
    }
    if (last) probes.push(last);
    if (refused) break;
  }
  const kind = devices.connections().find((config) => config.id === connection)?.kind ?? 'tcp';
  const findings = examineTraffic(devices.recentFrames(connection), kind).filter((one) => one.condition !== 'exception');
  const health = devices.health().find((one) => one.connection === connection);
  findings.push(...judgeProbes(probes, refused, health, kind), ...[...exceptions].map(([code, at]) => exceptionFinding(code, at)));
  if (!findings.some((one) => one.severity === 'fault') && probes.length > 0)
    findings.push(finding('healthy', { count: probes.length, evidence: probes.map((probe) => `unit ${probe.unit}`), proof: null }));
  findings.sort((a, b) => rank(b) - rank(a));
  return { connection, healthy: !findings.some((one) => one.severity === 'fault'), findings, probes };
}

function judgeProbes(
  probes: Diagnosis['probes'],
  refused: HandrailError | null,
  health: LineHealth | undefined,
  kind: ConnectionConfig['kind'],
): LineFinding[] {
  if (refused) return [finding(openFailures[refused.code]!, { count: 1, evidence: [refused.text.message.en], proof: null })];
  const silent = probes.filter((probe) => !probe.ok && probe.failure === 'TIMEOUT');
  const closed = probes.filter((probe) => probe.failure === 'CONNECTION_CLOSED');
  const out: LineFinding[] = [];
  if (closed.length > 0)
    out.push(finding('one-client', { count: closed.length, evidence: closed.map((probe) => `unit ${probe.unit}`), proof: null }));
  const isWholeLine = silent.length === probes.length && silent.length > 0 && kind !== 'tcp' && (health?.counters.answers ?? 0) === 0;
  if (isWholeLine)
    out.push(finding('silent-line', { count: silent.length, evidence: silent.map((probe) => `unit ${probe.unit}`), proof: null }));
  else if (silent.length > 0)
    out.push(finding('silent-unit', { count: silent.length, evidence: silent.map((probe) => `unit ${probe.unit}`), proof: null }));
  return out;
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
