"""Says in one short line what went wrong, with the nearest name, so that the next attempt can mend it."""
import builtins as _builtins


def _nearest(name, names):
    from difflib import get_close_matches
    found = get_close_matches(name, [n for n in names if not n.startswith('_')], n=1, cutoff=0.6)
    return found[0] if found else None


def _hint(error, scope):
    try:
        if isinstance(error, NameError) and getattr(error, 'name', None):
            near = _nearest(error.name, list(scope) + dir(_builtins))
            return f'Did you mean {near}?' if near else ''
        if isinstance(error, AttributeError) and getattr(error, 'name', None):
            near = _nearest(error.name, dir(error.obj))
            return f'Did you mean {near}?' if near else ''
        if isinstance(error, ImportError) and getattr(error, 'name', None):
            return 'Only the standard library and what is installed here can be imported.'
        if isinstance(error, EOFError):
            return 'There is nobody to type an answer: put the value into the program.'
    except Exception:
        pass
    return ''


def explain(error, scope, filename):
    """Name, message and the program's own lines; no frame of the runner and no path of the machine."""
    try:
        message = str(error)
    except BaseException:
        message = '(the error has no text)'
    if isinstance(error, SyntaxError):
        message = str(error.msg)
        trace = [{'line': error.lineno or 1, 'in': '<module>'}]
    else:
        trace = []
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == filename:
                trace.append({'line': step.tb_lineno, 'in': step.tb_frame.f_code.co_name})
            step = step.tb_next
    hint = _hint(error, scope)
    if hint and hint not in message:
        message = f'{message[:300]} {hint}'
    if len(trace) > 8:
        trace = trace[:4] + trace[-4:]
    return {'name': type(error).__name__[:80], 'message': message[:400], 'trace': trace}
