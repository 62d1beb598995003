/** Lines out of pieces of text: CRLF, LF and lone CR (old controllers) end a line; an endless one is cut, not swallowed. */
export const longestLine = 64 * 1024;

export function createLineReader(take: (line: string) => void): { write(text: string): void; end(): void } {
  let rest = '';
  return {
    write(text) {
      let pending = rest + text;
      let at = 0;
      for (let i = 0; i < pending.length; i++) {
        const c = pending.charCodeAt(i);
        if (c !== 10 && c !== 13) continue;
        if (c === 13 && i + 1 === pending.length) break; // its LF may be in the next piece
        take(pending.slice(at, i));
        if (c === 13 && pending.charCodeAt(i + 1) === 10) i++;
        at = i + 1;
      }
      pending = pending.slice(at);
      while (pending.length > longestLine) {
        take(pending.slice(0, longestLine));
        pending = pending.slice(longestLine);
      }
      rest = pending;
    },
    end() {
      if (rest !== '') take(rest.replace(/\r$/, ''));
      rest = '';
    },
  };
}
