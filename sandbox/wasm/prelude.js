/* Runs inside QuickJS before the program. Keeps the few functions that packing needs, so that a program which redefines them harms only itself. */
(function () {
  'use strict';
  const { stringify, parse } = JSON;
  const {
    keys,
    prototype: { hasOwnProperty: own },
    getPrototypeOf,
    defineProperty,
  } = Object;
  const { isArray } = Array;
  const { isFinite, isSafeInteger } = Number;
  const call = Function.prototype.call.bind(Function.prototype.call);
  const raw = { write: globalThis.__write, ask: globalThis.__ask };
  delete globalThis.__write;
  delete globalThis.__ask;
  const MAX_DEPTH = 60,
    MAX_NODES = 200000,
    MAX_ROWS = 1000;

  function show(value, depth) {
    if (typeof value === 'string') return depth === 0 ? value : stringify(value);
    if (value === null || typeof value !== 'object')
      return typeof value === 'function' ? '[function]' : typeof value === 'bigint' ? value + 'n' : String(value);
    if (value instanceof Error) return value.name + ': ' + value.message;
    try {
      const text = stringify(value, (_, v) => (typeof v === 'bigint' ? v + 'n' : v));
      return text === undefined ? String(value) : text;
    } catch {
      return depth === 0 ? String(value) : '[object]';
    }
  }
  const line = (to) =>
    function () {
      let text = '';
      for (let i = 0; i < arguments.length; i++) text += (i ? ' ' : '') + show(arguments[i], 0);
      raw.write(to, text + '\n');
    };
  const print = line(1);
  const complain = line(2);
  const hidden = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  hidden('print', print);
  hidden('console', { log: print, info: print, debug: print, error: complain, warn: complain });

  function ask(name, args) {
    const answer = parse(raw.ask(name, stringify(args)));
    if (answer.error !== undefined && answer.error !== null) {
      const error = new Error(answer.error);
      error.name = 'PlantError';
      throw error;
    }
    return answer.value;
  }
  const list = (tags) => (isArray(tags) ? tags : [tags]).map(String);
  const given = (args) => {
    const out = {};
    for (const key of keys(args)) if (args[key] !== undefined && args[key] !== null) out[key] = args[key];
    return out;
  };
  const part = (answer, key) => (answer !== null && typeof answer === 'object' && key in answer ? answer[key] : answer);
  function addPlant() {
    const propose = (tag, value, reason) => ask('propose_write', given({ tag, value, reason }));
    hidden('plant', {
      read: (...tags) => part(ask('read', { tags: tags.flatMap(list) }), 'readings'),
      trend: (tags, start, end) => {
        const answer = ask('trend', given({ tags: list(tags), from: start, to: end }));
        return isArray(tags) || !isArray(answer.series) ? part(answer, 'series') : answer.series[0];
      },
      aggregate: (tags, fn, start, end, threshold) =>
        part(ask('aggregate', given({ tags: list(tags), fn, from: start, to: end, threshold })), 'results'),
      tags: (filter) => part(ask('list_tags', given({ filter })), 'tags'),
      proposeWrite: propose,
      propose_write: propose,
    });
    hidden('readFile', (path) => ask('read_file', { path }));
  }
  defineProperty(globalThis, 'result', { value: undefined, writable: true, configurable: true, enumerable: true });

  function packer() {
    let nodes = 0;
    const path = new Set();
    const counts = { notFinite: 0, big: 0 };
    function plain(value, depth) {
      if (++nodes > MAX_NODES) throw { limit: 'the result has more than ' + MAX_NODES + ' parts' };
      if (value === null || value === undefined) return null;
      switch (typeof value) {
        case 'string':
        case 'boolean':
          return value;
        case 'number':
          if (!isFinite(value)) {
            counts.notFinite++;
            return null;
          }
          return value;
        case 'bigint': {
          const n = Number(value);
          if (isSafeInteger(n)) return n;
          counts.big++;
          return String(value);
        }
        case 'symbol':
        case 'function':
          return '[' + typeof value + ']';
      }
      if (depth >= MAX_DEPTH) throw { limit: 'the result is nested deeper than ' + MAX_DEPTH };
      if (path.has(value)) throw new TypeError('the result contains itself');
      path.add(value);
      let out;
      if (value instanceof Date) out = isFinite(value.getTime()) ? value.toISOString() : null;
      else if (isArray(value) || ArrayBuffer.isView(value)) {
        out = [];
        for (let i = 0; i < value.length; i++) out[i] = plain(value[i], depth + 1);
      } else if (value instanceof Map) {
        out = {};
        value.forEach((v, k) => put(out, String(k), plain(v, depth + 1)));
      } else if (value instanceof Set) {
        out = [];
        value.forEach((v) => {
          out[out.length] = plain(v, depth + 1);
        });
      } else if (value instanceof Error) out = show(value, 1);
      else if (typeof value.toJSON === 'function') out = plain(value.toJSON(), depth + 1);
      else {
        out = {};
        for (const key of keys(value)) put(out, key, plain(value[key], depth + 1));
      }
      path.delete(value);
      return out;
    }
    const put = (object, key, value) => defineProperty(object, key, { value, writable: true, configurable: true, enumerable: true });
    return { plain, counts };
  }
  const isRow = (value) =>
    value !== null &&
    typeof value === 'object' &&
    !isArray(value) &&
    (getPrototypeOf(value) === Object.prototype || getPrototypeOf(value) === null);

  function pack(value) {
    const { plain, counts } = packer();
    let output;
    if (value === undefined || value === null) output = null;
    else if (typeof value === 'string') output = { type: 'text', data: value, truncated: null };
    else if (isArray(value) && value.length > 0 && value.every(isRow)) {
      const columns = [...new Set(value.flatMap((row) => keys(row)))];
      const rows = value.slice(0, MAX_ROWS).map((row) => columns.map((c) => (call(own, row, c) ? plain(row[c], 1) : null)));
      output = {
        type: 'table',
        data: { columns, rows, total_rows: value.length },
        truncated: value.length > rows.length ? { shown: rows.length, total: value.length } : null,
      };
    } else output = { type: 'json', data: plain(value, 0), truncated: null };
    const notes = [];
    if (counts.notFinite) notes.push(counts.notFinite + ' values that are not finite (NaN or Infinity) are given as null');
    if (counts.big) notes.push(counts.big + ' integers beyond 2^53 are given as text to keep every digit');
    return { kind: 'result', output, notes };
  }
  /** Our own objects as text. A toJSON that the program put on a prototype must not speak for them: each gets a hidden one that is nothing. */
  function say(value) {
    const shield = (part) => {
      if (part === null || typeof part !== 'object') return;
      if (!call(own, part, 'toJSON')) defineProperty(part, 'toJSON', { value: undefined, enumerable: false });
      if (isArray(part)) for (let i = 0; i < part.length; i++) shield(part[i]);
      else for (const key in part) if (call(own, part, key)) shield(part[key]);
    };
    shield(value);
    return stringify(value);
  }
  function report(value) {
    try {
      return say(pack(value));
    } catch (error) {
      if (error && error.limit) return say({ kind: 'limit', message: error.limit });
      return say({
        kind: 'error',
        error: {
          name: String(error && error.name),
          message: 'The result cannot be handed over: ' + String(error && error.message),
          trace: [],
        },
      });
    }
  }
  report({ warm: [1] });
  return {
    report,
    begin(tools, inputs) {
      if (tools) addPlant();
      hidden('files', inputs);
    },
  };
})();
