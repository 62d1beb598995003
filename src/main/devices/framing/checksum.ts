/** CRC-16/MODBUS, table of the reflected polynomial A001h. Sent low byte first. */
const crcTable = new Uint16Array(256);
for (let value = 0; value < 256; value++) {
  let crc = value;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  crcTable[value] = crc;
}

export function crc16(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0xffff;
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ crcTable[(crc ^ bytes[i]!) & 0xff]!;
  return crc;
}

/** True when the last two of the bytes are the CRC of those before them. */
export function crcFits(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  if (end - start < 3) return false;
  return crc16(bytes, start, end - 2) === (bytes[end - 2]! | (bytes[end - 1]! << 8));
}

/** Longitudinal redundancy check of the ASCII mode: two's complement of the sum of the bytes. */
export function lrc(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += bytes[i]!;
  return -sum & 0xff;
}
