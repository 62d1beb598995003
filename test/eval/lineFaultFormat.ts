/** The case format of line-faults files, as its `format` part describes it. */
export type FaultRequest = {
  fc: number;
  unit: number;
  address?: unknown;
  quantity?: unknown;
  values?: unknown;
  and_mask?: number;
  or_mask?: number;
  write_address?: number;
  sub_function?: number;
  data?: string;
  object?: number;
  category?: number;
  timeout_ms: number;
};
export type ServerStep = {
  after_ms?: number;
  hex?: string;
  split?: number;
  gap_ms?: number;
  do?: 'rst' | 'fin' | 'deaf' | 'line_down' | 'line_up';
};
export type Expected = {
  ok: boolean;
  values?: unknown[] | null;
  value?: string;
  json?: null | number;
  quality?: string;
  error_code?: string;
  also_accept?: string[];
  also_accept_error?: string[];
  exception_code?: number;
  crc_valid?: boolean | null | 'any';
  max_ms?: number;
  min_ms?: number;
  wire?: 'none';
  requests_seen?: number;
};
export type Exchange = {
  request: FaultRequest;
  expect_tx?: string | null;
  server?: ServerStep[];
  expected: Expected;
  wait_before_ms?: number;
  reconnect?: boolean;
};
export type Fault = Partial<Exchange> & {
  id: string;
  kind: string;
  transport: 'rtu' | 'tcp' | 'codec' | 'ascii' | 'rtu_over_tcp' | 'ascii_over_tcp';
  title: string;
  expected: Expected;
  line?: { echo?: boolean };
  then?: Exchange[];
  js_value?: 'NaN' | 'undefined';
  parallel?: { count: number; request: FaultRequest; address_from: number };
  tid_reuse?: { held: number; between: number; request: FaultRequest };
  setup?: { tcp?: 'closed_port'; port?: 'missing' | 'regular_file' | 'locked' | 'mode_0600_of_root'; as_user?: string | number };
  registers_hex?: string;
  type?: string;
  word_order?: string;
  scale?: number;
  offset?: number;
  bit?: number;
  length?: number;
  sentinels?: (number | string)[];
};

/** What came of one request, in the words of the format. */
export type Got = {
  ok: boolean;
  values?: unknown;
  error_code?: string;
  exception_code?: number;
  crc_valid: boolean | null;
  duration_ms: number;
  tx?: string;
  requests_seen?: number;
  note?: string;
};
export type Verdict =
  { passed: true } | { passed: false; expected: unknown; got: unknown; wrong_value: boolean; wrong_write: boolean; timeOnly: boolean };
