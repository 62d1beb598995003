/** Where a JSON pointer's value begins in a text that is valid JSON; the nearest ancestor when the member is absent. */
export function pointerOffset(text: string, pointer: string): number {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  let at = skipSpace(text, 0);
  for (const part of path) {
    const next = child(text, at, part);
    if (next === null) return at;
    at = next;
  }
  return at;
}

const skipSpace = (text: string, at: number): number => {
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
};

/** The end of the value that begins at `at`. Iterative over depth: a deep file must not end the program. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  for (;;) {
    at = skipSpace(text, at);
    const c = text[at];
    if (c === undefined) return at;
    if (c === '"') at = skipString(text, at);
    else if (c === '{' || c === '[') {
      depth++;
      at++;
      continue;
    } else if (c === '}' || c === ']') {
      depth--;
      at++;
    } else if (c === ',' || c === ':') {
      at++;
      continue;
    } else while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
    const after = skipSpace(text, at);
    if (depth === 0 && text[after] !== ':') return at;
  }
}

function skipString(text: string, at: number): number {
  at++;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function child(text: string, at: number, part: string): number | null {
  const open = text[at];
  if (open !== '{' && open !== '[') return null;
  let inside = skipSpace(text, at + 1);
  for (let index = 0; text[inside] !== undefined && text[inside] !== '}' && text[inside] !== ']'; index++) {
    let key = String(index);
    if (open === '{') {
      const end = skipString(text, inside);
      key = JSON.parse(text.slice(inside, end)) as string;
      inside = skipSpace(text, skipSpace(text, end) + 1);
    }
    if (key === part) return inside;
    inside = skipSpace(text, skipValue(text, inside));
    if (text[inside] === ',') inside = skipSpace(text, inside + 1);
  }
  return null;
}
