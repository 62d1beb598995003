import { LooseReader, readLoose } from './looseJson.ts';
import { matchName } from './names.ts';
import type { FoundCall, OfferedTool } from './types.ts';

// Rule 4: the shapes in which models print a call as text.

export type FoundForm = { calls: FoundCall[]; before: string };

/** The calls of an answer that has no structured ones, with the text before them; null when there are none. */
export function findForms(content: string, tools: readonly OfferedTool[]): FoundForm | null {
  const unmarked = wholeAnswer(content.trim(), tools);
  if (unmarked !== null) return { calls: unmarked, before: '' };
  return markedForms(content);
}

// Marked forms: may follow text; only more of them and space may follow.

type Read = { calls: FoundCall[]; end: number } | null;
const markers: { start: RegExp; read(text: string, match: RegExpExecArray): Read }[] = [
  { start: /<tool_call>/y, read: readToolCall },
  { start: /<function=/y, read: readXml },
  { start: /\[TOOL_CALLS\]/y, read: readMistral },
  { start: /(?:<\|start\|>assistant)?<\|channel\|>commentary\s+to=([^\s<]+)[^{}]*?<\|message\|>/y, read: readHarmony },
  { start: /<\|start\|>assistant\s+to=([^\s<]+)[^{}]*?<\|message\|>/y, read: readHarmony },
  { start: /\[TOOL_REQUEST\]/y, read: (text, m) => readTagged(text, m.index + m[0].length, '[END_TOOL_REQUEST]') },
  { start: /functools(?=\s*\[)/y, read: (text, m) => readTagged(text, m.index + m[0].length, null) },
  { start: /<start_function_call>\s*call:/y, read: readGemma },
  { start: /<\|python_tag\|>/y, read: readPythonTag },
];
const anyMarker =
  /<tool_call>|<function=|\[TOOL_CALLS\]|<\|start\|>assistant|<\|channel\|>commentary|\[TOOL_REQUEST\]|functools\s*\[|<start_function_call>|<\|python_tag\|>/g;

/** No answer that means a call has this many marks that are none before it. */
const maxMarkers = 64;

function markedForms(content: string): FoundForm | null {
  let attempts = 0;
  for (const hit of content.matchAll(anyMarker)) {
    if (++attempts > maxMarkers) return null; // a text about markers, not a call
    const first = readMarkedAt(content, hit.index);
    if (first === null) continue;
    const calls = [...first.calls];
    let end = first.end;
    for (;;) {
      const next = skipSpace(content, end);
      if (next >= content.length) return { calls, before: content.slice(0, hit.index) };
      const more = readMarkedAt(content, next);
      if (more === null) return null; // an example amid prose is no call, and the text stays whole
      calls.push(...more.calls);
      end = more.end;
    }
  }
  return null;
}

function readMarkedAt(text: string, at: number): Read {
  for (const marker of markers) {
    marker.start.lastIndex = at;
    const match = marker.start.exec(text);
    if (match === null) continue;
    const read = marker.read(text, match);
    if (read !== null) return read;
  }
  return null;
}

function readToolCall(text: string, match: RegExpExecArray): Read {
  const from = skipSpace(text, match.index + match[0].length);
  if (text.startsWith('<function=', from)) {
    return readXml(text, Object.assign(['<function='], { index: from }) as unknown as RegExpExecArray);
  }
  return readTagged(text, from, '</tool_call>');
}

/** JSON calls (one, several, a list, fenced or not) up to an optional closing tag. */
function readTagged(text: string, start: number, closing: string | null): Read {
  let at = skipSpace(text, start);
  const fence = /```[\w-]*\s*/y;
  fence.lastIndex = at;
  const fenced = fence.exec(text);
  if (fenced !== null) at += fenced[0].length;
  const terminators = [closing, fenced === null ? null : '```', '<tool_call>'].filter((t) => t !== null);
  if (at >= text.length) return { calls: [{ name: undefined, args: undefined, cut: true, bad: false }], end: text.length };
  if (!/[{[｛［]/.test(text[at]!)) {
    // Something that is no JSON: a closed tag around it is still a call, one that cannot be read.
    const close = closing === null ? -1 : text.indexOf(closing, at);
    return close < 0 ? null : { calls: [{ name: undefined, args: undefined, cut: false, bad: true }], end: close + closing!.length };
  }
  const calls: FoundCall[] = [];
  while (at < text.length && /[{[｛［]/.test(text[at]!) && !terminators.some((t) => text.startsWith(t, at))) {
    const read = readLoose(text, at, terminators);
    calls.push(...callsIn(read.value, read, text.slice(at, read.end)));
    if (read.end <= at) break; // a reader that did not move would never end
    at = skipSpace(text, read.end);
  }
  if (fenced !== null && text.startsWith('```', at)) at = skipSpace(text, at + 3);
  if (closing !== null) {
    if (text.startsWith(closing, at)) at += closing.length;
    else if (calls.some((c) => c.bad)) at = afterClosing(text, at, closing);
  }
  return { calls, end: at };
}

function afterClosing(text: string, at: number, closing: string): number {
  const close = text.indexOf(closing, at);
  return close < 0 ? at : close + closing.length;
}

function readMistral(text: string, match: RegExpExecArray): Read {
  const at = skipSpace(text, match.index + match[0].length);
  const named = /([A-Za-z_][\w.-]*)\s*(?:\[CALL_ID\]\w*)?\s*(?:\[ARGS\])?\s*(?=[{｛])/y;
  named.lastIndex = at;
  const name = named.exec(text);
  if (name === null) return readTagged(text, at, null);
  const read = readLoose(text, at + name[0].length, ['[TOOL_CALLS]']);
  return { calls: [{ name: name[1], args: read.value, cut: read.cut, bad: read.bad }], end: read.end };
}

function readHarmony(text: string, match: RegExpExecArray): Read {
  const at = skipSpace(text, match.index + match[0].length);
  const name = match[1];
  if (text.startsWith('<|call|>', at)) return { calls: [{ name, args: {}, cut: false, bad: false }], end: at + '<|call|>'.length };
  if (at >= text.length) return { calls: [{ name, args: undefined, cut: true, bad: false }], end: at };
  const read = readLoose(text, at, ['<|call|>', '<|end|>']);
  let end = skipSpace(text, read.end);
  for (const tag of ['<|call|>', '<|end|>']) if (text.startsWith(tag, end)) end += tag.length;
  if (read.bad) end = afterClosing(text, read.end, '<|call|>');
  return { calls: [{ name, args: read.value, cut: read.cut, bad: read.bad }], end };
}

function readGemma(text: string, match: RegExpExecArray): Read {
  const head = /\s*([A-Za-z_][\w.]*)\s*(?=[{｛])/y;
  head.lastIndex = match.index + match[0].length;
  const name = head.exec(text);
  if (name === null) return null;
  // This model quotes with <escape>; the same length keeps the positions.
  let opens = false;
  const plain = text.replace(/<escape>/g, () => {
    opens = !opens;
    return opens ? '       "' : '"       ';
  });
  const read = readLoose(plain, head.lastIndex, ['<end_function_call>']);
  return {
    calls: [{ name: name[1], args: read.value, cut: read.cut, bad: read.bad }],
    end: skipTag(text, read.end, '<end_function_call>'),
  };
}

function readPythonTag(text: string, match: RegExpExecArray): Read {
  const at = skipSpace(text, match.index + match[0].length);
  if (/[{[]/.test(text[at] ?? '') && !/^\[\s*[A-Za-z_]/.test(text.slice(at))) return readTagged(text, at, '<|eom_id|>');
  const read = readPythonic(text, at);
  if (read === null) return null;
  const calls = read.calls.map((c) => ({ ...c, name: typeof c.name === 'string' ? c.name.replace(/\.call$/, '') : c.name }));
  return { calls, end: skipTag(text, read.end, '<|eom_id|>') };
}

/** Qwen-coder XML: a value ends at the next tag of this form or at the end, is trimmed, and is a string. */
function readXml(text: string, match: RegExpExecArray): Read {
  const nameStart = match.index + '<function='.length;
  const nameEnd = text.indexOf('>', nameStart);
  if (nameEnd < 0) return { calls: [{ name: undefined, args: undefined, cut: true, bad: false }], end: text.length };
  const name = text
    .slice(nameStart, nameEnd)
    .trim()
    .replace(/^["']|["']$/g, '');
  const args: [string, unknown][] = [];
  let at = nameEnd + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text.startsWith('</parameter>', at)) {
      at += '</parameter>'.length;
      continue;
    }
    if (!text.startsWith('<parameter=', at)) break;
    const keyEnd = text.indexOf('>', at);
    if (keyEnd < 0) return { calls: [{ name, args: Object.fromEntries(args), cut: true, bad: false }], end: text.length };
    const key = text
      .slice(at + '<parameter='.length, keyEnd)
      .trim()
      .replace(/^["']|["']$/g, '');
    const tag = /<\/parameter>|<parameter=|<\/function>|<function=|<\/?tool_call>/g;
    tag.lastIndex = keyEnd + 1;
    const end = tag.exec(text)?.index ?? text.length;
    args.push([key, text.slice(keyEnd + 1, end).trim()]);
    at = end;
  }
  // Models forget the opening <tool_call> more often than its end.
  const end = skipTag(text, skipTag(text, at, '</function>'), '</tool_call>');
  return { calls: [{ name, args: Object.fromEntries(args), cut: false, bad: false }], end };
}

// Unmarked forms: must be the whole answer.

function wholeAnswer(trimmed: string, tools: readonly OfferedTool[]): FoundCall[] | null {
  if (trimmed === '') return null;
  const fenced = /^```[\w-]*[ \t]*\n?([\s\S]*?)(?:\n?```)?$/.exec(trimmed);
  if (trimmed.startsWith('```')) {
    const inner = fenced?.[1]?.trim() ?? '';
    return inner === '' || inner.includes('```') ? null : bareCalls(inner, tools);
  }
  return bareCalls(trimmed, tools);
}

function bareCalls(text: string, tools: readonly OfferedTool[]): FoundCall[] | null {
  const offered = (name: unknown): boolean => matchName(name, tools) !== null;
  if (/^[{[｛［]/.test(text) && !/^\[\s*[A-Za-z_][\w.]*\s*\(/.test(text)) {
    const calls: FoundCall[] = [];
    let at = 0;
    while (at < text.length) {
      if (!/[{[｛［]/.test(text[at]!)) return null;
      const read = readLoose(text, at);
      const found = callsIn(read.value, read, text.slice(at, read.end));
      if (found.length === 0) return null;
      // Without a mark it is a call only with an offered name and arguments; else it is text that happens to be JSON.
      if (found.some((c) => !offered(c.name) || c.args === undefined)) return null;
      calls.push(...found);
      if (read.end <= at) return null;
      at = skipSpace(text, read.end);
    }
    return calls.length === 0 ? null : calls;
  }
  const pythonic = readPythonic(text, 0);
  if (pythonic === null || skipSpace(text, pythonic.end) < text.length) return null;
  return pythonic.calls.every((c) => offered(c.name)) ? pythonic.calls : null;
}

/** `NAME(key=value, …)` or a list of them, with Python's values. */
function readPythonic(text: string, start: number): Read {
  const list = text[start] === '[';
  const calls: FoundCall[] = [];
  let at = list ? skipSpace(text, start + 1) : start;
  for (;;) {
    const head = /([A-Za-z_][\w.]*)\s*\(/y;
    head.lastIndex = at;
    const name = head.exec(text);
    if (name === null) return null;
    const reader = new LooseReader(text, head.lastIndex, [')']);
    const args = pythonArguments(reader);
    if (args === null) return null;
    calls.push({ name: name[1], args, cut: reader.cut, bad: reader.bad });
    at = skipSpace(text, reader.pos);
    if (!list || reader.cut || at >= text.length) return { calls, end: at };
    if (text[at] === ',') at = skipSpace(text, at + 1);
    if (text[at] === ']') return { calls, end: at + 1 };
    if (at >= text.length) return { calls, end: at };
  }
}

function pythonArguments(reader: LooseReader): Record<string, unknown> | null {
  const args: [string, unknown][] = [];
  reader.last = 'bracket';
  for (;;) {
    reader.space();
    if (reader.at(')')) {
      reader.pos++;
      return Object.fromEntries(args);
    }
    if (reader.atRealEnd()) {
      if (!['string', 'bracket', 'word'].includes(reader.last)) reader.cut = true;
      return Object.fromEntries(args);
    }
    const key = /^[A-Za-z_]\w*/.exec(reader.text.slice(reader.pos, reader.pos + 100))?.[0];
    if (key === undefined) return null;
    reader.pos += key.length;
    reader.space();
    if (!reader.at('=')) {
      if (!reader.atRealEnd()) return null;
      reader.cut = true;
      return Object.fromEntries(args);
    }
    reader.pos++;
    args.push([key, reader.value(1)]);
    reader.space();
    if (reader.at(',')) {
      reader.pos++;
      reader.last = 'comma';
    } else if (!reader.at(')') && !reader.atRealEnd()) return null;
  }
}

// JSON calls: {name, arguments}, its aliases and wrappers.

function callsIn(value: unknown, read: { cut: boolean; bad: boolean }, source: string): FoundCall[] {
  if (Array.isArray(value)) {
    const calls = value.map((v) => callOf(v, read, source));
    return calls.some((c) => c === null) ? [] : (calls as FoundCall[]);
  }
  if (value !== null && typeof value === 'object') {
    const wrapped = (value as Record<string, unknown>)['tool_calls'];
    if (Array.isArray(wrapped)) return callsIn(wrapped, read, source);
  }
  const call = callOf(value, read, source);
  return call === null ? [] : [call];
}

function callOf(value: unknown, read: { cut: boolean; bad: boolean }, source: string): FoundCall | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  let call = value as Record<string, unknown>;
  const inner = call['function'];
  if (inner !== null && typeof inner === 'object' && !Array.isArray(inner)) call = inner as Record<string, unknown>;
  const key = ['arguments', 'parameters', 'args', 'input'].find((k) => call[k] !== undefined);
  // A call that was cut inside its arguments has them in the source, though not yet in the value.
  const argsBegun = key !== undefined || (read.cut && /["'“]?(arguments|parameters|args|input)["'”]?\s*[:：]/.test(source));
  return { name: call['name'], args: key !== undefined ? call[key] : argsBegun ? {} : undefined, cut: read.cut, bad: read.bad };
}

function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && /\s|\ufeff/.test(text[i]!)) i++;
  return i;
}

function skipTag(text: string, at: number, tag: string): number {
  const next = skipSpace(text, at);
  return text.startsWith(tag, next) ? next + tag.length : at;
}
