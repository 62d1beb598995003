/**
 * What a function does to a device. Named by function code and sub-function, so that the last look at a PDU before it leaves and
 * the guard in front of the tools judge by the same table.
 */
export type FunctionEffect = 'read' | 'write' | 'forbidden';

const reading = new Set([1, 2, 3, 4, 7, 11, 12, 17, 20, 24]);
/** 23 writes before it reads. */
const writing = new Set([5, 6, 15, 16, 21, 22, 23]);
/** FC8 that only report: loopback, diagnostic register, counters (0Bh to 12h). 0Ah and 14h clear them, 03h changes a setting. */
const readingDiagnostics = new Set([0x00, 0x02, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]);
/** Restart communications and listen-only mode: a device that got one is gone from the line. Never sent. */
const dangerousDiagnostics = new Set([0x01, 0x04]);
/** FC43: read device identification is the only MEI type that is spoken. */
const identification = 14;

/** `sub` is the sub-function of FC8 and the MEI type of FC43; without one they are forbidden, as is every function not known. */
export function effectOfFunction(functionCode: number, sub: number | undefined): FunctionEffect {
  if (reading.has(functionCode)) return 'read';
  if (writing.has(functionCode)) return 'write';
  if (functionCode === 43) return sub === identification ? 'read' : 'forbidden';
  if (functionCode !== 8 || sub === undefined || dangerousDiagnostics.has(sub)) return 'forbidden';
  return readingDiagnostics.has(sub) ? 'read' : 'write';
}
