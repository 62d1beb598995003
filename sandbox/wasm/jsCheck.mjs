/** The static check for JavaScript, on the syntax tree: early, friendly feedback. The wall is WebAssembly. */
import { parse } from 'acorn';

const globals = new Set(
  `undefined NaN Infinity globalThis Object Array String Number Boolean BigInt Symbol Math JSON Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy
  Reflect Error AggregateError TypeError RangeError SyntaxError ReferenceError EvalError URIError ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray
  Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite encodeURIComponent
  decodeURIComponent encodeURI decodeURI escape unescape Iterator FinalizationRegistry SharedArrayBuffer InternalError arguments
  print console result plant files readFile Float16Array`.split(/\s+/),
);
const missing = {
  setTimeout: 'there are no timers; use promises, or just go on',
  setInterval: 'there are no timers',
  require: 'there are no modules; everything that exists is there already',
  process: 'there is no host process',
  fetch: 'there is no network; use plant.read or plant.trend',
  document: 'there is no page',
  window: 'there is no page; use globalThis',
  module: 'there are no modules',
  exports: 'there are no modules',
  Buffer: 'use Uint8Array and DataView',
};
const textAsCode = new Set(['eval', 'Function', 'AsyncFunction', 'GeneratorFunction']);
const members = {
  plant: ['read', 'trend', 'aggregate', 'tags', 'proposeWrite', 'propose_write'],
  console: ['log', 'info', 'debug', 'error', 'warn'],
};

/** How many single changes make one word of the other; 9 when clearly another word. */
function distance(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 9;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1].toLowerCase() === b[j - 1].toLowerCase() ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? 1 : 9;
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + same, row[j - 1] + swapped));
    }
    row = next;
  }
  return row[b.length];
}
function nearest(name, names) {
  let best = null;
  for (const each of names) {
    const far = distance(name, each);
    if (far <= Math.max(1, Math.floor(name.length / 3)) && (best === null || far < best.far)) best = { each, far };
  }
  return best?.each ?? null;
}

const isNode = (value) => value !== null && typeof value === 'object' && typeof value.type === 'string';
const children = (node) =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

/** Every node with its parent, without recursion: a program may be nested deeply on purpose. */
function everyNode(tree) {
  const all = [{ node: tree, parent: null }];
  for (let i = 0; i < all.length; i++) for (const child of children(all[i].node)) all.push({ node: child, parent: all[i].node });
  return all;
}

function bound(pattern, into) {
  const todo = [pattern];
  for (const each of todo) {
    if (each === null) continue;
    if (each.type === 'Identifier') into.add(each.name);
    else if (each.type === 'ObjectPattern') todo.push(...each.properties.map((p) => p.value ?? p.argument));
    else if (each.type === 'ArrayPattern') todo.push(...each.elements);
    else if (each.type === 'RestElement') todo.push(each.argument);
    else if (each.type === 'AssignmentPattern') todo.push(each.left);
  }
}

/** All names the program declares, wherever; a name used outside its scope is left to the run. */
function declared(nodes) {
  const names = new Set();
  for (const { node } of nodes) {
    if (node.type === 'VariableDeclarator') bound(node.id, names);
    else if (/Function/.test(node.type)) {
      if (node.id) names.add(node.id.name);
      node.params.forEach((p) => bound(p, names));
    } else if (/^Class/.test(node.type) && node.id) names.add(node.id.name);
    else if (node.type === 'UnaryExpression' && node.operator === 'typeof' && node.argument.type === 'Identifier')
      names.add(node.argument.name); // asked for before it is used
    else if (node.type === 'CatchClause' && node.param) bound(node.param, names);
    else if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') names.add(node.left.name);
    else if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression' && !node.left.computed) {
      const { object, property } = node.left;
      if (object.type === 'ThisExpression' || object.name === 'globalThis') names.add(property.name);
    } else if (/^For(In|Of)Statement$/.test(node.type) && node.left.type === 'Identifier') names.add(node.left.name);
  }
  return names;
}

function isReference(node, parent) {
  if (parent === null) return true;
  if (parent.type === 'MemberExpression') return parent.object === node || parent.computed;
  if (parent.type === 'Property' || parent.type === 'PropertyDefinition' || parent.type === 'MethodDefinition')
    return parent.value === node || parent.computed;
  if (parent.type === 'UnaryExpression') return parent.operator !== 'typeof';
  return !['LabeledStatement', 'BreakStatement', 'ContinueStatement', 'MetaProperty'].includes(parent.type);
}

/** The name of a property that is written out, with a dot, in brackets or as the key of a pattern; null for one that is computed. */
function nameOf(node) {
  const key = node.type === 'MemberExpression' ? node.property : node.key;
  if (key === undefined) return null;
  if (node.computed) return key.type === 'Literal' ? String(key.value) : null;
  return key.name ?? String(key.value);
}

/** x.constructor called, made or asked for its own constructor; globalThis.eval; { constructor } taken out of a function. */
function runsTextAsCode(node, parent, own) {
  if (node.type === 'Property' && parent.type === 'ObjectPattern') return nameOf(node) === 'constructor';
  if (node.type !== 'MemberExpression') return false;
  const name = nameOf(node);
  const isCopy = node.object.type === 'ThisExpression' && parent?.type === 'NewExpression'; // new this.constructor(…), as classes copy themselves
  if (name === 'constructor' && !isCopy)
    return parent !== null && (parent.callee === node || (parent.object === node && nameOf(parent) === 'constructor'));
  const ofGlobal = node.object.type === 'ThisExpression' || node.object.name === 'globalThis';
  return ofGlobal && textAsCode.has(name) && !own.has(name);
}

/** Violations as {line, what}, or the error that keeps the program from being read. */
export function checkJavascript(code) {
  let tree;
  try {
    tree = parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      locations: true,
      allowReturnOutsideFunction: false,
      allowHashBang: false,
    });
  } catch (error) {
    const place = error.loc?.line ?? 1;
    if (/'import' and 'export'/.test(error.message))
      return { violations: [{ line: place, what: 'import and export are not allowed: there are no modules' }] };
    const name = error instanceof SyntaxError ? 'SyntaxError' : 'RangeError';
    const message = error instanceof SyntaxError ? error.message.replace(/ \(\d+:\d+\)$/, '') : 'the program is nested too deeply';
    return { error: { name, message, trace: [{ line: place, in: '<program>' }] } };
  }
  const nodes = everyNode(tree);
  const own = declared(nodes);
  const violations = [];
  const add = (node, what) => {
    if (violations.length < 10 && !violations.some((v) => v.what === what)) violations.push({ line: node.loc.start.line, what });
  };
  for (const { node, parent } of nodes) {
    if (node.type === 'ImportExpression') add(node, 'import is not allowed: there are no modules');
    else if (node.type === 'Identifier' && isReference(node, parent) && !own.has(node.name)) {
      const { name } = node;
      if (textAsCode.has(name)) add(node, `${name} is not allowed: text run as code`);
      else if (!globals.has(name)) {
        const near = nearest(name, [...own, ...globals]);
        add(
          node,
          `${name} does not exist${Object.hasOwn(missing, name) ? `: ${missing[name]}` : near === null ? '' : `; did you mean ${near}?`}`,
        );
      }
    } else if (node.type === 'MemberExpression' && !node.computed) {
      const known =
        node.object.type === 'Identifier' && !own.has(node.object.name) && Object.hasOwn(members, node.object.name)
          ? members[node.object.name]
          : null;
      if (known !== null && !known.includes(node.property.name)) {
        const near = nearest(node.property.name, known);
        add(
          node,
          `${node.object.name}.${node.property.name} does not exist; ${near === null ? `there is ${known.slice(0, 5).join(', ')}` : `did you mean ${near}?`}`,
        );
      }
    }
    if (runsTextAsCode(node, parent, own)) add(node, `${nameOf(node)} is not allowed as a way to run text as code`);
  }
  return { violations };
}
