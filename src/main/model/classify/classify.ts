import type { JsonSchema } from '../../../shared/contracts/calls.ts';
import { schemaFaults } from './check.ts';
import { findForms } from './forms.ts';
import { readLoose } from './looseJson.ts';
import { matchName } from './names.ts';
import { fitArguments, type Fault } from './values.ts';
import type { AcceptedCall, FoundCall, OfferedTool, RawAnswer, RefusedCall, Verdict } from './types.ts';

/**
 * What a finished answer asks for. Tolerant for reads, exact for writes: a write is taken only from a structured call with the
 * exact name and arguments that fit as they stand, never from one that was repaired, coerced, written as text or cut off. Pure.
 */
export function classify(answer: RawAnswer, tools: readonly OfferedTool[]): Verdict {
  const ended = answer.doneReason === undefined || answer.doneReason === null || ['', 'stop', 'tool_calls'].includes(answer.doneReason);
  const content = withoutThinking(answer.content);
  const structured = answer.toolCalls ?? [];
  if (structured.length > 0) {
    if (!ended) return truncated(content);
    const found = structured.map((c): FoundCall => ({
      name: c.name,
      args: c.arguments,
      cut: false,
      bad: false,
      ...(c.id === undefined ? {} : { id: c.id }),
    }));
    return judge(found, content, tools, 'structured');
  }
  const forms = findForms(content, tools);
  const text = forms === null ? content : forms.before;
  if (!ended) return truncated(text);
  if (forms !== null) return judge(forms.calls, text, tools, 'text');
  if (content.trim() === '') return fromThinking(answer.thinking ?? '', tools);
  return notACall(content.trim());
}

const truncated = (text: string): Verdict => ({
  calls: [],
  text: text.trim(),
  reject: { code: 'truncated', tellModel: null },
  sequence: [],
});
const notACall = (text: string): Verdict => ({ calls: [], text, reject: { code: 'not_a_call', tellModel: null }, sequence: [] });

/** Rule 2: inline thinking is no text and nothing in it is a call; unclosed, it reaches to the end. */
export function withoutThinking(content: string): string {
  return content.replace(/<think>[\s\S]*?(<\/think>|$)/g, '');
}

/** An empty answer whose thinking ends with a complete tagged read: that read is taken, a write never. */
function fromThinking(thinking: string, tools: readonly OfferedTool[]): Verdict {
  const at = thinking.search(/(<tool_call>(?:(?!<tool_call>)[\s\S])*<\/tool_call>\s*)+$/);
  if (at < 0) return notACall('');
  const forms = findForms(thinking.slice(at), tools);
  if (forms === null || forms.before.trim() !== '' || forms.calls.some((c) => c.cut || c.bad)) return notACall('');
  const verdict = judge(forms.calls, '', tools, 'thinking');
  return verdict.sequence.every((s) => 'accepted' in s) ? verdict : notACall('');
}

function judge(found: FoundCall[], text: string, tools: readonly OfferedTool[], from: AcceptedCall['from']): Verdict {
  const judged = found.map((call) => judgeCall(call, tools, from));
  if (judged.includes('cut')) return truncated(text);
  const sequence = judged as Verdict['sequence'];
  const calls = sequence.flatMap((s) => ('accepted' in s ? [s.accepted] : []));
  const refused = sequence.flatMap((s) => ('refused' in s ? [s.refused] : []));
  // A write that stands in text is no call at all, unless a good call beside it shows that calls were meant.
  const first = calls.length > 0 ? refused[0] : (refused.find((r) => r.code !== 'not_a_call') ?? refused[0]);
  const code = first?.code === 'not_a_call' && calls.length > 0 ? 'invalid_arguments' : first?.code;
  return {
    calls,
    text: text.trim(),
    reject: first === undefined || code === undefined ? null : { code, tellModel: first.tellModel },
    sequence,
  };
}

function judgeCall(call: FoundCall, tools: readonly OfferedTool[], from: AcceptedCall['from']): Verdict['sequence'][number] | 'cut' {
  if (call.cut) return 'cut';
  const name = typeof call.name === 'string' ? call.name : '';
  const refuse = (code: RefusedCall['code'], tellModel: string): { refused: RefusedCall } => ({
    refused: { name, code, tellModel, ...(call.id === undefined ? {} : { id: call.id }) },
  });
  const match = matchName(call.name, tools);
  if (from !== 'structured' && match !== null && ('write' in match || match.tool.effect === 'write')) {
    const write = 'write' in match ? match.write : match.tool.name;
    return refuse('not_a_call', `${write} is taken only as a structured call, not written as text`);
  }
  if (match === null || 'write' in match) {
    return refuse(
      'unknown_tool',
      `${name === '' ? 'A call without a name' : name} does not exist; available: ${tools.map((t) => t.name).join(', ')}`,
    );
  }
  const { tool } = match;
  if (call.bad) return refuse('invalid_arguments', `the arguments of ${tool.name} cannot be read`);
  const read = tool.effect === 'write' ? writeArguments(call.args) : readArguments(call.args);
  if (read === 'cut') return 'cut';
  if (read === null) return refuse('invalid_arguments', `arguments of ${tool.name} must be one JSON object`);
  const faults: Fault[] = [];
  const args = tool.effect === 'write' ? read : fitArguments(read, tool.parameters, faults);
  if (tool.effect === 'write') faults.push(...unknownKeys(args, tool.parameters));
  for (const fault of schemaFaults(args, tool.parameters)) if (!faults.some((f) => f.field === fault.field)) faults.push(fault);
  if (faults.length > 0) return refuse('invalid_arguments', `${tool.name}: ${faults.map((f) => `${f.field} ${f.what}`).join('; ')}`);
  return { accepted: { name: tool.name, arguments: args, from, ...(call.id === undefined ? {} : { id: call.id }) } };
}

/** Rule 7 for writes: an object, or one strict JSON string of an object. Null: neither. */
function writeArguments(args: unknown): Record<string, unknown> | null | 'cut' {
  if (isObject(args)) return args;
  if (typeof args !== 'string') return null;
  try {
    const value = JSON.parse(args) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return /^\s*[{[｛［]/.test(args) && readLoose(args.trim(), 0).cut ? 'cut' : null;
  }
}

/** Rule 7 for reads: a string is decoded while it stays a string, at most three times; nothing at all is no arguments. */
function readArguments(args: unknown): Record<string, unknown> | null | 'cut' {
  let value = args;
  for (let times = 0; typeof value === 'string'; times++) {
    const text = unfence(value);
    if (text === '') return {};
    if (times >= 3) return null;
    try {
      value = JSON.parse(text) as unknown;
      continue;
    } catch {
      // not strict JSON: the repair below
    }
    const read = readLoose(text, 0);
    if (read.cut && (/^[{[｛［"'“‘＂]/.test(text) || /^-?\d+$/.test(text) || isHalfLiteral(text))) return 'cut';
    if (read.cut || read.bad || text.slice(read.end).trim() !== '') return null;
    value = read.value;
  }
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return {};
  return isObject(value) ? value : null;
}

const isHalfLiteral = (text: string): boolean => ['true', 'false', 'null', 'True', 'False', 'None'].some((word) => word.startsWith(text));
const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value);

function unfence(text: string): string {
  return /^\s*```[\w-]*\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1] ?? text.trim();
}

/** A key a write does not know may carry a meaning; it is refused even where the schema would let it pass. */
function unknownKeys(args: Record<string, unknown>, schema: JsonSchema): Fault[] {
  const known = (schema['properties'] as Record<string, unknown> | undefined) ?? {};
  return Object.keys(args).flatMap((key) => (Object.hasOwn(known, key) ? [] : [{ field: key, what: 'is an unknown argument' }]));
}
