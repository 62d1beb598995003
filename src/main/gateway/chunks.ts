import { HandrailError } from '../../shared/errors.ts';
import type { CallRequest } from '../../shared/contracts/calls.ts';
import type { Clock } from '../../shared/contracts/tools.ts';

export const chunkLimits = { lifeMs: 60_000, pieces: 1000, bytes: 8_000_000, open: 64 };

type Assembly = { owner: string; total: number; pieces: Map<number, string>; size: number; forget: () => void };
export type ChunkStep = { complete: false; received: number; total: number } | { complete: true; args: unknown };

const wrong = (en: string, zh: string): HandrailError =>
  new HandrailError('TOOL_CHUNKS', {
    message: { en: `The argument chunks are not usable: ${en}.`, zh: `参数分块不可用：${zh}。` },
    detail: { reason: en },
  });

/** Arguments that arrive in pieces. Nothing runs before the last piece is here; what stays incomplete is dropped after 60 s. */
export function createChunks(deps: { clock: Clock; expired(callId: string, received: number, total: number): void }) {
  const open = new Map<string, Assembly>();
  const drop = (callId: string): void => {
    open.get(callId)?.forget();
    open.delete(callId);
  };

  return {
    take(request: CallRequest & { callId: string }): ChunkStep {
      const { chunk, callId } = request;
      if (chunk === undefined) return { complete: true, args: request.args };
      const { index, total } = chunk;
      if (typeof request.args !== 'string') throw wrong('a piece must be text', '分块必须是文本');
      if (!Number.isInteger(total) || total < 1 || total > chunkLimits.pieces)
        throw wrong(`total must be 1 to ${chunkLimits.pieces}`, `总数须为 1–${chunkLimits.pieces}`);
      if (!Number.isInteger(index) || index < 0 || index >= total)
        throw wrong(`index ${index} is outside 0 to ${total - 1}`, `序号 ${index} 超出 0–${total - 1}`);
      const owner = JSON.stringify([request.caller, request.sessionId, request.turnId ?? null, request.tool]);
      let mine = open.get(callId);
      if (mine === undefined) {
        if (open.size >= chunkLimits.open) throw wrong('too many incomplete calls', '未完成的调用过多');
        const forget = deps.clock.after(chunkLimits.lifeMs, () => {
          const late = open.get(callId);
          open.delete(callId);
          if (late) deps.expired(callId, late.pieces.size, late.total);
        });
        mine = { owner, total, pieces: new Map(), size: 0, forget };
        open.set(callId, mine);
      }
      if (mine.owner !== owner) throw wrong('the pieces come from different callers or name different tools', '分块来自不同的调用方或工具');
      const fail = (error: HandrailError): never => {
        drop(callId);
        throw error;
      };
      if (mine.total !== total) fail(wrong('the pieces disagree about their number', '各分块给出的总数不一致'));
      const before = mine.pieces.get(index);
      if (before !== undefined && before !== request.args)
        fail(wrong(`piece ${index} came twice with different content`, `分块 ${index} 两次内容不同`));
      if (before === undefined) {
        mine.pieces.set(index, request.args);
        mine.size += request.args.length;
      }
      if (mine.size > chunkLimits.bytes) fail(wrong(`longer than ${chunkLimits.bytes} characters`, `超过 ${chunkLimits.bytes} 个字符`));
      if (mine.pieces.size < total) return { complete: false, received: mine.pieces.size, total };
      const text = Array.from({ length: total }, (_, i) => mine.pieces.get(i)!).join('');
      drop(callId);
      try {
        return { complete: true, args: JSON.parse(text) as unknown };
      } catch {
        throw wrong('together they are not JSON', '合并后不是 JSON');
      }
    },
    /** Names of the calls that wait for pieces. */
    waiting: (): string[] => [...open.keys()],
    close(): void {
      for (const callId of [...open.keys()]) drop(callId);
    },
  };
}
