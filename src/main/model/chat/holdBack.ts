// What of a streamed answer may be shown at once. A call that is printed as text must never flash up, so whatever could be
// the beginning of one is held back until the answer is finished and judged.

const markers = [
  '<think>',
  '<tool_call>',
  '<function=',
  '[TOOL_CALLS]',
  '<|start|>assistant',
  '<|channel|>commentary',
  '[TOOL_REQUEST]',
  'functools[',
  '<start_function_call>',
  '<|python_tag|>',
  '<execute',
];
const thinkEnd = '</think>';

export function createHoldBack(toolNames: readonly string[]) {
  let mode: 'start' | 'text' | 'think' | 'held' = 'start';
  let pending = '';
  let shown = '';

  function push(delta: string): string {
    pending += delta;
    let out = '';
    for (;;) {
      if (mode === 'held') return emit(out);
      if (mode === 'think') {
        const end = pending.indexOf(thinkEnd);
        if (end < 0) {
          pending = pending.slice(-thinkEnd.length);
          return emit(out);
        }
        pending = pending.slice(end + thinkEnd.length);
        mode = shown + out === '' ? 'start' : 'text';
        continue;
      }
      if (mode === 'start') {
        const body = pending.trimStart();
        if (body === '') return emit(out);
        if (/^[[{［｛`]/.test(body) && !'[TOOL_CALLS]'.startsWith(body.slice(0, 12))) {
          mode = 'held';
          continue;
        }
        if (mayBeNamedCall(body)) return emit(out);
        mode = 'text';
      }
      const hit = firstMarker(pending);
      if (hit !== null) {
        out += pending.slice(0, hit.at);
        pending = pending.slice(hit.at);
        mode = hit.marker === '<think>' ? 'think' : 'held';
        continue;
      }
      const keep = partialTail(pending);
      out += pending.slice(0, pending.length - keep);
      pending = pending.slice(pending.length - keep);
      return emit(out);
    }
  }

  function emit(out: string): string {
    shown += out;
    return out;
  }

  /** A name of ours, or the beginning of one, and perhaps its bracket: `tag_read(tags=[…])`. */
  function mayBeNamedCall(body: string): boolean {
    const name = /^[A-Za-z_][\w.]*/.exec(body)?.[0];
    if (name === undefined) return false;
    if (body.length === name.length)
      return toolNames.some((t) => t.startsWith(name.toLowerCase()) || name.endsWith(t) || /[._]/.test(name));
    return /^\s*\(/.test(body.slice(name.length)) && toolNames.some((t) => name.toLowerCase().endsWith(t));
  }

  return {
    push,
    /** What is still to be shown, once it is known what the answer's text is. */
    rest(text: string): string {
      const trimmed = shown.trimStart();
      return text.startsWith(trimmed) ? text.slice(trimmed.length) : '';
    },
    shown: () => shown,
  };
}

function firstMarker(text: string): { at: number; marker: string } | null {
  let best: { at: number; marker: string } | null = null;
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at >= 0 && (best === null || at < best.at)) best = { at, marker };
  }
  return best;
}

/** Length of the longest tail that a marker may still grow from, with the space before it. */
function partialTail(text: string): number {
  let keep = 0;
  for (const marker of markers) {
    for (let n = Math.min(marker.length - 1, text.length); n > keep; n--) if (marker.startsWith(text.slice(-n))) keep = n;
  }
  const body = text.slice(0, text.length - keep);
  return keep + (body.length - body.trimEnd().length);
}
