/** Does a program define what was asked for? Judged on the syntax tree, before anything runs. */
import { parse } from 'acorn';

/** Violations for each `{name, parameters}` (a number, or null for any) that the program does not define at its top. */
export function missingFunctions(code, wanted) {
  if (wanted.length === 0) return [];
  const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'script', locations: true });
  const functions = new Map();
  for (const node of tree.body) {
    if (node.type === 'FunctionDeclaration') functions.set(node.id.name, node);
    if (node.type === 'VariableDeclaration')
      for (const { id, init } of node.declarations)
        if (id.type === 'Identifier' && /^(Arrow)?FunctionExpression$/.test(init?.type ?? '')) functions.set(id.name, init);
  }
  return wanted.flatMap(({ name, parameters }) => {
    const node = functions.get(name);
    const there = functions.size === 0 ? '' : `; it defines ${[...functions.keys()].slice(0, 5).join(', ')}`;
    if (node === undefined) return [{ line: 1, what: `the program must define the function ${name}${there}` }];
    if (parameters === null || takes(node.params, parameters)) return [];
    return [{ line: node.loc.start.line, what: `the function ${name} must take ${parameters} parameters, it takes ${node.params.length}` }];
  });
}

function takes(params, count) {
  const rest = params.some((p) => p.type === 'RestElement');
  const needed = params.filter((p) => p.type !== 'RestElement' && p.type !== 'AssignmentPattern').length;
  return needed <= count && (rest || count <= params.length);
}
