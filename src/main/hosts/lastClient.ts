import type { ApiContext, CoreApi } from '../../shared/contracts/api.ts';
import type { ApprovalCard } from '../../shared/contracts/approvals.ts';
import type { Wire } from '../../shared/rpcMessages.ts';

/** A reload of the page takes about a second; the card must survive it. */
const graceMs = 5_000;

/**
 * An approval that nobody can see is rejected: when the last page has gone and none has come back within the grace
 * time, every waiting card is decided as closed. Nothing is ever approved here.
 */
export function rejectWhenNobodyLooks(api: CoreApi, grace = graceMs): { joined(wire: Wire): void; stop(): void } {
  const abort = new AbortController();
  const context: ApiContext = { signal: abort.signal, door: 'web', client: 'host' };
  const waiting = new Map<string, ApprovalCard>();
  let clients = 0;
  let timer: NodeJS.Timeout | undefined;

  void (async () => {
    for await (const news of api.streams.approvals({}, context)) {
      if (news.type === 'waiting') waiting.set(news.card.cardId, news.card);
      else waiting.delete(news.cardId);
    }
  })().catch(() => undefined); // the core has closed; so will the host

  const closeAll = (): void => {
    for (const card of waiting.values())
      void api.calls['approval.decide']({ cardId: card.cardId, digest: card.digest, approved: false, how: 'closed' }, context).catch(
        () => undefined,
      );
  };
  return {
    joined(wire) {
      clients += 1;
      clearTimeout(timer);
      wire.onClose(() => {
        clients -= 1;
        if (clients === 0) timer = setTimeout(closeAll, grace);
      });
    },
    stop() {
      clearTimeout(timer);
      abort.abort();
    },
  };
}
