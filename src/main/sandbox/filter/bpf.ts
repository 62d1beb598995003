/**
 * Writes seccomp programs as `struct sock_filter[]`: { u16 code, u8 jt, u8 jf, u32 k }, little endian, 8 bytes each.
 * The kernel runs one over `struct seccomp_data` { i32 nr, u32 arch, u64 instruction_pointer, u64 args[6] }.
 *
 *   load arch -> x86_64 section | aarch64 section | anything else (int 0x80 is i386): refuse
 *   section   -> load nr, x32 numbers refused, one compare per call, then allow | errno | argument test
 *   end       -> refuse with EPERM, so that a program is told at once and goes on
 */
import { systemCalls, type SystemCall } from './sysno.ts';

export type ArgumentTest =
  | { arg: number; oneOf: readonly number[] }
  | { arg: number; maskedEquals: readonly [mask: number, value: number] }
  | { arg: number; isNull: true };
export type Rule = 'allow' | { errno: number } | { when: readonly ArgumentTest[] };
export type Policy = Partial<Record<SystemCall, Rule>>;
type Instruction = { code: number; jt: number; jf: number; k: number };

const EPERM = 1;
const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const X32_BIT = 0x40000000;
const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;
const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP = 0x05; // BPF_JMP | BPF_JA
const JEQ = 0x15;
const JGE = 0x35;
const RET = 0x06;
const at = { nr: 0, arch: 4, argLow: (i: number) => 16 + 8 * i, argHigh: (i: number) => 20 + 8 * i };

const step = (code: number, k: number, jt = 0, jf = 0): Instruction => ({ code, jt, jf, k: k >>> 0 });
const refuse = (errno = EPERM): Instruction => step(RET, RET_ERRNO | errno);
const allow = (): Instruction => step(RET, RET_ALLOW);

/** Falls through to the next test when it holds, and returns EPERM when it does not. */
function argumentTest(test: ArgumentTest): Instruction[] {
  if ('maskedEquals' in test) {
    const [mask, value] = test.maskedEquals;
    return [step(LOAD, at.argLow(test.arg)), step(AND, mask), step(JEQ, value, 1, 0), refuse()];
  }
  const values = 'oneOf' in test ? test.oneOf : [0];
  // The upper half counts too: a pointer whose lower half is zero is not null.
  const high = [step(LOAD, at.argHigh(test.arg)), step(JEQ, 0, 1, 0), refuse(), step(LOAD, at.argLow(test.arg))];
  const compares = values.map((value, i) => step(JEQ, value, values.length - i, 0));
  return [...high, ...compares, refuse()];
}

function ruleBody(rule: Rule): Instruction[] {
  if (rule === 'allow') return [allow()];
  if ('errno' in rule) return [refuse(rule.errno)];
  return [...rule.when.flatMap(argumentTest), allow()];
}

function section(policy: Policy, column: 0 | 1): Instruction[] {
  const out = [step(LOAD, at.nr)];
  if (column === 0) out.push(step(JGE, X32_BIT, 0, 1), refuse());
  for (const [name, rule] of Object.entries(policy)) {
    const nr = systemCalls[name as SystemCall][column];
    if (nr === null) continue;
    const body = ruleBody(rule);
    if (body.length > 255) throw new RangeError(`The rule for ${name} is ${body.length} steps; a jump reaches 255.`);
    out.push(step(JEQ, nr, 0, body.length), ...body);
  }
  return [...out, refuse()];
}

/** One program for both processors, so that a build carries the same bytes everywhere. */
export function assemble(policy: Policy): Uint8Array {
  const x86 = section(policy, 0);
  const arm = section(policy, 1);
  const program = [
    step(LOAD, at.arch),
    step(JEQ, AUDIT_ARCH.x86_64, 2, 0),
    step(JEQ, AUDIT_ARCH.aarch64, 2, 0),
    refuse(),
    step(JUMP, 1),
    step(JUMP, x86.length),
    ...x86,
    ...arm,
  ];
  if (program.length > 4096) throw new RangeError(`A filter of ${program.length} steps; the kernel takes 4096.`);
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach((i, n) => {
    bytes.setUint16(n * 8, i.code, true);
    bytes.setUint8(n * 8 + 2, i.jt);
    bytes.setUint8(n * 8 + 3, i.jf);
    bytes.setUint32(n * 8 + 4, i.k, true);
  });
  return new Uint8Array(bytes.buffer);
}

export type Verdict = 'allow' | { errno: number };
export type Call = { arch: keyof typeof AUDIT_ARCH | number; nr: number; args?: readonly bigint[] };

/** Runs a program as the kernel does, so that filters are tested on every system and for both processors. */
export function interpret(program: Uint8Array, call: Call): Verdict {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(at.nr, call.nr >>> 0, true);
  data.setUint32(at.arch, typeof call.arch === 'number' ? call.arch : AUDIT_ARCH[call.arch], true);
  (call.args ?? []).forEach((value, i) => data.setBigUint64(16 + 8 * i, BigInt.asUintN(64, value), true));
  let accumulator = 0;
  for (let pc = 0; pc < program.byteLength / 8; pc++) {
    const k = view.getUint32(pc * 8 + 4, true);
    const branch = (taken: boolean): number => view.getUint8(pc * 8 + (taken ? 2 : 3));
    switch (view.getUint16(pc * 8, true)) {
      case LOAD:
        accumulator = data.getUint32(k, true);
        break;
      case AND:
        accumulator = (accumulator & k) >>> 0;
        break;
      case JUMP:
        pc += k;
        break;
      case JEQ:
        pc += branch(accumulator === k);
        break;
      case JGE:
        pc += branch(accumulator >= k);
        break;
      case RET:
        return k === RET_ALLOW ? 'allow' : { errno: k & 0xffff };
      default:
        throw new Error(`Unknown instruction at ${pc}.`);
    }
  }
  throw new Error('The program ended without a verdict.');
}
