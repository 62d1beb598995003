import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Real cases of agents that went wrong, by the id of our collection (odd numbers), each with the tests that show the right behaviour:
 * a file, and words that stand in it. A test that is renamed or lost is missed here. `later`: belongs to a part that is not built yet.
 */
type Case = { case: string; shownBy: [file: string, words: string][] } | { case: string; later: string };
const classify = 'src/main/model/classify/realCases.test.ts';
const ollama = (name: string): [string, string] => [`test/fixtures/ollama/${name}.json`, '"expect"'];

const cases: Readonly<Record<string, Case>> = {
  C01: { case: 'a call printed as fenced JSON', shownBy: [[classify, 'C01 ']] },
  C03: {
    case: 'a call spread over many chunks of content',
    shownBy: [[classify, 'C03 '], ollama('11-structured-output'), ollama('own/tags-leak-after-text')],
  },
  C05: { case: 'an empty message', shownBy: [ollama('own/silent-end-then-fine'), ollama('own/empty-twice')] },
  C07: { case: 'status 500 that quotes a call', shownBy: [ollama('own/unparsable-call'), ollama('own/nested-error')] },
  C09: { case: 'a bare <function=…>', shownBy: [[classify, 'C09 ']] },
  C11: { case: 'an error as the only line of a stream', shownBy: [ollama('own/error-first-line')] },
  C13: { case: 'finish "stop" with the call as text', shownBy: [[classify, 'C13 ']] },
  C15: {
    case: 'a schema too complex for the grammar of a server',
    shownBy: [
      ['src/main/model/prompt/build.test.ts', 'a schema however complex goes out in words that every server can build a grammar from'],
    ],
  },
  C17: { case: 'an empty id, a padded name, malformed JSON', shownBy: [[classify, 'C17 ']] },
  C19: { case: 'arguments = ""', shownBy: [[classify, 'C19 ']] },
  C21: { case: 'numbers, lists and objects as strings', shownBy: [[classify, 'C21 ']] },
  C23: { case: 'a string of digits', shownBy: [[classify, 'C23 ']] },
  C25: { case: 'numerals that are none', shownBy: [[classify, 'C25 ']] },
  C27: { case: 'prefixes before names', shownBy: [[classify, 'C27 ']] },
  C29: {
    case: 'an unknown tool',
    shownBy: [ollama('own/unknown-tool'), ['test/integration/gateway/pipeline.test.ts', "describe('names'"]],
  },
  C31: { case: 'full-width signs', shownBy: [[classify, 'C31 ']] },
  C33: { case: 'typographic quotes and commas too many', shownBy: [[classify, 'C33 ']] },
  C35: { case: 'several done lines', shownBy: [ollama('own/after-done')] },
  C37: { case: 'a last line without its end', shownBy: [ollama('11-structured-output')] },
  C39: { case: 'an error line after text, status 200', shownBy: [ollama('05-error-in-mid-stream')] },
  C41: { case: 'Stop before the first byte', shownBy: [ollama('own/stop-before-first-byte'), ollama('10-slow-and-stall')] },
  C43: {
    case: 'a tool result that is no string',
    shownBy: [['src/main/model/openai/client.test.ts', 'a result of a tool goes out as one string']],
  },
  C45: { case: 'a prompt that the server cut silently', shownBy: [ollama('own/truncated-prompt'), ollama('12-small-context-and-busy')] },
  C47: {
    case: 'a history too long for the window',
    shownBy: [
      ['src/main/model/prompt/build.test.ts', 'what no longer fits leaves out whole turns, oldest first, and never the question itself'],
    ],
  },
  C49: { case: 'format beside tools', shownBy: [['src/main/model/openai/client.test.ts', 'no format beside tools']] },
  C51: {
    case: 'cut at the cap, finish says tool_calls',
    shownBy: [
      [classify, 'C51 '],
      ['src/main/model/openai/client.test.ts', 'an answer cut at the limit is cut'],
    ],
  },
  C53: { case: 'a whole and a partial call at the length stop', shownBy: [[classify, 'C53 '], ollama('own/call-at-length')] },
  C55: { case: 'a request larger than the window', shownBy: [ollama('own/too-long')] },
  C57: {
    case: 'an export that is not all of it',
    shownBy: [['src/main/store/verify.test.ts', 'an export holds one session, verifies by itself, and is never half written']],
  },
  C59: {
    case: 'opening that rewrites',
    shownBy: [
      ['src/main/store/lifetime.test.ts', 'a reader of a folder without a record sees an empty one and leaves nothing behind'],
      ['src/main/store/replay.test.ts', 'a session replays as a timeline with the same verdicts, and writes nothing'],
    ],
  },
  C61: {
    case: 'the same call again and again',
    shownBy: [ollama('own/loop'), ['src/main/agent/fuses.test.ts', 'the same call with the same result a third time ends the turn']],
  },
  C63: { case: 'polling that sees news', shownBy: [['src/main/agent/fuses.test.ts', 'polling that sees new values is fine']] },
  C65: { case: 'an empty answer after a long wait', shownBy: [ollama('own/empty-twice'), ollama('own/thinking-only-at-limit')] },
  C67: {
    case: 'Stop that leaves calls without results',
    shownBy: [['src/main/agent/fuses.test.ts', 'a turn can be asked again right after, on a whole transcript']],
  },
  C69: {
    case: 'a resume that acts twice',
    shownBy: [
      ['test/integration/agentResume.test.ts', 'runs none of them again'],
      ['test/integration/gateway/crash.test.ts', 'the next start knows what is known, and nothing is repeated'],
      ['test/integration/gateway/pipeline.test.ts', 'a call id is used once'],
    ],
  },
  C71: {
    case: 'an unknown function in a program, over and over',
    shownBy: [
      ['test/integration/sandbox.test.ts', 'an error message is short enough for a small model'],
      ['test/fixtures/sandbox/py-out-nearest-attribute.py', 'sqrt'],
      ['src/main/agent/fuses.test.ts', 'the same call with the same result a third time ends the turn'],
    ],
  },
  C73: {
    case: 'Stop that does nothing',
    shownBy: [
      ['src/main/agent/fuses.test.ts', 'waits up to its limit for the true state of open calls, and answers the rest as cancelled'],
    ],
  },
  C75: {
    case: 'a prompt that takes Enter from somebody who types',
    shownBy: [
      ['test/browser/workbench.spec.ts', 'a card takes no focus; Enter, Space, letters and a short hold do nothing'],
      ['src/renderer/features/approval/hold.test.ts', 'only Ctrl+Enter starts a hold by keyboard'],
    ],
  },
  C77: {
    case: 'a click beside the card',
    shownBy: [
      ['test/browser/workbench.spec.ts', 'a card takes no focus'],
      ['src/renderer/features/approval/hold.test.ts', 'a card can be held only when seen to its end, in front, not fresh, not expired'],
    ],
  },
  C79: {
    case: 'a second request that nobody sees',
    shownBy: [['src/main/core/approvalDesk.test.ts', 'two cards that wait are both told of and both shown']],
  },
  C81: {
    case: 'a deny rule beside an allow rule',
    shownBy: [
      ['test/integration/gateway/rules.test.ts', "describe('R5 default deny'"],
      ['test/integration/neverWritten.test.ts', 'is never written, by tag, by register or under another name of the station'],
    ],
  },
  C83: {
    case: 'an agent that edits its own guard',
    shownBy: [['test/integration/configGuard.test.ts', 'no tool reaches settings, plant file or record']],
  },
  C85: { case: 'an empty allow list', shownBy: [['test/integration/gateway/http.test.ts', 'an empty allow list allows nothing']] },
  C87: { case: 'a loop in a proxy trap', shownBy: [['test/fixtures/sandbox/js-loop-proxy.js', '"timeout"']] },
  C89: {
    case: 'text that guesses our marks',
    shownBy: [['test/integration/injection.test.ts', 'a text that guesses the fence has the mark taken out']],
  },
  C91: {
    case: 'a log line with a task in it',
    shownBy: [['test/integration/injection.test.ts', 'that asks for a write, a file, a shell, a request or another tool gets none of it']],
  },
  C93: { case: 'a tool of another program without annotations', later: 'there is no MCP client yet' },
  C95: {
    case: 'a sequence of writes of which some fail',
    shownBy: [['test/integration/gateway/requests.test.ts', 'stop at the first that is not confirmed']],
  },
  C97: {
    case: 'a dry run that skips validation',
    shownBy: [['test/integration/gateway/rules.test.ts', "describe('R14 a dry run is the same validation'"]],
  },
  C99: {
    case: 'Enter and Esc while an input method composes',
    shownBy: [['src/renderer/features/chat/enterGuard.test.ts', 'Enter that ends a composition never sends']],
  },
};

test('every case of the collection is in the table', () => {
  expect(Object.keys(cases)).toEqual(Array.from({ length: 50 }, (_, i) => `C${String(2 * i + 1).padStart(2, '0')}`));
});

const shown = Object.entries(cases).flatMap(([id, entry]) =>
  'later' in entry ? [] : entry.shownBy.map(([file, words]) => [id, entry.case, file, words] as const),
);
test.each(shown)('%s %s is shown by %s', (_id, _case, file, words) => {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  expect(existsSync(path), `${file} is gone`).toBe(true);
  expect(readFileSync(path, 'utf8'), `${file} no longer has: ${words}`).toContain(words);
});
