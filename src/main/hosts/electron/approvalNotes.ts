import { Notification, type BrowserWindow } from 'electron';
import type { ApiContext, CoreApi } from '../../../shared/contracts/api.ts';
import type { Lang } from '../../../shared/errors.ts';

const words = {
  en: { title: 'A write waits for you', body: 'Bring the window to the front to decide. It expires by itself.' },
  zh: { title: '有一项写入等待你决定', body: '请把窗口切到前台再决定，逾期自动失效。' },
} as const;

type Where = { lang(): Lang; window(): BrowserWindow | null; front(): void };

/** A note of the system when an approval waits behind another window. It decides nothing: pressing it shows the window. */
export function noteApprovals(api: CoreApi, where: Where): { stop(): void } {
  const abort = new AbortController();
  const context: ApiContext = { signal: abort.signal, door: 'electron', client: 'notes' };
  let shown: Notification | null = null;
  const waiting = new Set<string>();
  void (async () => {
    for await (const news of api.streams.approvals({}, context)) {
      if (news.type === 'waiting') waiting.add(news.card.cardId);
      else waiting.delete(news.cardId);
      where.window()?.flashFrame(waiting.size > 0);
      if (waiting.size === 0) {
        shown?.close();
        shown = null;
      } else if (news.type === 'waiting' && !where.window()?.isFocused() && Notification.isSupported()) {
        shown = new Notification({ ...words[where.lang()], urgency: 'critical' });
        shown.on('click', () => where.front());
        shown.show();
      }
    }
  })().catch(() => undefined); // the core has closed; the window goes with it
  return { stop: () => abort.abort() };
}
