import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** Closes a run with its counts, and says why each skipped test did not run: a skip without its reason looks like a pass. */
export default class Summary implements Reporter {
  private readonly counts = new Map<string, number>();
  private readonly reasons: string[] = [];

  onTestEnd(test: TestCase, result: TestResult): void {
    this.counts.set(result.status, (this.counts.get(result.status) ?? 0) + 1);
    if (result.status === 'skipped')
      this.reasons.push(`${test.title}: ${test.annotations.find((note) => note.type === 'skip')?.description ?? 'no reason given'}`);
  }

  onEnd(_result: FullResult): void {
    for (const reason of this.reasons) console.log(`NOT RUN ${reason}`);
    const failed = [...this.counts].filter(([status]) => status !== 'passed' && status !== 'skipped').reduce((sum, [, n]) => sum + n, 0);
    console.log(`browser: ${this.counts.get('passed') ?? 0} passed, ${failed} failed, ${this.counts.get('skipped') ?? 0} skipped`);
  }
}
