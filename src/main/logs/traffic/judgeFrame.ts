/** What a logged frame is, judged by its own bytes. `checksum` is null where there is none (TCP). */
export type Judged = { unit: number; functionCode: number; exception: number | null; checksum: boolean | null };

/** RTU when the CRC fits, else Modbus TCP when the header fits, else RTU with a wrong CRC. */
export function judgeFrame(bytes: Uint8Array): Judged {
  const at = (base: number, checksum: boolean | null): Judged => {
    const functionCode = bytes[base + 1]!;
    const isException = functionCode >= 0x80;
    return { unit: bytes[base]!, functionCode: functionCode & 0x7f, exception: isException ? (bytes[base + 2] ?? null) : null, checksum };
  };
  if (crcFits(bytes)) return at(0, true);
  const isTcp = bytes.length >= 8 && bytes[2] === 0 && bytes[3] === 0 && ((bytes[4]! << 8) | bytes[5]!) === bytes.length - 6;
  return isTcp ? at(6, null) : at(0, false);
}

/** CRC-16/MODBUS over all but the last two bytes, which carry it low byte first. */
function crcFits(bytes: Uint8Array): boolean {
  let crc = 0xffff;
  for (let i = 0; i < bytes.length - 2; i++) {
    crc ^= bytes[i]!;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return bytes.length >= 4 && bytes[bytes.length - 2] === (crc & 0xff) && bytes[bytes.length - 1] === crc >>> 8;
}

export const isWriteFunction = (functionCode: number): boolean => [5, 6, 15, 16, 21, 22, 23].includes(functionCode);
