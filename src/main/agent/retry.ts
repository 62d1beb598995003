import type { Effect } from '../../shared/contracts/calls.ts';
import type { ErrorCode, WireError } from '../../shared/errors.ts';

/** What the wire did, not what was asked: only these are worth a second try, and only for a read. */
const wireFaults: ReadonlySet<ErrorCode> = new Set([
  'TIMEOUT',
  'DEVICE_NO_ANSWER',
  'PORT_UNREACHABLE',
  'PORT_REFUSED',
  'PORT_CLOSED',
  'FRAME_CRC',
  'FRAME_INCOMPLETE',
  'FRAME_MISMATCH',
  'TOOL_BUSY',
  'SANDBOX_BUSY',
]);

/** Bad arguments, refusals and syntax errors are never repeated blindly; a write never is, whatever happened to it. */
export function mayRetry(error: WireError, effect: Effect | undefined): boolean {
  if (effect !== 'read' && effect !== 'none') return false;
  return error.retry === 'yes' && wireFaults.has(error.code);
}
