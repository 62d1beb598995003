import type { TranscriptMessage } from '../../shared/contracts/agent.ts';
import { HandrailError } from '../../shared/errors.ts';

/** Larger than any model window we budget for; a message of this size is a fault of ours. */
export const MAX_MESSAGE_CHARS = 200_000;

/**
 * What must hold before every request: turns alternate, every call has exactly one answer right after it, no answer without a
 * call, ids unique, sizes in bounds. Peers that skip this find after one Stop that every later turn of the session fails.
 */
export function transcriptFaults(messages: readonly TranscriptMessage[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  let open: Map<string, string> = new Map();
  let previous: TranscriptMessage['role'] | null = null;
  messages.forEach((message, i) => {
    if (message.content.length > MAX_MESSAGE_CHARS) faults.push(`message ${i} is too large (${message.content.length} characters)`);
    if (message.role === 'tool') {
      const tool = open.get(message.callId);
      if (tool === undefined) faults.push(`message ${i} answers ${message.callId}, which is not an open call`);
      else if (tool !== message.tool) faults.push(`message ${i} answers ${message.callId} as ${message.tool}, but it called ${tool}`);
      open.delete(message.callId);
    } else {
      for (const id of open.keys()) faults.push(`call ${id} has no answer before message ${i}`);
      open = new Map();
      if (message.role === 'user' && previous === 'user') faults.push(`message ${i}: two messages of the person in a row`);
      if (message.role === 'assistant') {
        if (previous === 'assistant') faults.push(`message ${i}: two answers in a row`);
        if (previous === null) faults.push('the transcript begins with an answer');
        for (const call of message.calls) {
          if (ids.has(call.callId)) faults.push(`call id ${call.callId} is used twice`);
          ids.add(call.callId);
          open.set(call.callId, call.tool);
        }
      }
    }
    previous = message.role;
  });
  for (const id of open.keys()) faults.push(`call ${id} has no answer`);
  return faults;
}

export function assertTranscript(messages: readonly TranscriptMessage[]): void {
  const faults = transcriptFaults(messages);
  if (faults.length > 0)
    throw new HandrailError('INTERNAL', { detail: { reason: `the transcript is not whole: ${faults.slice(0, 3).join('; ')}` } });
}
