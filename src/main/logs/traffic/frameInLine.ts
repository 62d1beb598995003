/** Traffic logs of other programs write the same thing in many shapes. Here a line becomes direction and bytes, or nothing. */
export type LineFrame = { direction: 'tx' | 'rx'; bytes: Uint8Array };

type Shape = { name: string; pattern: RegExp; direction(m: RegExpExecArray): 'tx' | 'rx' };
const spaced = '((?:[0-9A-F]{2}[\\s.]+){3,}[0-9A-F]{2})';
const word = (m: RegExpExecArray): 'tx' | 'rx' => (/^(t|s|w|req|flush|out|→|-+>|发|写|query|master)/i.test(m[1]!.trim()) ? 'tx' : 'rx');

/** Order matters: the first that fits is taken. Each names the program whose logs look so. */
const shapes: readonly Shape[] = [
  // libmodbus tools: [01][03][00] sent, <01><03> received
  { name: 'libmodbus', pattern: /((?:\[[0-9A-F]{2}\]){4,})/i, direction: () => 'tx' },
  { name: 'libmodbus', pattern: /((?:<[0-9A-F]{2}>){4,})/i, direction: () => 'rx' },
  // pysunspec: host:502:1[addr:40000] ->0103.. and <--0103..
  { name: 'pysunspec', pattern: /(-+>|<-+)\s*((?:[0-9A-F]{2}){5,})\b/i, direction: word },
  // pymodbus: send: 0x1 0x3 0x0; no zero padding
  { name: 'pymodbus', pattern: /\b(send|recv|processing)\b[^:]{0,20}:\s*((?:0x[0-9a-f]{1,2}\s*){4,})/i, direction: word },
  // modbus-serial, jsmodbus: <Buffer 01 03 ...> with a word before it
  {
    name: 'node buffer',
    pattern: new RegExp(
      `\\b(send|sent|write|flush\\w*|request|tx|receive\\w*|response\\w*|recv|rx)\\b[^<]{0,60}<Buffer ${spaced}\\s*>`,
      'i',
    ),
    direction: word,
  },
  // ESPHome: Modbus write: 01.06.00.20.00.2C.89.DD (8)
  { name: 'esphome', pattern: new RegExp(`\\bModbus (write|recv|received|read|response)\\b:?\\s*${spaced}`, 'i'), direction: word },
  // Modbus Poll (Tx:000123-01 03), QModMaster ([RTU]>Tx > 13:59:29:162 - 01  03), ModbusTools ('Device' Tx: 01 03), and kin
  {
    name: 'tx/rx',
    pattern: new RegExp(
      `(?:^|[^A-Za-z])(Tx|Rx|TX|RX|send|sent|recv|received|request|response|发送|接收|发|收|->|<-|→|←)(?![A-Za-z])[^0-9A-Fa-f]{0,8}(?:\\d{1,2}:\\d{2}:\\d{2}[:.,]\\d{1,6}\\s*[-:]\\s*|\\d{3,8}\\s*-\\s*|\\[\\d+\\]\\s*)?${spaced}(?![0-9A-F])`,
      'i',
    ),
    direction: word,
  },
];

export function frameInLine(text: string): (LineFrame & { shape: string }) | null {
  for (const shape of shapes) {
    const m = shape.pattern.exec(text);
    if (!m) continue;
    const digits = (m[m.length - 1] ?? '')
      .replace(/0x([0-9a-f])(?![0-9a-f])/gi, '0$1')
      .replace(/0x/gi, '')
      .replace(/[^0-9a-f]/gi, '');
    if (digits.length < 8 || digits.length % 2 !== 0 || digits.length > 600) continue;
    return { direction: shape.direction(m), bytes: Uint8Array.from(digits.match(/../g)!, (d) => parseInt(d, 16)), shape: shape.name };
  }
  return null;
}
