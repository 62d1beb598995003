import { createHash } from 'node:crypto';
import { HandrailError, type Bilingual } from '../../shared/errors.ts';
import { canonicalJson } from '../../shared/canonicalJson.ts';
import type { ApprovalCard, ApprovalDecision, ApprovalItem, Approver, FileItem } from '../../shared/contracts/approvals.ts';
import type { Clock, Observed, PlannedWrite } from '../../shared/contracts/tools.ts';

export const consentLifeMs = 60_000;

/** Control, direction and zero-width characters as escapes: text on a card must not turn, hide or push other text. */
export function visible(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u3164\u115f\u1160]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
    .slice(0, 2000);
}

/** The facts of one value, from parsed arguments and a fresh read; no word of them comes from a model. */
export function describeWrite(write: PlannedWrite, now: Observed): ApprovalItem {
  const { target, after, takesBack } = write;
  return {
    tag: target.tag,
    label: { en: visible(target.label.en), zh: visible(target.label.zh) },
    device: target.device,
    connection: target.connection,
    unitId: target.unitId,
    table: target.table,
    address: target.address,
    reference: target.reference,
    now: now.value,
    after: after.value,
    unit: target.unit,
    direction: directionOf(now.value, after.value),
    range: target.range,
    raw: { before: now.raw, after: after.raw },
    functionCode: write.request.functionCode,
    undo: write.undo,
    critical: target.critical,
    takesBack: takesBack === undefined ? null : { callId: takesBack.callId, value: takesBack.value },
  };
}

function directionOf(now: ApprovalItem['now'], after: ApprovalItem['after']): ApprovalItem['direction'] {
  if (now === null || typeof now === 'string' || typeof after === 'string') return null;
  if (now === after) return 'same';
  if (typeof now === 'number' && typeof after === 'number') return after > now ? 'raises' : 'lowers';
  return 'switches';
}

export const digestOf = (items: readonly ApprovalItem[], files: readonly FileItem[]): string =>
  createHash('sha256').update(canonicalJson({ items, files })).digest('hex');

export function makeCard(
  facts: { callId: string; sessionId: string; items: ApprovalItem[]; files?: FileItem[]; words: string; taint: readonly string[] },
  deps: { clock: Clock; cardId: string },
): ApprovalCard {
  const files = facts.files ?? [];
  const createdAt = deps.clock.now();
  return {
    cardId: deps.cardId,
    callId: facts.callId,
    sessionId: facts.sessionId,
    title: titleOf(facts.items, files),
    items: facts.items,
    ...(files.length > 0 ? { files } : {}),
    digest: digestOf(facts.items, files),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(createdAt + consentLifeMs).toISOString(),
    words: visible(facts.words),
    taint: facts.taint.map(visible),
  };
}

function titleOf(items: readonly ApprovalItem[], files: readonly FileItem[]): Bilingual {
  if (files.length > 0) return { en: `Write ${files.length} file(s)`, zh: `写入 ${files.length} 个文件` };
  const [first] = items;
  const undo = items.every((item) => item.takesBack);
  if (items.length === 1 && first) {
    const what = {
      en: first.tag === null ? `${first.device} ${first.reference}` : first.label.en,
      zh: first.tag === null ? `${first.device} ${first.reference}` : first.label.zh,
    };
    return undo ? { en: `Undo the write to ${what.en}`, zh: `撤销对${what.zh}的写入` } : { en: `Write ${what.en}`, zh: `写入${what.zh}` };
  }
  return undo
    ? { en: `Undo ${items.length} writes`, zh: `撤销 ${items.length} 个写入` }
    : { en: `Write ${items.length} values, in this order`, zh: `按此顺序写入 ${items.length} 个值` };
}

/** A person's consent: each value of its card once, exactly as shown, within 60 s. */
export type Consent = { readonly by: string; readonly how: string; useItem(item: ApprovalItem): void; useFile(file: FileItem): void };

/**
 * Shows the card and waits for a person. Whatever comes back is checked against what was shown; the clock of the machine
 * and the monotonic one must agree about the time it took.
 */
export async function askConsent(
  card: ApprovalCard,
  deps: { approver: Approver; clock: Clock; signal: AbortSignal; decided(decision: ApprovalDecision): void },
): Promise<Consent> {
  const { clock } = deps;
  const target = card.items
    .map((item) => item.tag ?? item.reference)
    .concat((card.files ?? []).map((f) => f.path))
    .join(', ');
  const startedNow = clock.now();
  const startedElapsed = clock.elapsed();
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(deps.signal.reason);
  if (deps.signal.aborted) onAbort();
  deps.signal.addEventListener('abort', onAbort, { once: true });
  const forget = clock.after(consentLifeMs, () => ended.abort(new HandrailError('APPROVAL_EXPIRED', { detail: { target } })));
  let decision: ApprovalDecision;
  try {
    decision = await Promise.race([
      deps.approver.ask(card, ended.signal),
      new Promise<never>((_, failed) => {
        const fail = (): void => failed(ended.signal.reason as Error);
        if (ended.signal.aborted) fail();
        else ended.signal.addEventListener('abort', fail, { once: true });
      }),
    ]);
  } catch (error) {
    deps.decided({
      approved: false,
      by: '',
      digest: card.digest,
      how: error instanceof HandrailError && error.code === 'APPROVAL_EXPIRED' ? 'expired' : 'closed',
    });
    throw error;
  } finally {
    forget();
    deps.signal.removeEventListener('abort', onAbort);
  }
  deps.decided(decision);
  if (!decision.approved) {
    if (decision.how === 'expired') throw new HandrailError('APPROVAL_EXPIRED', { detail: { target } });
    throw new HandrailError('APPROVAL_DECLINED', { detail: { target, how: decision.how } });
  }
  const mismatch = (en: string, zh: string): HandrailError =>
    new HandrailError('APPROVAL_MISMATCH', {
      detail: { target, reason: en },
      message: { en: `The consent does not match what would be written: ${en}.`, zh: `同意内容与将写入的内容不符：${zh}。` },
    });
  if (decision.digest !== card.digest) throw mismatch('it names another card', '它对应另一张卡片');
  if (decision.by.trim() === '' || /^(agent|program|mcp|poll):?/.test(decision.by)) throw mismatch('no person gave it', '不是由人员给出');
  const needsTyping = card.taint.length > 0 || card.items.some((item) => item.critical === true);
  if (needsTyping && decision.how !== 'typed' && decision.how !== 'cli-flag')
    throw mismatch('this card wants the value typed', '此卡片要求输入数值');
  if (decision.how === 'reject' || decision.how === 'expired' || decision.how === 'closed')
    throw mismatch('it both approves and does not', '同意内容自相矛盾');
  const tookWall = clock.now() - startedNow;
  const took = clock.elapsed() - startedElapsed;
  if (took >= consentLifeMs || Math.abs(tookWall - took) > 5000) throw new HandrailError('APPROVAL_EXPIRED', { detail: { target } });
  const givenAt = clock.elapsed();
  const left = { items: card.items.map((item) => canonicalJson(item)), files: (card.files ?? []).map((file) => canonicalJson(file)) };
  const use = (kind: 'items' | 'files', fact: unknown): void => {
    if (clock.elapsed() - givenAt >= consentLifeMs) throw new HandrailError('APPROVAL_EXPIRED', { detail: { target } });
    const at = left[kind].indexOf(canonicalJson(fact));
    if (at < 0) throw mismatch('it was used already, or shows something else', '该同意已被使用，或所示内容不同');
    left[kind].splice(at, 1);
  };
  return { by: decision.by, how: decision.how, useItem: (item) => use('items', item), useFile: (file) => use('files', file) };
}
