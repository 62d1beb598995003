/**
 * Read-only mode by function and sub-function, looked at on the PDU itself right before it leaves: whatever a caller, a
 * tool or a raw frame says it does, this is what the device would do.
 */
export type PduEffect = 'read' | 'write' | 'forbidden';

/** FC8 that only report: loopback, diagnostic register, counters (0Bh to 12h). 0Ah and 14h clear them, 03h changes a setting. */
const readingDiagnostics = new Set([0x00, 0x02, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12]);
/** Restart communications and listen-only mode: a device that got one is gone from the line. Never sent. */
const dangerousDiagnostics = new Set([0x01, 0x04]);

export function effectOf(pdu: Uint8Array): PduEffect {
  switch (pdu[0] ?? 0) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 7:
    case 11:
    case 12:
    case 17:
    case 20:
    case 24:
      return 'read';
    case 8: {
      const sub = ((pdu[1] ?? 0) << 8) | (pdu[2] ?? 0);
      return pdu.length < 3 || dangerousDiagnostics.has(sub) ? 'forbidden' : readingDiagnostics.has(sub) ? 'read' : 'write';
    }
    case 43:
      return pdu[1] === 14 ? 'read' : 'forbidden';
    case 5:
    case 6:
    case 15:
    case 16:
    case 21:
    case 22:
    case 23: // 23 writes before it reads
      return 'write';
    default:
      return 'forbidden';
  }
}
