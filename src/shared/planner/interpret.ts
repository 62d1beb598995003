import {
  any,
  anyText,
  ask,
  copyOf,
  deviceOf,
  done,
  is,
  isScheduled,
  namesIn,
  numbersLeft,
  startReading,
  timeIn,
  unknown,
  type Reading,
} from './context.ts';
import { followUp, withAntecedent } from './followUps.ts';
import { isHan, normalise, type Normal } from './normalise.ts';
import { errorRequest, namesException } from './rules/errors.ts';
import { outOfReach, refusal } from './rules/guards.ts';
import { aggregateRequest, logRequest, speaksOfAggregate, speaksOfLog, topicOf, trendRequest } from './rules/history.ts';
import { connectRequest, scanRequest, speaksOfConnect, speaksOfPorts, speaksOfScan } from './rules/links.ts';
import { listRequest, speaksOfTagList, undoRequest } from './rules/lists.ts';
import { isQuestion, isReported, isTakenBack } from './rules/mood.ts';
import { readRegisters, speaksOfRegisters } from './rules/registers.ts';
import { asksForChange, isRealName, tagRequest, takeNames, targetOf } from './rules/tags.ts';
import type { Conversation, Interpret, Interpretation, World } from './types.ts';

/** What is longer is no request but a text; and no input may take long. */
const longest = 1000;
const mostTokens = 250;

/** What a request means, by the rules of the intent corpus. Never throws, never guesses: what it cannot place is unknown or a question. */
export const interpret: Interpret = (text, world, conversation) => {
  if (text.length > longest) return unknown('not_understood');
  const normal = normalise(text);
  const reading = startReading(normal, world);
  if (reading.tokens.length === 0 || reading.tokens.length > mostTokens) return unknown('not_understood');
  const refused = refusal(reading);
  if (refused) return refused;
  const last = conversation?.last ?? null;
  const meant = several(normal, world, reading, conversation) ?? followUp(reading, last, world) ?? single(reading, conversation);
  // Words of change that came to nothing may be a request of their own beside the one understood.
  const dropped =
    ['analyze_log', 'tag_read', 'list_tags', 'trend', 'aggregate'].includes(meant.intent) &&
    any(reading, 'on', 'off', 'set', 'write') &&
    !isQuestion(reading);
  const unclear = meant.needs_clarification || meant.reason === 'not_understood' || dropped;
  return lastLook((unclear ? sideBySide(normal, world, reading, conversation) : null) ?? meant, reading);
};

/** Whatever a rule made of it: beside a condition, a negation or a question no change goes out unasked. */
function lastLook(meant: Interpretation, r: Reading): Interpretation {
  const steps = meant.intent === 'multi' ? (meant.params.steps as { intent: string }[]) : [meant];
  if (meant.needs_clarification || !steps.some((s) => s.intent === 'tag_write' || s.intent === 'modbus_write')) return meant;
  if (any(r, 'conditional')) return unknown('not_supported');
  const doubts = r.tokens.some((t) => is(t, 'why') || (is(t, 'negation') && !['no longer', '不用', '不必'].includes(t.text)));
  return doubts || (meant.intent !== 'multi' && isQuestion(r)) ? unknown('not_understood') : meant;
}

/** Parts joined by then / 然后 / ; are a request each; the first that cannot stand alone speaks for the line. */
function several(normal: Normal, world: World, r: Reading, conversation: Conversation | undefined): Interpretation | null {
  const cuts = r.tokens
    .map((t, i) => ({ t, i }))
    .filter(
      ({ t, i }) =>
        i > 0 && i < r.tokens.length - 1 && (is(t, 'then', 'semicolon') || t.text === '。' || (t.text === '.' && t.classes.has('stop'))),
    );
  if (cuts.length === 0 || cuts.length > 12) return null;
  const parts: Reading[] = [];
  let from = 0;
  const pieces: [number, number][] = [];
  for (const { t } of cuts) {
    pieces.push([from, t.start]);
    from = t.end;
  }
  pieces.push([from, normal.text.length]);
  for (const [a, b] of pieces) {
    const part = startReading(slice(normal, a, b), world);
    if (part.tokens.some((t) => !is(t, 'comma', 'stop', 'fill', 'semicolon', 'then', 'question', 'first'))) parts.push(part);
    else if (b > a && parts.length > 0 && part.tokens.some((t) => is(t, 'then'))) return null;
  }
  if (parts.length < 2 || !parts.every((p) => actsAlone(p))) return null;
  const results = parts.map((p) => single(p, conversation));
  const failed = results.find((x) => x.needs_clarification || x.intent === 'refuse' || x.intent === 'unknown');
  if (failed) return failed;
  return done('multi', { steps: results.map(({ intent, params }) => ({ intent, params })) });
}

/** "start pump 1, stop pump 2": what makes no sense in one piece may be two requests, when each is complete in itself. */
function sideBySide(normal: Normal, world: World, r: Reading, conversation: Conversation | undefined): Interpretation | null {
  const cuts = r.tokens.filter(
    (t, i) =>
      i > 0 &&
      i < r.tokens.length - 1 &&
      (is(t, 'comma', 'ampersand') || ['and', '并', '并且', '同时', '和', 'and also', '还有'].includes(t.text)),
  );
  if (cuts.length === 0 || cuts.length > 8) return null;
  const pieces: [number, number][] = [];
  let from = 0;
  for (const end of [...cuts, null]) {
    const piece: [number, number] = [from, end === null ? normal.text.length : end.start];
    from = end === null ? from : end.end;
    const last = pieces[pieces.length - 1];
    if (last && !actsAlone(startReading(slice(normal, ...piece), world))) last[1] = piece[1];
    else pieces.push(piece);
  }
  if (pieces.length < 2) return null;
  const results = pieces.map((piece) => single(startReading(slice(normal, ...piece), world), conversation));
  if (results.some((x) => x.needs_clarification || x.intent === 'unknown' || x.intent === 'refuse' || x.intent === 'help')) return null;
  return done('multi', { steps: results.map(({ intent, params }) => ({ intent, params })) });
}

const actions = [
  'read',
  'write',
  'set',
  'on',
  'off',
  'up',
  'down',
  'scan',
  'connect',
  'trend',
  'undo',
  'list',
  'open',
  'close',
  'fullOpen',
  'summarize',
  'what',
  'max',
  'min',
  'avg',
  'howMany',
  'setBit',
  'resetBit',
  'outside',
  'unsupported',
  'meaning',
  'help',
] as const;

const actsAlone = (r: Reading): boolean => any(r, ...actions);

function slice(normal: Normal, a: number, b: number): Normal {
  return {
    text: normal.text.slice(a, b),
    at: normal.at.slice(a, b),
    source: normal.source.slice(0, b < normal.at.length ? normal.at[b] : undefined),
  };
}

function single(r: Reading, conversation: Conversation | undefined): Interpretation {
  return help(r) ?? outOfReach(r) ?? reference(r, conversation) ?? request(r) ?? unknown('not_understood');
}

/** "what can you do", "how do I write a register": help, with the intent asked about as topic. */
function help(r: Reading): Interpretation | null {
  const at = r.tokens.findIndex((t) => is(t, 'howTo'));
  const errorAsked = any(r, 'crcTopic', 'refused', 'portBusy', 'timeoutTopic', 'exceptionTopic') && any(r, 'meaning', 'why', 'summarize');
  if (at >= 0 && !errorAsked && !isHowMuch(r, at)) {
    const rest: Reading = { ...r, used: r.tokens.map((_, i) => i <= at) };
    if (rest.tokens.slice(at + 1).some((t) => !is(t, 'fill', 'question', 'stop'))) {
      const topic = topicAbout(rest);
      if (topic !== null) return done('help', { topic });
    }
  }
  if (any(r, 'help') && !(any(r, 'howTo') && errorAsked)) {
    const onlyHelp = r.tokens.every(
      (t) => is(t, 'help', 'fill', 'question', 'stop', 'comma', 'what', 'list', 'howTo', 'howToZh', 'read') || t.kind === 'word',
    );
    if (onlyHelp && numbersLeft(r).length === 0) {
      const rest: Reading = { ...r, used: r.tokens.map((t) => is(t, 'help')) };
      const word = r.tokens.find((t) => is(t, 'help'))!.text;
      const topic = word === 'help' || word === '帮助' || word === '怎么用' || word === '用法' ? topicAbout(rest) : null;
      return done('help', topic === null ? {} : { topic });
    }
  }
  return null;
}

const isHowMuch = (r: Reading, at: number): boolean =>
  ['how is', 'how does', '如何', '怎样', '咋样'].includes(r.tokens[at]!.text) &&
  r.tokens.slice(at + 1).every((t) => is(t, 'fill', 'question', 'stop', 'wonderEnd'));

function topicAbout(r: Reading): string | null {
  const has = (...classes: string[]) => any(r, ...classes);
  if (has('undo')) return 'undo';
  if (speaksOfPorts(r)) return 'list_ports';
  if (
    has('scan') &&
    (has('unitWord', 'deviceWord', 'bus', 'network') ||
      r.tokens.some((t, i) => !r.used[i] && is(t, 'scan') && /^(scan|sweep|discover|扫)/.test(t.text)))
  )
    return 'scan_devices';
  if (
    r.tokens.some((t, i) => !r.used[i] && is(t, 'connect') && t.text !== 'open' && t.text !== '打开' && t.text !== '开一下') ||
    (has('connect') && has('ports'))
  )
    return 'connect';
  const write = has('write', 'set', 'up', 'down') || r.tokens.some((t, i) => !r.used[i] && is(t, 'on', 'off') && namesIn(r).length > 0);
  if (has('trend')) return 'trend';
  if (has('max', 'min', 'avg')) return 'aggregate';
  if (has('register', 'holding', 'inputReg', 'coil', 'discrete'))
    return write || has('setBit', 'resetBit', 'toggle') ? 'modbus_write' : 'modbus_read';
  if (has('log', 'alarmTopic', 'timeoutTopic', 'crcTopic', 'writeTopic') && !write) return 'analyze_log';
  if (has('exceptionTopic', 'meaning', 'anyTopic') && !write) return 'explain_error';
  if (has('tags') && !write)
    return has('list') && !r.tokens.some((t, i) => !r.used[i] && is(t, 'read') && !is(t, 'list')) ? 'list_tags' : 'tag_read';
  if (has('log', 'summarize')) return 'analyze_log';
  const names = namesIn(r).filter((n) => isRealName(n, r));
  if (write && (names.length > 0 || has('tags', 'valueWord', 'fill'))) return 'tag_write';
  if (names.length > 0 && asksForChange(r)) return 'tag_write';
  if (has('unitWord') && has('read')) return 'modbus_read';
  if (names.length > 0 || (has('read') && has('valueWord'))) return 'tag_read';
  return null;
}

const pronouns = ['pronoun', 'changeBack'] as const;

/** Words that point at something said before; without it there is nothing to point at. */
function reference(r: Reading, conversation: Conversation | undefined): Interpretation | null {
  const last = conversation?.last ?? null;
  const leaning = (): Interpretation => {
    const whole = withAntecedent(r, last);
    return (whole && request(whole)) ?? ask('unknown', {}, 'no_antecedent');
  };
  const names = namesIn(r).filter((n) => isRealName(n, r));
  const target = names.length > 0 || speaksOfRegisters(r) || r.tokens.some((t) => ['ip', 'port', 'file'].includes(t.kind)) || any(r, 'log');
  const first = r.tokens.findIndex((t) => !is(t, 'comma', 'stop'));
  if (any(r, 'changeBack'))
    return last && (last.intent === 'tag_write' || last.intent === 'modbus_write')
      ? done('undo', { steps: 1 })
      : ask('unknown', {}, 'no_antecedent');
  const again = any(r, 'again') && !target && !topicOf(r);
  const pronoun =
    r.tokens.some((t) => is(t, ...pronouns)) &&
    !target &&
    !namesException(r) &&
    !any(r, 'undo', 'meaning', 'help', 'ports', 'scan') &&
    !r.tokens.some((t) => is(t, 'tags') && t.text !== '点') &&
    !topicOf(r) &&
    (asksForChange(r) || any(r, 'read', 'what', 'trend', 'max', 'min', 'avg', 'list', 'isAre', 'running') || r.tokens.length <= 6);
  const leads =
    first >= 0 &&
    [
      'and',
      'also',
      'what about',
      'how about',
      'and for',
      'and what about',
      'and how about',
      'and also',
      'same for',
      '那',
      '还有',
      '那么',
    ].includes(r.tokens[first]!.text);
  const ending = [...r.tokens].reverse().find((t) => !is(t, 'question', 'stop'));
  const trailing = ending !== undefined && ['呢', '的呢', 'too', 'as well', 'instead'].includes(ending.text);
  const acts = r.tokens.some(
    (t, i) =>
      i !== first &&
      is(
        t,
        'read',
        'what',
        'write',
        'set',
        'up',
        'down',
        'trend',
        'max',
        'min',
        'avg',
        'howMany',
        'undo',
        'scan',
        'connect',
        'isAre',
        'running',
      ) &&
      !['有', '看'].includes(t.text),
  );
  if ((leads || trailing) && !acts && !any(r, 'help')) return leaning();
  if (again || pronoun) return leaning();
  // 再加2度, "2 more degrees": how much, but of what?
  if (
    !target &&
    numbersLeft(r).length === 1 &&
    (any(r, 'up', 'down') || anyText(r, 'more')) &&
    (anyText(r, '再', '再加', '再减', 'more', 'another') || r.tokens.some((t) => t.text.startsWith('再')))
  )
    return leaning();
  return null;
}

function request(r: Reading): Interpretation | null {
  if ((any(r, 'negation') && negates(r)) || isReported(r) || isTakenBack(r)) return unknown('not_understood');
  const asking = isQuestion(r);
  const explained = errorRequest(copyOf(r));
  const conditional = any(r, 'conditional') && (any(r, 'set', 'write') || asksForChange(r)) && !asking;
  if (conditional) return unknown('not_supported');
  if (explained) return explained;
  if (any(r, 'undo') && !asking && !(any(r, 'list', 'howMany') && topicOf(r) && timeIn(r).kind !== 'none')) {
    const part = copyOf(r);
    const names = takeNames(part).filter((n) => isRealName(n, part));
    if (!speaksOfRegisters(part)) return undoRequest(part, names.length > 0 ? [targetOf(part, names, true)] : []);
    if (names.length > 0) return undoRequest(part, [targetOf(part, names, true)]);
    return ask('undo', {}, 'missing_tag');
  }
  if (any(r, 'disconnect') || (anyText(r, '断开', '关闭') && r.tokens.some((t) => t.kind === 'port' || t.kind === 'ip')))
    return unknown('not_supported');
  if (speaksOfPorts(r)) return done('list_ports', {});
  if (speaksOfScan(r)) return scanRequest(copyOf(r));
  if (speaksOfConnect(r)) return connectRequest(copyOf(r));
  const withNames = copyOf(r);
  const names = takeNames(withNames).filter((n) => isRealName(n, withNames));
  const tagNamed = names.some((n) => n.things.some((t) => t.kind === 'tag') || n.things.length === 0);
  if (!tagNamed || !speaksOfRegisters(withNames)) {
    if (speaksOfTagList(withNames)) return listRequest(copyOf(r));
  }
  const logs = speaksOfLog(withNames) && !(tagNamed && (speaksOfAggregate(withNames) || any(r, 'trend')));
  if (
    logs &&
    !(speaksOfRegisters(r) && numbersLeft(r).length > 1 && !r.tokens.some((t) => t.kind === 'file')) &&
    !(tagNamed && !topicOf(withNames) && !r.tokens.some((t) => t.kind === 'file'))
  )
    return logRequest(withNames);
  const registers = speaksOfRegisters(withNames) || names.some((n) => deviceOf(n) !== null);
  const device = namesIn(r).some((n) => deviceOf(n) !== null);
  const switched =
    names.length === 0 && device && !speaksOfRegisters(r) && !asking && any(r, 'on', 'off')
      ? namesIn(r).find((n) => deviceOf(n) !== null)
      : undefined;
  if (switched) return ask('tag_write', { query: switched.query, value: any(r, 'on') }, 'unknown_tag'); // a device has registers; what starts and stops is a tag
  if ((registers || device) && !any(r, 'trend')) {
    const read = registerRequest(r, asking);
    if (read) return read;
  }
  if (any(r, 'trend') && !any(r, 'set', 'write')) {
    if (speaksOfAggregate(withNames) && !anyText(r, 'trend', '趋势', '曲线', 'plot', 'chart', 'graph')) return aggregateRequest(copyOf(r));
    return trendRequest(copyOf(r));
  }
  if (
    speaksOfAggregate(withNames) &&
    (asking || !any(withNames, 'set', 'write')) &&
    (names.length > 0 || any(r, 'what', 'read', 'howMany') || timeIn(r).kind !== 'none')
  ) {
    const found = aggregateRequest(copyOf(r));
    if (found) return found;
  }
  return tagRequest(copyOf(r));
}

function registerRequest(r: Reading, asking: boolean): Interpretation | null {
  const part = copyOf(r);
  const anything =
    any(
      part,
      'read',
      'write',
      'set',
      'what',
      'register',
      'holding',
      'inputReg',
      'coil',
      'discrete',
      'fc',
      'unitWord',
      'address',
      'inputBare',
      'on',
      'off',
      'zeroBased',
      'equals',
    ) || part.tokens.some((t) => t.kind === 'number' && t.amount!.digits.length >= 5);
  if (!anything) return null;
  if (part.tokens.every((t) => t.kind === 'number' || is(t, 'stop', 'question', 'comma', 'dash', 'fill'))) return null;
  const result = readRegisters(part, asking);
  if (result?.intent === 'modbus_write' && isScheduled(part)) return unknown('not_supported');
  return result;
}

/** "don't stop pump 2": a change that is not wanted. */
function negates(r: Reading): boolean {
  return r.tokens.some((t, i) => {
    if (!is(t, 'negation')) return false;
    if (t.text.startsWith('取消')) return true; // 取消启动 says the change itself
    if (any(r, 'set', 'write', 'up', 'down') && r.tokens.slice(i + 1, i + 3).some((x) => x.kind === 'number')) return true;
    return r.tokens
      .slice(i + 1, i + 4)
      .some(
        (x) =>
          is(
            x,
            'write',
            'set',
            'on',
            'off',
            'up',
            'down',
            'open',
            'close',
            'fullOpen',
            'undo',
            'read',
            'connect',
            'scan',
            'resetBit',
            'setBit',
            'toggle',
          ) && !is(x, 'confirm'),
      );
  });
}

export const languageOf = (text: string): 'zh' | 'en' => ([...text].some((c) => isHan(c)) ? 'zh' : 'en');
