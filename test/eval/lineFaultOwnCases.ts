import { encodeRtu } from '../../src/main/devices/index.ts';
import type { Exchange, Expected, Fault, FaultRequest, ServerStep } from './lineFaultFormat.ts';

/** Our own line faults, beside those of the given file: what the field notes and the libraries' faults taught us. Length: a table. */
const unit = 9;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const rtu = (pdu: string, from = unit): string => hex(encodeRtu(from, Uint8Array.from(Buffer.from(pdu, 'hex'))));
/** A Modbus/TCP answer under this request's id. */
const tcp = (pdu: string, from = unit, tid = '<tid>', protocol = '0000', length?: number): string =>
  `${tid}${protocol}${(length ?? pdu.length / 2 + 1).toString(16).padStart(4, '0')}${from.toString(16).padStart(2, '0')}${pdu}`;

const read: FaultRequest = { fc: 3, unit, address: 560, quantity: 2, timeout_ms: 200 };
const readNext: FaultRequest = { fc: 3, unit, address: 567, quantity: 2, timeout_ms: 200 };
const write: FaultRequest = { fc: 6, unit, address: 560, values: [1500], timeout_ms: 200 };
const answer = '03049c400019';
const next = '030405dc001f';
const good: Expected = { ok: true, values: [40000, 25] };
const fail = (error_code: string, more: Partial<Expected> = {}): Expected => ({ ok: false, error_code, ...more });
const at = (after_ms: number, bytes: string): ServerStep => ({ after_ms, hex: bytes });

const afterRtu = (wait = 60): Exchange[] => [
  { wait_before_ms: wait, request: readNext, server: [at(2, rtu(next))], expected: { ok: true, values: [1500, 31], crc_valid: true } },
];
const afterTcp = (wait = 40): Exchange[] => [
  { wait_before_ms: wait, request: readNext, server: [at(2, tcp(next))], expected: { ok: true, values: [1500, 31], crc_valid: null } },
];

type Case = [title: string, request: FaultRequest, server: ServerStep[], expected: Expected, more?: Partial<Fault>];
const cases = (transport: 'rtu' | 'tcp', kind: string, list: Case[]): Fault[] =>
  list.map(([title, request, server, expected, more]) => ({ id: '', kind, transport, title, request, server, expected, ...more }));

const onLine = cases('rtu', 'line', [
  [
    'FC1 with three coils: padding bits are dropped',
    { ...read, fc: 1, quantity: 3 },
    [at(2, rtu('0101fd'))],
    { ok: true, values: [true, false, true], crc_valid: true },
  ],
  ['FC2', { ...read, fc: 2, quantity: 9 }, [at(2, rtu('0202ff01'))], { ok: true, values: [1, 1, 1, 1, 1, 1, 1, 1, 1] }],
  ['FC4', { ...read, fc: 4 }, [at(2, rtu(`04${answer.slice(2)}`))], good],
  [
    'FC5 on',
    { fc: 5, unit, address: 7, values: [true], timeout_ms: 200 },
    [at(2, rtu('050007ff00'))],
    { ok: true, values: null, crc_valid: true },
  ],
  ['FC6', write, [at(2, rtu('06023005dc'))], { ok: true, values: null, crc_valid: true }],
  [
    'FC15',
    { fc: 15, unit, address: 7, values: [1, 0, 1], timeout_ms: 200 },
    [at(2, rtu('0f00070003'))],
    { ok: true, values: null },
    { expect_tx: rtu('0f000700030105') },
  ],
  [
    'FC16',
    { fc: 16, unit, address: 7, values: [1, 2], timeout_ms: 200 },
    [at(2, rtu('1000070002'))],
    { ok: true, values: null },
    { expect_tx: rtu('10000700020400010002') },
  ],
  [
    'FC22',
    { fc: 22, unit, address: 4, and_mask: 0xf2, or_mask: 0x25, timeout_ms: 200 },
    [at(2, rtu('16000400f20025'))],
    { ok: true, values: null },
  ],
  [
    'FC23',
    { fc: 23, unit, address: 3, quantity: 2, write_address: 14, values: [255], timeout_ms: 200 },
    [at(2, rtu('170400fe0acd'))],
    { ok: true, values: [254, 2765] },
  ],
  [
    'a data byte is wrong',
    read,
    [at(2, `${rtu(answer).slice(0, 8)}ff${rtu(answer).slice(10)}`)],
    fail('CRC', { crc_valid: false, max_ms: 190 }),
    { then: afterRtu() },
  ],
  ['only the header comes', read, [at(2, '0903')], fail('INCOMPLETE', { crc_valid: false }), { then: afterRtu() }],
  ['byte by byte', read, [{ after_ms: 2, hex: rtu(answer), split: 1, gap_ms: 4 }], good],
  ['gaps of 45 ms', read, [{ after_ms: 2, hex: rtu(answer), split: 4, gap_ms: 45 }], good],
  ['leading 00 FF', read, [at(2, `00ff${rtu(answer)}`)], good],
  ['leading look-alike of an exception', read, [at(2, `0983${rtu(answer)}`)], good],
  ['twenty bytes of noise, then the answer', read, [at(2, 'a5'.repeat(20)), at(60, rtu(answer))], good],
  ['only glitches', read, [at(2, '00ff00')], fail('TIMEOUT', { crc_valid: null })],
  ['noise as long as an answer', read, [at(2, 'a55a'.repeat(10))], fail('CRC', { crc_valid: false, max_ms: 200 }), { then: afterRtu() }],
  ['echo and answer in pieces', read, [at(1, rtu('0302300002')), at(30, rtu(answer))], good],
  ['echo cut in two', read, [{ after_ms: 1, hex: rtu('0302300002') + rtu(answer), split: 5, gap_ms: 6 }], good],
  ['echo of a read only', read, [at(1, rtu('0302300002'))], fail('ECHO_ONLY')],
  [
    'echoing line: echo and confirmation of a write',
    write,
    [at(1, rtu('06023005dc').repeat(2))],
    { ok: true, values: null },
    { line: { echo: true } },
  ],
  [
    'echoing line: confirmation with another value behind the echo',
    write,
    [at(1, rtu('06023005dc') + rtu('0602300001'))],
    fail('ECHO_MISMATCH'),
    { line: { echo: true } },
  ],
  [
    'echo learned from a read: the echo of a write is no confirmation',
    read,
    [at(1, rtu('0302300002') + rtu(answer))],
    good,
    { then: [{ wait_before_ms: 20, request: write, server: [at(1, rtu('06023005dc'))], expected: fail('ECHO_ONLY') }] },
  ],
  ['another unit only', read, [at(2, rtu(answer, 10))], fail('UNIT_MISMATCH', { crc_valid: true }), { then: afterRtu() }],
  ['two others, then ours, in one piece', read, [at(2, rtu(next, 10) + rtu(next, 11) + rtu(answer))], good],
  ['another function only', read, [at(2, rtu(`04${answer.slice(2)}`))], fail('FUNCTION_MISMATCH', { crc_valid: true })],
  ['exception of another unit, then the answer', read, [at(2, rtu('8302', 10)), at(20, rtu(answer))], good],
  ['exception of another unit only', read, [at(2, rtu('8302', 10))], fail('UNIT_MISMATCH')],
  ['exception of another function only', read, [at(2, rtu('8402'))], fail('FUNCTION_MISMATCH')],
  ...[0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 255].map((code): Case => [
    `exception ${code}`,
    read,
    [at(2, rtu(`83${code.toString(16).padStart(2, '0')}`))],
    fail('EXCEPTION', { exception_code: code, crc_valid: true, max_ms: 150, requests_seen: 1 }),
  ]),
  ['exception with a wrong checksum', read, [at(2, '0983020000')], fail('CRC', { crc_valid: false })],
  ['exception with a byte too many', read, [at(2, rtu('830200'))], fail('LENGTH_MISMATCH', { also_accept: ['CRC'] }), { then: afterRtu() }],
  ['late answer inside the quarantine', read, [at(260, rtu(answer))], fail('TIMEOUT', { crc_valid: null }), { then: afterRtu(20) }],
  ['duplicate in one piece', read, [at(2, rtu(answer).repeat(2))], good, { then: afterRtu(20) }],
  ['duplicate 20 ms later', read, [at(2, rtu(answer)), at(20, rtu(answer))], good, { then: afterRtu(60) }],
  ['answer and a later answer in one piece', read, [at(2, rtu(answer) + rtu('030400010002'))], good, { then: afterRtu(20) }],
  [
    'byte count 2 in a frame of 4',
    read,
    [at(2, rtu('03029c400019'))],
    fail('BYTE_COUNT_MISMATCH', { also_accept: ['LENGTH_MISMATCH', 'CRC'] }),
    { then: afterRtu() },
  ],
  ['answer of three registers', read, [at(2, rtu('0306000100020003'))], fail('BYTE_COUNT_MISMATCH'), { then: afterRtu() }],
  ['answer of three registers, then the right one', read, [at(2, rtu('0306000100020003')), at(20, rtu(answer))], good],
  [
    'coils with byte count 255',
    { ...read, fc: 1, quantity: 3 },
    [at(2, rtu('01ff05'))],
    fail('BYTE_COUNT_MISMATCH', { also_accept: ['LENGTH_MISMATCH', 'CRC'] }),
  ],
  ['FC6 confirms another value', write, [at(2, rtu('06023005dd'))], fail('ECHO_MISMATCH', { crc_valid: true })],
  ['FC5 confirms 1234h', { fc: 5, unit, address: 7, values: [true], timeout_ms: 200 }, [at(2, rtu('0500071234'))], fail('ECHO_MISMATCH')],
  [
    'FC5 on confirmed as off',
    { fc: 5, unit, address: 7, values: [true], timeout_ms: 200 },
    [at(2, rtu('0500070000'))],
    fail('ECHO_MISMATCH'),
  ],
  [
    'FC16 confirms one of two',
    { fc: 16, unit, address: 7, values: [1, 2], timeout_ms: 200 },
    [at(2, rtu('1000070001'))],
    fail('ECHO_MISMATCH', { requests_seen: 1 }),
  ],
  [
    'broadcast',
    { ...write, unit: 0 },
    [],
    { ok: true, values: null, crc_valid: null, requests_seen: 1 },
    { expect_tx: rtu('06023005dc', 0), then: afterRtu(0) },
  ],
  ['write without an answer is not sent again', write, [], fail('TIMEOUT', { crc_valid: null, requests_seen: 1 })],
  [
    'line pulled during a write',
    { ...write, timeout_ms: 2000 },
    [{ after_ms: 40, do: 'line_down' }],
    fail('PORT_CLOSED', { max_ms: 1000 }),
    { then: [{ wait_before_ms: 30, request: write, server: [], expect_tx: null, expected: fail('PORT_CLOSED', { wire: 'none' }) }] },
  ],
  [
    'line pulled and back: nothing old is sent',
    { ...write, timeout_ms: 2000 },
    [
      { after_ms: 40, do: 'line_down' },
      { after_ms: 200, do: 'line_up' },
    ],
    fail('PORT_CLOSED'),
    {
      then: [
        {
          wait_before_ms: 700,
          reconnect: true,
          request: readNext,
          expect_tx: rtu('0302370002'),
          server: [at(2, rtu(next))],
          expected: { ok: true, values: [1500, 31], requests_seen: 2 },
        },
      ],
    },
  ],
  [
    '125 registers',
    { ...read, quantity: 125 },
    [at(2, rtu(`03fa${'1234'.repeat(125)}`))],
    { ok: true, values: new Array(125).fill(0x1234) },
  ],
  [
    'an answer that contains a whole exception of ours',
    { ...read, quantity: 4 },
    [{ after_ms: 2, hex: rtu(`0308${rtu('8302')}000000`), split: 9, gap_ms: 10 }],
    {
      ok: true,
      values: [0x0983, 0x0200 + Number.parseInt(rtu('8302').slice(6, 8), 16), Number.parseInt(`${rtu('8302').slice(8, 10)}00`, 16), 0],
    },
  ],
]);

const overTcp = cases('tcp', 'socket', [
  ['clean', read, [at(1, tcp(answer))], good, { expect_tx: '<tid>00000006090302300002' }],
  ['unit 0 is an ordinary unit', { ...read, unit: 0 }, [at(1, tcp(answer, 0))], good],
  ['split behind the header', read, [{ after_ms: 1, hex: tcp(answer), split: 7, gap_ms: 20 }], good],
  ['old frame and ours in one piece', read, [at(1, tcp('030400010002', unit, '<tid-1>') + tcp(answer))], good, { then: afterTcp() }],
  ['ours twice in one piece', read, [at(1, tcp(answer) + tcp(answer))], good, { then: afterTcp() }],
  ['only a wrong transaction id', read, [at(1, tcp(answer, unit, '<tid+1>'))], fail('TIMEOUT'), { then: afterTcp() }],
  ['late answer under its own id', read, [at(240, tcp(answer))], fail('TIMEOUT'), { then: afterTcp(10) }],
  ['protocol id 1', read, [at(1, tcp(answer, unit, '<tid>', '0001'))], fail('PROTOCOL_ID', { max_ms: 150 }), { then: afterTcp() }],
  [
    'HTTP',
    read,
    [at(1, Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n').toString('hex')), { after_ms: 1, do: 'fin' }],
    fail('PROTOCOL_ID', { also_accept: ['CONNECTION_CLOSED'] }),
    { then: afterTcp() },
  ],
  ['RTU instead of TCP', read, [at(1, rtu(answer))], fail('PROTOCOL_ID'), { then: afterTcp() }],
  ['length 65535', read, [at(1, tcp(answer, unit, '<tid>', '0000', 65535))], fail('MBAP_LENGTH', { max_ms: 150 }), { then: afterTcp() }],
  ['length 2', read, [at(1, tcp(answer, unit, '<tid>', '0000', 2))], fail('MBAP_LENGTH'), { then: afterTcp() }],
  ['length 0', read, [at(1, tcp(answer, unit, '<tid>', '0000', 0))], fail('MBAP_LENGTH'), { then: afterTcp() }],
  ['length 255', read, [at(1, tcp(answer, unit, '<tid>', '0000', 255))], fail('MBAP_LENGTH'), { then: afterTcp() }],
  [
    'length 2 too short',
    read,
    [at(1, tcp(answer, unit, '<tid>', '0000', 5))],
    fail('LENGTH_MISMATCH', { also_accept: ['BYTE_COUNT_MISMATCH'] }),
    { then: afterTcp() },
  ],
  ['half a header', read, [at(1, '<tid>0000')], fail('INCOMPLETE', { also_accept: ['TIMEOUT'] }), { then: afterTcp() }],
  ['another unit under our id', read, [at(1, tcp(answer, 10))], fail('UNIT_MISMATCH'), { then: afterTcp() }],
  ['another function under our id', read, [at(1, tcp(`04${answer.slice(2)}`))], fail('FUNCTION_MISMATCH'), { then: afterTcp() }],
  ['byte count 2', read, [at(1, tcp('03029c40'))], fail('BYTE_COUNT_MISMATCH'), { then: afterTcp() }],
  ['byte count 6 in 4', read, [at(1, tcp('03069c400019'))], fail('BYTE_COUNT_MISMATCH'), { then: afterTcp() }],
  ['two bytes too many', read, [at(1, tcp(`${answer}0000`))], fail('LENGTH_MISMATCH'), { then: afterTcp() }],
  ...[0, 2, 6, 11, 42].map((code): Case => [
    `exception ${code}`,
    read,
    [at(1, tcp(`83${code.toString(16).padStart(2, '0')}`))],
    fail('EXCEPTION', { exception_code: code, crc_valid: null, requests_seen: 1 }),
  ]),
  ['exception with a byte too many', read, [at(1, tcp('830200'))], fail('LENGTH_MISMATCH'), { then: afterTcp() }],
  [
    'coils are cut to the quantity',
    { ...read, fc: 1, quantity: 10 },
    [at(1, tcp('0102ff03'))],
    { ok: true, values: new Array(10).fill(1) },
  ],
  [
    'FC16 confirms another address',
    { fc: 16, unit, address: 7, values: [1, 2], timeout_ms: 200 },
    [at(1, tcp('1000080002'))],
    fail('ECHO_MISMATCH'),
  ],
  [
    'FC22',
    { fc: 22, unit, address: 4, and_mask: 0xf2, or_mask: 0x25, timeout_ms: 200 },
    [at(1, tcp('16000400f20025'))],
    { ok: true, values: null },
  ],
  [
    'FC23',
    { fc: 23, unit, address: 3, quantity: 2, write_address: 14, values: [255], timeout_ms: 200 },
    [at(1, tcp('170400fe0acd'))],
    { ok: true, values: [254, 2765] },
  ],
  [
    'FIN instead of an answer',
    { ...read, timeout_ms: 2000 },
    [{ after_ms: 20, do: 'fin' }],
    fail('CONNECTION_CLOSED', { max_ms: 500 }),
    { then: afterTcp() },
  ],
  [
    'RST instead of an answer to a write',
    { ...write, timeout_ms: 2000 },
    [{ after_ms: 20, do: 'rst' }],
    fail('CONNECTION_CLOSED', { max_ms: 500, requests_seen: 1 }),
    { then: afterTcp() },
  ],
  ['FIN after the answer, then a request', read, [at(1, tcp(answer)), { after_ms: 10, do: 'fin' }], good, { then: afterTcp(60) }],
  [
    'RST after the answer, then a write',
    read,
    [at(1, tcp(answer)), { after_ms: 10, do: 'rst' }],
    good,
    {
      then: [
        { wait_before_ms: 60, request: write, server: [at(2, tcp('06023005dc'))], expected: { ok: true, values: null, requests_seen: 2 } },
      ],
    },
  ],
  [
    'two silent reads, the third is served on a new connection',
    read,
    [{ after_ms: 1, do: 'deaf' }],
    fail('TIMEOUT'),
    { then: [{ wait_before_ms: 10, request: read, server: [], expected: fail('TIMEOUT') }, ...afterTcp(60)] },
  ],
  [
    'a torn confirmation of a write',
    write,
    [at(1, tcp('06023005dc').slice(0, -4))],
    fail('INCOMPLETE', { also_accept: ['TIMEOUT'], requests_seen: 1 }),
    { then: [{ wait_before_ms: 60, request: write, server: [at(2, tcp('06023005dc'))], expected: { ok: true, values: null } }] },
  ],
]);

const refused: [string, Partial<FaultRequest>, Partial<Fault>?][] = [
  ['quantity 0', { quantity: 0 }],
  ['quantity 126', { quantity: 126 }],
  ['quantity 1.5', { quantity: 1.5 }],
  ['quantity as text', { quantity: '5' }],
  ['no quantity', { quantity: undefined }],
  ['2001 coils', { fc: 1, quantity: 2001 }],
  ['address -1', { address: -1 }],
  ['address 65536', { address: 65536, quantity: 1 }],
  ['address 0.5', { address: 0.5 }],
  ['no address', { address: undefined }],
  ['FC6 value -1', { fc: 6, values: [-1] }],
  ['FC6 value 65536', { fc: 6, values: [65536] }],
  ['FC6 value 21.7', { fc: 6, values: [21.7] }],
  ['FC6 "12abc"', { fc: 6, values: ['12abc'] }],
  ['FC6 true', { fc: 6, values: [true] }],
  ['FC6 undefined', { fc: 6, values: [0] }, { js_value: 'undefined' }],
  ['FC16 NaN', { fc: 16, values: [0] }, { js_value: 'NaN' }],
  ['FC5 "false"', { fc: 5, values: ['false'] }],
  ['FC5 2', { fc: 5, values: [2] }],
  ['FC16 with 124', { fc: 16, values: new Array(124).fill(1) }],
  ['FC16 with none', { fc: 16, values: [] }],
  ['FC15 with 1969', { fc: 15, values: new Array(1969).fill(true) }],
  ['FC16 beyond 65535', { fc: 16, address: 65535, values: [1, 2] }],
  ['FC23 writes 122', { fc: 23, quantity: 1, write_address: 0, values: new Array(122).fill(1) }],
  ['FC23 reads 126', { fc: 23, quantity: 126, write_address: 0, values: [1] }],
  ['FC22 mask 65536', { fc: 22, and_mask: 65536, or_mask: 0 }],
  ['unit 256', { unit: 256 }],
  ['unit -1', { unit: -1 }],
  ['function 99', { fc: 99 }],
  ['restart of the device', { fc: 8, sub_function: 1 }],
  ['listen-only mode', { fc: 8, sub_function: 4 }],
];
const local: Fault[] = refused.map(([title, change, more]) => ({
  id: '',
  kind: 'local',
  transport: 'tcp',
  title,
  request: { ...read, ...change },
  expect_tx: null,
  server: [],
  expected: fail('INVALID_REQUEST', { crc_valid: null, wire: 'none' }),
  ...more,
}));
local.push({
  id: '',
  kind: 'local',
  transport: 'rtu',
  title: 'a broadcast cannot be read',
  request: { ...read, unit: 0 },
  expect_tx: null,
  server: [],
  expected: fail('INVALID_REQUEST', { wire: 'none' }),
});

const opening: Fault[] = [
  {
    id: '',
    kind: 'open',
    transport: 'tcp',
    title: 'nobody listens',
    setup: { tcp: 'closed_port' },
    request: read,
    server: [],
    expected: fail('CONNECT_REFUSED', { crc_valid: null }),
  },
  {
    id: '',
    kind: 'open',
    transport: 'rtu',
    title: 'no such port',
    setup: { port: 'missing' },
    request: read,
    server: [],
    expected: fail('PORT_NOT_FOUND'),
  },
  {
    id: '',
    kind: 'open',
    transport: 'rtu',
    title: 'a file is no port',
    setup: { port: 'regular_file' },
    request: read,
    server: [],
    expected: fail('PORT_NOT_SERIAL'),
  },
  {
    id: '',
    kind: 'open',
    transport: 'rtu',
    title: 'locked by another handle',
    setup: { port: 'locked' },
    request: read,
    server: [],
    expected: fail('PORT_BUSY'),
  },
];
if (process.getuid?.() === 0)
  opening.push({
    id: '',
    kind: 'open',
    transport: 'rtu',
    title: 'no permission',
    setup: { port: 'mode_0600_of_root', as_user: 'nobody' },
    request: read,
    server: [],
    expected: fail('PORT_PERMISSION'),
  });

const shared: Fault[] = [
  {
    id: '',
    kind: 'parallel',
    transport: 'tcp',
    title: '300 reads at once',
    parallel: { count: 300, address_from: 0, request: { ...read, quantity: 1, timeout_ms: 8000 } },
    expected: { ok: true, crc_valid: null },
  },
  {
    id: '',
    kind: 'parallel',
    transport: 'rtu',
    title: '12 reads at once on a line',
    parallel: { count: 12, address_from: 10, request: { ...read, quantity: 1, timeout_ms: 2000 } },
    expected: { ok: true, crc_valid: true },
  },
  {
    id: '',
    kind: 'tid-reuse',
    transport: 'tcp',
    title: 'an answer 600 requests late',
    tid_reuse: { held: 1, between: 600, request: { ...read, quantity: 1, timeout_ms: 100 } },
    expected: { ok: true, crc_valid: null },
  },
];

export const ownFaults: readonly Fault[] = [...onLine, ...overTcp, ...local, ...opening, ...shared].map((fault, index) => ({
  ...fault,
  id: `own-${String(index + 1).padStart(3, '0')}`,
}));
