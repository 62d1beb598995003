import type { ConnectionConfig } from '../../../shared/contracts/devices.ts';
import type { ModbusTable } from '../../../shared/contracts/approvals.ts';
import { toReference } from '../../../shared/modbus/addresses.ts';
import type { Say } from '../../words/words.ts';

/** What a frame says, read from its bytes alone. `unit` null: the bytes do not tell. */
export type FrameMeaning = { unit: number | null; functionCode: number | null; words: string };

const tables: Readonly<Record<number, ModbusTable>> = {
  1: 'coil',
  2: 'discrete',
  3: 'holding',
  4: 'input',
  5: 'coil',
  6: 'holding',
  15: 'coil',
  16: 'holding',
  22: 'holding',
  23: 'holding',
};

/** Unit and PDU of a frame: TCP has seven bytes before them (MBAP), RTU one before and a checksum behind, ASCII is hex text. */
export function bodyOf(bytes: Uint8Array, kind: ConnectionConfig['kind']): { unit: number; pdu: Uint8Array } | null {
  if (kind === 'tcp') return bytes.length >= 8 ? { unit: bytes[6]!, pdu: bytes.subarray(7) } : null;
  if (kind === 'ascii' || kind === 'ascii_over_tcp') {
    const text = String.fromCharCode(...bytes).trim();
    if (!/^:([0-9A-Fa-f]{2}){3,}$/.test(text)) return null;
    const body = Uint8Array.from(text.slice(1).match(/../g)!, (pair) => parseInt(pair, 16));
    return { unit: body[0]!, pdu: body.subarray(1, -1) };
  }
  return bytes.length >= 4 ? { unit: bytes[0]!, pdu: bytes.subarray(1, -2) } : null;
}

export function frameMeaning(bytes: Uint8Array, direction: 'tx' | 'rx', kind: ConnectionConfig['kind'], say: Say): FrameMeaning {
  const body = bodyOf(bytes, kind);
  if (!body || body.pdu.length === 0) return { unit: null, functionCode: null, words: say('frame.bytes', { n: bytes.length }) };
  const { unit, pdu } = body;
  const functionCode = pdu[0]! & 0x7f;
  const fc = `FC${String(functionCode).padStart(2, '0')}`;
  if (pdu[0]! & 0x80) return { unit, functionCode, words: say('frame.exception', { fc, n: pdu[1] ?? 0 }) };
  const word = (at: number): number => ((pdu[at] ?? 0) << 8) | (pdu[at + 1] ?? 0);
  const table = tables[functionCode];
  const words = ((): string => {
    if (table && functionCode <= 4) {
      if (direction === 'tx') return say('frame.read', { fc, reference: toReference(table, word(1)), n: word(3) });
      const values =
        functionCode <= 2
          ? ''
          : Array.from({ length: Math.min(4, Math.floor((pdu.length - 2) / 2)) }, (_v, i) => String(word(2 + i * 2))).join(' ');
      return say('frame.reply', { fc, n: pdu[1] ?? 0, values: `${values}${pdu.length - 2 > 8 && functionCode > 2 ? ' …' : ''}` });
    }
    if (table && (functionCode === 5 || functionCode === 6))
      return say(direction === 'tx' ? 'frame.write' : 'frame.written', {
        fc,
        reference: toReference(table, word(1)),
        value: functionCode === 5 ? (word(3) === 0xff00 ? '1' : '0') : word(3),
      });
    if (table && (functionCode === 15 || functionCode === 16))
      return say(direction === 'tx' ? 'frame.writeMany' : 'frame.writtenMany', { fc, reference: toReference(table, word(1)), n: word(3) });
    return say('frame.other', { fc, n: pdu.length });
  })();
  return { unit, functionCode, words };
}

/** Does a frame hold these bytes, given as hex with or without spaces? */
export function holdsBytes(frame: Uint8Array, search: string): boolean {
  const hex = search.replace(/[\s:,]|0x/gi, '').toUpperCase();
  if (hex === '' || !/^[0-9A-F]+$/.test(hex)) return false;
  let text = '';
  for (const byte of frame) text += byte.toString(16).toUpperCase().padStart(2, '0');
  for (let at = text.indexOf(hex); at >= 0; at = text.indexOf(hex, at + 1)) if (at % 2 === 0) return true;
  return false;
}
