import type { PlannedCall } from '../../shared/contracts/agent.ts';
import type { CallEnvelope, JsonSchema, ResultEnvelope, ToolContract } from '../../shared/contracts/calls.ts';
import { HandrailError, type Lang } from '../../shared/errors.ts';

/** The call as recorded: every parameter of its contract explicit, absent ones null. */
export function callEnvelope(
  call: PlannedCall,
  contract: ToolContract | undefined,
  about: { sessionId: string; turnId: string; caller: string; at: string },
): CallEnvelope {
  const properties = Object.keys((contract?.parameters['properties'] as Record<string, unknown> | undefined) ?? {});
  const args: Record<string, unknown> = Object.fromEntries(properties.map((name) => [name, null]));
  return {
    call_id: call.callId,
    parent_call_id: null,
    session_id: about.sessionId,
    turn_id: about.turnId,
    tool: call.tool,
    args: { ...args, ...call.args },
    depends_on: call.dependsOn ?? [],
    expected_output_schema: call.expects ?? null,
    timeout_ms: contract?.executionTimeoutMs ?? 3000,
    meta: { timestamp: about.at, caller: about.caller },
  };
}

/** The schema of a run whose program gives such a value. A run that failed says so by its status; nothing is expected of its output. */
export const runOf = (value: JsonSchema): JsonSchema => ({
  type: 'object',
  if: { properties: { status: { const: 'ok' } } },
  then: { properties: { output: { type: 'object', required: ['data'], properties: { data: value } } } },
});

/** A result for a call that never ran, or whose outcome nobody waited for. */
export function failedResult(callId: string, error: HandrailError, lang: Lang, at: string): ResultEnvelope {
  return {
    call_id: callId,
    ok: false,
    result: null,
    error: error.toWire(lang),
    meta: {
      timestamp: at,
      duration_ms: 0,
      exit_code: null,
      status_code: null,
      crc_valid: null,
      truncated: false,
      fallback: null,
      attempts: 0,
      cached: false,
    },
  };
}

/** A call the classifier refused: the model reads why, nothing reaches the gateway. */
export function rejectedResult(call: PlannedCall, known: readonly string[], lang: Lang, at: string): ResultEnvelope {
  const why = call.rejected;
  const error =
    why?.code === 'unknown_tool'
      ? new HandrailError('TOOL_UNKNOWN', {
          detail: { tool: call.tool, known: known.join(', ') },
          message: { en: why.tellModel, zh: why.tellModel },
        })
      : new HandrailError('ARGS_INVALID', { detail: { reason: why?.tellModel ?? 'not usable' } });
  return failedResult(call.callId, error, lang, at);
}
