"""Does a program define what was asked for? Judged on the syntax tree, before anything runs."""


def missing(tree, wanted):
    """Violations for each (name, number of parameters or None) that the program does not define at its top."""
    functions, found = {}, []
    for node in _top_level(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            functions.update((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    for name, count in wanted:
        node = functions.get(name)
        if node is None:
            there = f'; it defines {", ".join(sorted(functions)[:5])}' if functions else ''
            found.append({'line': 1, 'what': f'the program must define the function {name}{there}'})
        elif count is not None and not _takes(node.args, count):
            found.append({'line': node.lineno, 'what': f'the function {name} must take {count} parameters, it takes {_count(node.args)}'})
    return found


def _top_level(body):
    """Statements of the module and of what is always or conditionally run with it; not those inside functions and classes."""
    todo = list(body)
    for node in todo:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for part in ('body', 'orelse', 'finalbody'):
                todo.extend(getattr(node, part, []))


def _takes(args, count):
    positional = len(args.posonlyargs) + len(args.args)
    needed = positional - len(args.defaults)
    required_by_name = sum(default is None for default in args.kw_defaults)
    return required_by_name == 0 and needed <= count and (count <= positional or args.vararg is not None)


def _count(args):
    return len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs)
