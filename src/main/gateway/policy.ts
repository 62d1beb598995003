import { HandrailError, type Bilingual } from '../../shared/errors.ts';
import type { ModbusTable, ScalarValue } from '../../shared/contracts/approvals.ts';
import type { Effect, ToolContract } from '../../shared/contracts/calls.ts';
import type { Observed, PlannedWrite, WriteTarget } from '../../shared/contracts/tools.ts';
import { askedDirection } from './direction.ts';

export type AddressRange = { device: string; table: ModbusTable; from: number; to: number };

/**
 * What may be done at all. Read from a place that neither model, sandbox nor page can write. Empty lists deny: an empty
 * allow-list that meant "everything" was a real hole (CVE-2025-66479).
 */
export type PolicyRules = {
  /** Addresses outside the tags that a raw write may go to. */
  writable: readonly AddressRange[];
  /** Never written by Handrail, whatever a tag says: safety functions and their data. */
  never: readonly AddressRange[];
  /** Effects each kind of caller may have. */
  callers: Readonly<Record<string, readonly Effect[]>>;
  /** true: nothing is written, whatever is armed. */
  readOnly: boolean;
};

const all: readonly Effect[] = ['none', 'read', 'write-plant', 'write-file', 'execute', 'network', 'connect'];
export const defaultPolicy: PolicyRules = {
  writable: [],
  never: [],
  callers: { person: all, agent: all, program: ['none', 'read'], mcp: ['none', 'read'], poll: ['read'] },
  readOnly: false,
};

const refuse = (en: string, zh: string, detail: Record<string, unknown> = {}): HandrailError =>
  new HandrailError('POLICY_REFUSED', { detail: { reason: en, ...detail }, message: { en: `Refused: ${en}.`, zh: `已拒绝：${zh}。` } });

/** May this caller have this effect? An unknown kind of caller may nothing. */
export function judgeCaller(rules: PolicyRules | null, contract: ToolContract, caller: string): void {
  if (contract.effect === 'none' || contract.effect === 'read') {
    if (rules === null) return;
  } else if (rules === null) {
    throw refuse('the policy cannot be read, so nothing but reading is done', '无法读取策略，因此只允许读取');
  }
  const kind = caller.split(':')[0]!;
  if (!(rules.callers[kind] ?? []).includes(contract.effect)) {
    throw refuse(`${kind} may not use ${contract.name}`, `${kind} 不可使用 ${contract.name}`, { caller, tool: contract.name });
  }
  if (contract.effect === 'write-plant' && rules.readOnly)
    throw new HandrailError('POLICY_READ_ONLY', { detail: { target: 'plant' }, message: readOnlyText });
}

const readOnlyText: Bilingual = { en: 'Handrail is in read-only mode.', zh: 'Handrail 处于只读模式。' };

const covers = (range: AddressRange, target: WriteTarget, length: number): boolean =>
  range.device === target.device && range.table === target.table && range.from <= target.address && target.address + length - 1 <= range.to;
const touches = (range: AddressRange, target: WriteTarget, length: number): boolean =>
  range.device === target.device && range.table === target.table && range.from <= target.address + length - 1 && target.address <= range.to;

export const nameOf = (target: WriteTarget): string => target.tag ?? `${target.device} ${target.table} ${target.address}`;

/** Where a write goes: default deny. `named`: a person's exact consent names this very address. */
export function judgeTarget(rules: PolicyRules, write: PlannedWrite, named: boolean): void {
  const { target } = write;
  const length = write.after.raw.length;
  if (target.unitId === 0) throw refuse('unit 0 is a broadcast; nobody could read it back', '站号 0 为广播，无法回读');
  if (target.table === 'input' || target.table === 'discrete' || target.standing === 'read-only') {
    throw new HandrailError('POLICY_READ_ONLY', { detail: { target: nameOf(target) } });
  }
  if (rules.never.some((range) => touches(range, target, length))) {
    throw refuse(
      `${nameOf(target)} belongs to a safety function; Handrail never writes there`,
      `${nameOf(target)} 属于安全功能，Handrail 绝不写入`,
    );
  }
  if (target.standing === 'unlisted' && !named && !rules.writable.some((range) => covers(range, target, length))) {
    throw refuse(
      `no writable tag covers ${nameOf(target)} (${target.reference}); define it as a tag, allow the address in the policy, or consent with --approve ${consentKey(write)}`,
      `没有可写点位覆盖 ${nameOf(target)}（${target.reference}）；请定义点位、在策略中允许该地址，或用 --approve ${consentKey(write)} 同意`,
      { target: nameOf(target) },
    );
  }
}

/** How exact consent names this write: `tag=value`, or `unit:table:address=value` for a bare register. */
export function consentKey(write: PlannedWrite): string {
  const { target } = write;
  return `${target.tag ?? `${target.unitId}:${target.table}:${target.address}`}=${valueText(write.after.value)}`;
}
export const valueText = (value: ScalarValue | null): string => (value === null ? '?' : String(value));

/** A number of any width: 64-bit integers past 2^53 travel as text, and are judged exactly, never as the nearest double. */
function numeric(value: ScalarValue | null): number | bigint | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : null;
}
function distance(a: number | bigint, b: number | bigint): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b);
  const apart = Number.isInteger(Number(a)) && Number.isInteger(Number(b)) ? Number(BigInt(a) - BigInt(b)) : Number(a) - Number(b);
  return Math.abs(apart);
}

/** The new value against range, step, state and the person's words. */
export function judgeValue(write: PlannedWrite, now: Observed, words: string): void {
  const { target } = write;
  const name = nameOf(target);
  const unit = target.unit === '' ? '' : ` ${target.unit}`;
  const after = numeric(write.after.value);
  const before = numeric(now.value);
  if (after === null) return;
  if (typeof after === 'number' && !Number.isFinite(after))
    throw new HandrailError('DEVICE_VALUE', { detail: { target: name, reason: 'not a number' } });
  const { min, max, maxStep } = target.range;
  if ((min !== null && after < min) || (max !== null && after > max)) {
    throw new HandrailError('POLICY_RANGE', {
      detail: { target: name, value: `${after}${unit}`, min: min ?? '-∞', max: max ?? '+∞', now: now.value },
    });
  }
  if (maxStep !== null && write.takesBack === undefined) {
    if (before === null) {
      throw refuse(`the present value of ${name} is not known, so the step cannot be judged`, `${name} 的当前值未知，无法判断步长`);
    }
    if (distance(after, before) > maxStep * (1 + 1e-9)) {
      throw new HandrailError('POLICY_STEP', {
        detail: { target: name, now: `${before}${unit}`, value: `${after}${unit}`, step: `${maxStep}${unit}` },
      });
    }
  }
  judgeDirection(write, { before, after }, words);
}

function judgeDirection(
  { target, takesBack }: PlannedWrite,
  { before, after }: { before: number | bigint | null; after: number | bigint },
  words: string,
): void {
  if (takesBack !== undefined || before === null) return;
  const asked = askedDirection(words, target.aliases);
  const goes = after > before ? 'raise' : after < before ? 'lower' : null;
  if (asked === null || goes === null || asked === goes) return;
  const en = { raise: 'raise', lower: 'lower' };
  const zh = { raise: '提高', lower: '降低' };
  const is = goes === 'raise' ? { en: 'higher', zh: '高于' } : { en: 'lower', zh: '低于' };
  const shown = (value: number | bigint): number | string => (typeof value === 'bigint' ? value.toString() : value);
  const detail = { target: nameOf(target), asked: en[asked], actual: is.en, now: shown(before), value: shown(after) };
  throw new HandrailError('POLICY_DIRECTION', {
    detail,
    message: {
      en: `You asked to ${en[asked]} ${nameOf(target)}, but ${after} is ${is.en} than ${before}. Not proposed.`,
      zh: `你要求${zh[asked]} ${nameOf(target)}，但 ${after} ${is.zh}当前的 ${before}，未提出写入。`,
    },
  });
}
