import { create } from 'zustand';
import type { ApprovalNews } from '../../shared/contracts/api.ts';
import type { ApprovalCard } from '../../shared/contracts/approvals.ts';
import type { Bilingual, ErrorCode } from '../../shared/errors.ts';

export type WaitingCard = { card: ApprovalCard; arrivedAt: number };
export type CardOutcome = {
  cardId: string;
  card: ApprovalCard | null;
  at: number;
  outcome: { kind: 'approved' | 'rejected' | 'expired' } | { kind: 'void'; code: ErrorCode; message: Bilingual; advice: Bilingual };
};
type ApprovalsState = { waiting: WaitingCard[]; last: CardOutcome | null };

export const useApprovals = create<ApprovalsState>()(() => ({ waiting: [], last: null }));

export function afterNews(state: ApprovalsState, news: ApprovalNews, now: number): ApprovalsState {
  if (news.type === 'waiting') {
    if (state.waiting.some((entry) => entry.card.cardId === news.card.cardId)) return state;
    return { ...state, waiting: [...state.waiting, { card: news.card, arrivedAt: now }] };
  }
  const card = state.waiting.find((entry) => entry.card.cardId === news.cardId)?.card ?? null;
  return {
    waiting: state.waiting.filter((entry) => entry.card.cardId !== news.cardId),
    last: {
      cardId: news.cardId,
      card,
      at: now,
      outcome:
        news.type === 'void'
          ? { kind: 'void', code: news.error.code, message: news.error.message, advice: news.error.advice }
          : { kind: news.approved ? 'approved' : news.how === 'expired' ? 'expired' : 'rejected' },
    },
  };
}
export const takeNews = (news: ApprovalNews): void => useApprovals.setState((state) => afterNews(state, news, Date.now()));
