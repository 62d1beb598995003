import type { PlanInput, PlannedCall, PlannerEvent } from '../../shared/contracts/agent.ts';
import type { Interpretation, World, WorldTag } from '../../shared/planner/types.ts';

// A handful of request kinds, enough for the loop to stand on: read a tag, read registers, set a tag, undo.

export function interpretFew(text: string, world: World): Interpretation {
  const words = text.normalize('NFKC').toLowerCase();
  const plain = (intent: Interpretation['intent'], params: Record<string, unknown>): Interpretation => ({
    intent,
    params,
    needs_clarification: false,
    reason: null,
  });
  const registers =
    /(?:read|show)?\s*(\d+)\s+holding registers? (?:from|of) (?:unit|slave|station) (\d+)(?: starting)? (?:at|from) (\d+)/.exec(words);
  if (registers)
    return plain('modbus_read', {
      unit: Number(registers[2]),
      table: 'holding',
      address: Number(registers[3]),
      count: Number(registers[1]),
    });
  const registersZh = /(\d+)号从站从(\d+)开始的(\d+)个保持寄存器/.exec(words);
  if (registersZh)
    return plain('modbus_read', {
      unit: Number(registersZh[1]),
      table: 'holding',
      address: Number(registersZh[2]),
      count: Number(registersZh[3]),
    });
  if (/^(undo|revert|撤销|撤消)/.test(words)) return plain('undo', { steps: 1 });
  const tag = longestAlias(words, world);
  const set = /(?:set|设为|设置为|设到|to)\D*(-?\d+(?:\.\d+)?)\D*$/.exec(words);
  if (tag && set && /^(set|把|将|设)/.test(words)) return plain('tag_write', { tag: tag.name, value: Number(set[1]) });
  if (tag) return plain('tag_read', { tags: [tag.name] });
  return { intent: 'unknown', params: {}, needs_clarification: false, reason: 'not_understood' };
}

function longestAlias(words: string, world: World): WorldTag | undefined {
  const hits = world.tags.flatMap((tag) =>
    [tag.name, ...tag.aliases].filter((a) => words.includes(a.toLowerCase())).map((alias) => ({ tag, alias })),
  );
  return hits.sort((a, b) => b.alias.length - a.alias.length)[0]?.tag;
}

export function nextStepOfFew(meant: Interpretation, input: PlanInput): PlannerEvent {
  const zh = input.lang === 'zh';
  const result = input.results.at(-1)?.result;
  if (meant.intent === 'unknown' || meant.needs_clarification) {
    return {
      type: 'clarify',
      question: zh
        ? '我没有听懂。可以问点位的值、读寄存器、设置点位或撤销。'
        : 'I did not understand that. Ask for a tag, registers, a setpoint, or undo.',
      candidates: [],
      reason: meant.reason,
    };
  }
  if (result === undefined) {
    const call: PlannedCall = { callId: 'c1', tool: meant.intent, args: meant.params };
    return { type: 'calls', calls: [call], last: false };
  }
  if (!result.ok)
    return {
      type: 'answer',
      text: `${result.error?.message ?? ''} ${result.error?.advice ?? ''}`.trim(),
      error: result.error ?? undefined,
    };
  return { type: 'answer', text: sentence(result.result, zh) };
}

function sentence(result: unknown, zh: boolean): string {
  const r = result as { values?: unknown[]; writes?: { tag: string | null; now: unknown; unit: string; verdict: string }[] };
  if (r.writes) return r.writes.map((w) => `${w.tag ?? ''}: ${String(w.now)} ${w.unit} (${w.verdict})`).join(zh ? '；' : '; ');
  const parts = (r.values ?? []).map((v) => {
    const reading = v as { tag?: string; value?: unknown; unit?: string; quality?: string };
    return typeof v === 'object' && v !== null ? `${reading.tag ?? ''} ${String(reading.value)} ${reading.unit ?? ''}`.trim() : String(v);
  });
  return parts.join(zh ? '，' : ', ');
}
