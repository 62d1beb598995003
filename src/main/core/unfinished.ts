import type { Recovered } from '../../shared/contracts/record.ts';
import type { Lang } from '../../shared/errors.ts';

/** What the last unclean end left, in words: calls that were cut off, and writes of which nobody knows whether they took. */
export function recoveredInWords(recovered: Recovered | null, lang: Lang): string[] {
  if (recovered === null) return [];
  const lines = recovered.writes.flatMap(({ items }) =>
    items
      .filter((item) => item.state === 'unknown')
      .map(({ write }) => {
        const target = write.kind === 'plant' ? `${write.tag ?? write.reference} (${write.device})` : write.path;
        return {
          en: `Handrail ended while a write to ${target} was on the wire. Its outcome is unknown; read it back before writing again. Nothing is repeated.`,
          zh: `Handrail 在向 ${target} 写入途中退出，结果未知；再次写入前请先回读。不会重复写入。`,
        }[lang];
      }),
  );
  const cut = recovered.interrupted.length;
  if (cut > 0) lines.push({ en: `${cut} calls of the last run were interrupted.`, zh: `上次运行有 ${cut} 个调用被中断。` }[lang]);
  return lines;
}
