import type { Priority } from '../../../shared/contracts/devices.ts';
import type { Transaction } from './transaction.ts';

const order: readonly Priority[] = ['person', 'agent', 'poll'];
/** After so many turns in a row a waiting lower class gets one, so that a busy agent cannot stop the live values. */
const turnsInARow = 4;

/** Waiting requests of one wire: person before agent before poll, first come first served within, nobody starves. */
export class RequestQueue {
  private readonly lanes: Record<Priority, Transaction[]> = { person: [], agent: [], poll: [] };
  private skipped = 0;
  size = 0;

  add(transaction: Transaction): void {
    this.lanes[transaction.priority].push(transaction);
    this.size++;
  }

  take(): Transaction | undefined {
    if (this.size === 0) return undefined;
    const waiting = order.filter((priority) => this.lanes[priority].length > 0);
    const first = waiting[0]!;
    let chosen = first;
    if (waiting.length > 1 && this.skipped >= turnsInARow) {
      // The one of the lower classes that has waited longest.
      chosen = waiting.slice(1).reduce((a, b) => (this.lanes[a][0]!.enqueuedAt <= this.lanes[b][0]!.enqueuedAt ? a : b));
    }
    this.skipped = chosen === first && waiting.length > 1 ? this.skipped + 1 : 0;
    this.size--;
    return this.lanes[chosen].shift();
  }

  remove(transaction: Transaction): boolean {
    const lane = this.lanes[transaction.priority];
    const at = lane.indexOf(transaction);
    if (at < 0) return false;
    lane.splice(at, 1);
    this.size--;
    return true;
  }

  /** Takes out all that match, oldest first. */
  drain(matches: (transaction: Transaction) => boolean): Transaction[] {
    const out: Transaction[] = [];
    for (const priority of order) {
      const keep: Transaction[] = [];
      for (const transaction of this.lanes[priority]) (matches(transaction) ? out : keep).push(transaction);
      this.lanes[priority] = keep;
    }
    this.size -= out.length;
    return out;
  }
}
