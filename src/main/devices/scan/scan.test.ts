import { expect, test } from 'vitest';
import type { Devices, LineHealth, WireRequest } from '../../../shared/contracts/devices.ts';
import { HandrailError, type ErrorCode } from '../../../shared/errors.ts';
import { probe } from './probe.ts';
import { scanUnits } from './scan.ts';
import { findSerialSettings, type LineSettings } from './settings.ts';

const signal = new AbortController().signal;
const error = (code: ErrorCode, failure: string, exception?: number): HandrailError =>
  new HandrailError(code, { detail: { failure, ...(exception === undefined ? {} : { exception }) } });

/** A line whose units answer as the table says; `strays` grows while it is only listened to when somebody else talks. */
function line(answers: (request: WireRequest) => HandrailError | null, someoneTalks = false) {
  const asked: WireRequest[] = [];
  let strays = 0;
  const devices = {
    connections: () => [{ id: 'a', kind: 'rtu' }],
    health: () => [{ connection: 'a', counters: { strays } } as LineHealth],
    open: () => void (strays += someoneTalks ? 1 : 0),
    request: (request: WireRequest) => {
      asked.push(request);
      const failed = answers(request);
      return failed === null ? Promise.resolve({ words: [1] }) : Promise.reject(failed);
    },
  } as unknown as Devices;
  return { devices, asked };
}

test.each([
  ['a value', null, { answered: 'value', exception: null }],
  ['a refusal', error('DEVICE_EXCEPTION', 'EXCEPTION', 2), { answered: 'exception', exception: 2 }],
  ['a gateway that does not reach it', error('DEVICE_EXCEPTION', 'EXCEPTION', 11), null],
  ['a gateway without a path', error('DEVICE_EXCEPTION', 'EXCEPTION', 10), null],
  ['silence', error('DEVICE_NO_ANSWER', 'TIMEOUT'), null],
  ['a wrong checksum', error('FRAME_CRC', 'CRC'), { answered: 'garbled', exception: null }],
  ['half a frame', error('FRAME_INCOMPLETE', 'INCOMPLETE'), { answered: 'garbled', exception: null }],
  ['an answer of the wrong size', error('FRAME_MISMATCH', 'BYTE_COUNT_MISMATCH'), { answered: 'garbled', exception: null }],
  ['only our own echo', error('FRAME_MISMATCH', 'ECHO_ONLY'), null],
  ['an answer of another unit', error('FRAME_MISMATCH', 'UNIT_MISMATCH'), null],
] as const)('to a probe %s says who is there', async (_what, answer, presence) => {
  const { devices, asked } = line(() => answer);
  expect(await probe(devices, { connection: 'a', unitId: 1, priority: 'person', signal })).toEqual(presence);
  expect(asked.map((request) => [request.functionCode, request.once])).toEqual([[3, true]]);
});

test('a line that is not there is an error of the scan, not a silent unit', async () => {
  const { devices } = line(() => error('PORT_NOT_FOUND', 'PORT_NOT_FOUND'));
  await expect(probe(devices, { connection: 'a', unitId: 1, priority: 'person', signal })).rejects.toMatchObject({
    code: 'PORT_NOT_FOUND',
  });
});

test('an adapter that echoes every request does not fill the list with units', async () => {
  const { devices } = line((request) => (request.unitId === 2 ? null : error('FRAME_MISMATCH', 'ECHO_ONLY')));
  const found = await scanUnits(devices, { connection: 'a', units: [1, 2, 3], priority: 'person', signal, listenMs: 0 });
  expect(found.map((one) => one.unit)).toEqual([2]);
});

test('a device that hangs up when asked for its identity is found all the same', async () => {
  const { devices } = line((request) => (request.functionCode === 43 ? error('PORT_CLOSED', 'CONNECTION_CLOSED') : null));
  const found = await scanUnits(devices, { connection: 'a', units: [1], priority: 'person', signal, listenMs: 0 });
  expect(found).toEqual([{ unit: 1, answered: 'value', exception: null, identity: null }]);
});

test('a line on which somebody else talks is not asked at all', async () => {
  const { devices, asked } = line(() => null, true);
  const options = { connection: 'a', units: [1, 2], priority: 'person', signal, listenMs: 0 } as const;
  await expect(scanUnits(devices, options)).rejects.toMatchObject({ code: 'PORT_BUSY' });
  await expect(findSerialSettings(devices, () => ({ connection: 'a', close: () => Promise.resolve() }), options)).rejects.toMatchObject({
    code: 'PORT_BUSY',
  });
  expect(asked).toEqual([]);
});

test('settings under which the answer is garbled are not the settings of the line', async () => {
  let now: LineSettings | null = null;
  const opened: LineSettings[] = [];
  const { devices } = line(() => {
    if (now!.baud !== 19_200) return error('FRAME_CRC', 'CRC');
    return now!.parity === 'odd' ? error('DEVICE_EXCEPTION', 'EXCEPTION', 2) : error('DEVICE_NO_ANSWER', 'TIMEOUT');
  });
  const open = (settings: LineSettings) => {
    opened.push((now = settings));
    return { connection: 'a', close: () => Promise.resolve() };
  };
  const found = await findSerialSettings(devices, open, { units: [1, 2], priority: 'person', signal, listenMs: 0 });
  expect(found).toEqual({ baud: 19_200, dataBits: 8, parity: 'odd', stopBits: 1 });
  expect(opened).toHaveLength(7); // four of 9600, then 8N1, 8E1 and 8O1 of 19200
});
