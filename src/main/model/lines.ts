import { HandrailError } from '../../shared/errors.ts';

/** A line may hold a whole tool call; the server's own limit is the same. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * Lines of a streamed answer, however the network cut it: inside a line, an escape or a character. Bytes that are no UTF-8
 * become U+FFFD, a byte order mark is dropped, CR and blank lines do not matter, and the last line needs no line feed.
 */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let lf = rest.indexOf('\n'); lf >= 0; lf = rest.indexOf('\n', from)) {
      const line = rest.slice(from, lf).replace(/\r+$/, '');
      from = lf + 1;
      if (line.trim() !== '') yield line;
    }
    rest = rest.slice(from);
    if (rest.length > MAX_LINE) throw new HandrailError('MODEL_PROTOCOL', { detail: { reason: 'a line without end' } });
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest.replace(/\r+$/, '');
}
