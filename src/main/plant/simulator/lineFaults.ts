import { exceptionPdu } from '../../devices/framing/index.ts';
import type { Fault, FaultName } from './faults.ts';

/** What goes onto the wire for one answer, in order; `afterMs` counts from the step before. */
export type LineAction = { afterMs: number; bytes: Uint8Array } | { afterMs: number; do: 'reset' | 'finish' | 'deaf' };

export type Exchange = {
  transport: 'tcp' | 'rtu';
  unitId: number;
  /** The whole request frame, as it came. */
  request: Uint8Array;
  requestPdu: Uint8Array;
  /** The frame of an answer in this transport, under the request's own transaction id unless told otherwise. */
  frame(unitId: number, pdu: Uint8Array, transactionOffset?: number): Uint8Array;
};

const isWrite = (functionCode: number): boolean => [5, 6, 15, 16, 22, 23].includes(functionCode);

/** What a fault answers before the device is asked; null lets the device work. The device must not take a write that was never heard. */
export function answerInstead(fault: Fault, exchange: Exchange): LineAction[] | null {
  return instead[fault.name]?.(fault, exchange) ?? null;
}

const send = (bytes: Uint8Array, afterMs = 0): LineAction[] => [{ afterMs, bytes }];
const refuse = (exchange: Exchange, code: number): LineAction[] =>
  send(exchange.frame(exchange.unitId, exceptionPdu(exchange.requestPdu[0]!, code)));
const webPage = 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><body>400</body></html>';

const instead: Partial<Record<FaultName, (fault: Fault, exchange: Exchange) => LineAction[] | null>> = {
  timeout: () => [],
  'echo-only': (_, exchange) => send(exchange.request),
  exception: (fault, exchange) => refuse(exchange, fault.param),
  busy: (fault, exchange) => ((fault.seen - 1) % 3 < 2 ? refuse(exchange, 6) : null),
  http: () => [...send(new TextEncoder().encode(webPage)), { afterMs: 5, do: 'finish' }],
  deaf: (fault) => (fault.seen === 1 ? [{ afterMs: 0, do: 'deaf' }] : null),
  finish: () => [{ afterMs: 0, do: 'finish' }],
};

/** How a fault spoils the answer a device gave. */
export function spoil(fault: Fault | null, exchange: Exchange, answerPdu: Uint8Array): LineAction[] {
  const right = exchange.frame(exchange.unitId, answerPdu);
  const how = fault && spoilers[fault.name];
  return how ? how({ ...exchange, right, answerPdu, param: fault.param }) : send(right);
}

type Spoiling = Exchange & { right: Uint8Array; answerPdu: Uint8Array; param: number };
const functionOf = (s: Spoiling): number => s.requestPdu[0]!;
const other = (unitId: number): number => (unitId % 247) + 1;
const late = (s: Spoiling): LineAction[] => send(s.right, s.param);

const spoilers: Partial<Record<FaultName, (s: Spoiling) => LineAction[]>> = {
  late,
  slow: late,
  crc: (s) => send(flipped(s.right, s.right.length - 1, 0x01)),
  'bit-flip': (s) => send(flipped(s.right, Math.min(3, s.right.length - 3), 0x10)),
  truncated: (s) => send(s.right.slice(0, -1)),
  torn: (s) => {
    const cut = Math.ceil(s.right.length / 2);
    return [...send(s.right.slice(0, cut)), ...send(s.right.slice(cut), s.param)];
  },
  dribble: (s) => [...s.right].map((byte) => ({ afterMs: s.param, bytes: Uint8Array.of(byte) })),
  merged: (s) => send(joined(s.right, s.right)),
  duplicate: (s) => [...send(s.right), ...send(s.right, s.param)],
  noise: (s) => send(joined(Uint8Array.of(0x00, 0xff, s.unitId, functionOf(s)), s.right)),
  trailing: (s) => send(joined(s.right, Uint8Array.of(0xaa, 0xbb, 0xcc))),
  'missing-head': (s) => send(s.right.slice(1)),
  'xon-xoff': (s) => send(s.right.filter((byte) => byte !== 0x11 && byte !== 0x13)),
  echo: (s) => send(joined(s.request, s.right)),
  'foreign-unit': (s) => send(s.frame(other(s.unitId), s.answerPdu)),
  'second-client': (s) => {
    const question = s.frame(other(s.unitId), Uint8Array.of(3, 0x2b, 0xd3, 0x00, 0x02));
    const answer = s.frame(other(s.unitId), Uint8Array.of(3, 4, 0x12, 0x34, 0x56, 0x78));
    return [...send(joined(question, answer)), ...send(s.right, 20)];
  },
  'wrong-function': (s) => send(s.frame(s.unitId, Uint8Array.of(functionOf(s) === 3 ? 4 : 3, ...s.answerPdu.subarray(1)))),
  'byte-count': (s) => send(s.frame(s.unitId, replaced(s.answerPdu, [[1, (s.answerPdu[1]! + 2) & 0xff]]))),
  'short-answer': (s) => {
    const canShorten = functionOf(s) <= 4 && s.answerPdu.length > 3;
    return send(
      canShorten ? s.frame(s.unitId, Uint8Array.of(s.answerPdu[0]!, s.answerPdu[1]! - 2, ...s.answerPdu.subarray(2, -2))) : s.right,
    );
  },
  'write-mismatch': (s) =>
    send(
      isWrite(functionOf(s)) && s.answerPdu.length > 2 ? s.frame(s.unitId, flipped(s.answerPdu, s.answerPdu.length - 1, 0x01)) : s.right,
    ),
  acknowledge: (s) => (isWrite(functionOf(s)) ? refuse(s, 5) : send(s.right)),
  'lost-confirmation': (s) => (isWrite(functionOf(s)) ? [] : send(s.right)),
  'wrong-id': (s) => send(s.frame(s.unitId, s.answerPdu, 7)),
  'stale-id': (s) => [
    ...send(
      s.frame(
        s.unitId,
        s.answerPdu.map((byte, i) => (i > 1 ? byte ^ 0x55 : byte)),
        -1,
      ),
    ),
    ...send(s.right, 20),
  ],
  'protocol-id': (s) =>
    send(
      replaced(s.right, [
        [2, 0x48],
        [3, 0x54],
      ]),
    ),
  length: (s) => send(replaced(s.right, [[5, (s.right[5]! + 4) & 0xff]])),
  'length-ffff': (s) =>
    send(
      replaced(s.right, [
        [4, 0xff],
        [5, 0xff],
      ]),
    ),
  reset: (s) => [...send(s.right.slice(0, 8)), { afterMs: 20, do: 'reset' }],
};

const flipped = (bytes: Uint8Array, at: number, mask: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ mask : byte));
const replaced = (bytes: Uint8Array, places: readonly (readonly [number, number])[]): Uint8Array => {
  const copy = bytes.slice();
  for (const [at, byte] of places) copy[at] = byte;
  return copy;
};
function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
