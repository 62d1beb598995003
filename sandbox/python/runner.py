"""Runs one program. The jail is the wall; this file limits itself, checks, runs, packs and reports once.

Descriptors: 1 and 2 are the program's output, 3 brings the request and the answers, 4 takes the report and the questions.
"""
import os as _os
import sys as _sys

FILENAME = '<program>'
IN, OUT = 3, 4


class _Channel:
    """We send lines of JSON that carry the run's mark; whatever else is written there is ignored by the host."""

    def __init__(self, read=_os.read, write=_os.write):
        self.rest = b''
        self.mark = ''
        self.read_bytes, self.write_bytes = read, write

    def line(self):
        parts = [self.rest]
        while b'\n' not in parts[-1]:
            parts.append(self.more())
        line, _, self.rest = b''.join(parts).partition(b'\n')
        return line

    def bytes(self, size):
        parts, have = [self.rest], len(self.rest)
        while have < size:
            parts.append(self.more())
            have += len(parts[-1])
        data = b''.join(parts)
        self.rest = data[size:]
        return data[:size]

    def more(self):
        chunk = self.read_bytes(IN, 1 << 18)
        if not chunk:
            _os._exit(90)
        return chunk

    def answer(self):
        import json
        return json.loads(self.line())

    def request(self):
        """mark, check, functions asked for, tools, size of the code, number of files; the code; each file as its size and name, then its bytes."""
        mark, checked, wanted, tools, size, files = self.line().decode('ascii').split(' ')
        code = self.bytes(int(size)).decode('utf-8', 'replace')
        inputs = []
        for _ in range(int(files)):
            size, _, name = self.line().decode('utf-8').partition(' ')
            inputs.append((name, self.bytes(int(size))))
        self.mark = mark
        return {'code': code, 'check': checked == '1', 'wanted': _wanted(wanted), 'tools': tools == '1', 'inputs': inputs}

    def send(self, message):
        data = memoryview(f'\n{self.mark} {encode(message)}\n'.encode('ascii'))
        while data:
            data = data[self.write_bytes(OUT, data):]


def _asker(channel):
    from _thread import allocate_lock as Lock
    lock = Lock()
    count = [0]

    def ask(name, args):
        with lock:
            count[0] += 1
            channel.send({'kind': 'ask', 'call': count[0], 'name': name, 'args': _Packer().plain(args)})
            answer = channel.answer()
        if answer.get('error') is not None:
            raise PlantError(answer['error'])
        return _wrap(answer.get('value'))
    return ask


def _sha256():
    """The interpreter's own; the module hashlib would load OpenSSL."""
    for name in ('_sha2', '_sha256'):
        try:
            return __import__(name).sha256
        except ImportError:
            pass
    from hashlib import sha256
    return sha256


def _digest_files(root='.'):
    sha256 = None
    found = []
    for folder, folders, names in _os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = _os.path.join(folder, name)
            sha256 = sha256 or _sha256()
            digest, size = sha256(), 0
            try:
                with open(path, 'rb') as file:
                    while chunk := file.read(1 << 18):
                        digest.update(chunk)
                        size += len(chunk)
            except OSError:
                continue
            found.append({'name': path[2:], 'size': size, 'sha256': digest.hexdigest()})
            if len(found) >= 200:
                return found
    return found


def _wanted(text):
    """'avg/1,now/0,any/-' or '-': names with their number of parameters."""
    pairs = [] if text == '-' else [part.split('/') for part in text.split(',')]
    return [(name, None if count == '-' else int(count)) for name, count in pairs]


def _last_value(tree):
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        place = {name: getattr(last, name) for name in ('lineno', 'col_offset', 'end_lineno', 'end_col_offset')}
        tree.body[-1] = ast.Assign(targets=[ast.Name(id='__last__', ctx=ast.Store(), **place)], value=last.value, **place)
    return tree


class _PipeEnd:
    """The few methods of a socket that an event loop uses to wake itself."""

    def __init__(self, handle):
        self.handle = handle

    def fileno(self):
        return self.handle

    def recv(self, size):
        return _os.read(self.handle, size)

    def send(self, data):
        return _os.write(self.handle, data)

    def close(self):
        _os.close(self.handle)


def _asyncio_without_sockets():
    """An event loop wakes itself through a socket pair, which no level has: here through a pipe, or not at all where no thread exists."""
    from asyncio.selector_events import BaseSelectorEventLoop as Loop

    def make(loop):
        loop._ssock = loop._csock = None
        if hasattr(_os, 'pipe2'):
            loop._ssock, loop._csock = map(_PipeEnd, _os.pipe2(_os.O_NONBLOCK | _os.O_CLOEXEC))
            loop._internal_fds += 1
            loop._add_reader(loop._ssock.fileno(), loop._read_from_self)

    async def refuse(*_args, **_options):  # of its own it would skip every address that fails and hand over a server without one
        raise PermissionError(1, 'Operation not permitted')
    Loop.create_server = refuse
    close = Loop._close_self_pipe
    Loop._make_self_pipe = make
    Loop._close_self_pipe = lambda loop: close(loop) if loop._ssock is not None else None


def _flush():
    for stream in (_sys.stdout, _sys.stderr, _sys.__stdout__, _sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass


def _scope(request, channel):
    module = type(_sys)('__main__')
    _sys.modules['__main__'] = module
    scope = module.__dict__
    scope['exit'] = scope['quit'] = _sys.exit
    if request.get('tools'):
        ask = _asker(channel)
        scope['plant'] = Plant(ask)
        scope['read_file'] = lambda path: ask('read_file', {'path': path})
    return scope


def _run(request, channel):
    """One report: kind is rejected, error, exit, limit or result."""
    code, scope = request['code'], None
    try:
        tree = compile(code, FILENAME, 'exec', ast.PyCF_ONLY_AST)
        if request['check']:
            violations = check(tree) or missing(tree, request['wanted'])
            if violations:
                return {'kind': 'rejected', 'violations': violations}
        program = compile(_last_value(tree), FILENAME, 'exec')
    except BaseException as error:
        return {'kind': 'error', 'error': explain(error, {}, FILENAME)}
    del tree
    scope = _scope(request, channel)
    try:
        if 'asyncio' in code:
            _asyncio_without_sockets()
        exec(program, scope)
        threading = _sys.modules.get('threading')
        if threading is not None:
            threading._shutdown()
    except SystemExit as stop:
        code = stop.code
        if isinstance(code, str):
            _sys.stderr.write(code + '\n')
        return {'kind': 'exit', 'code': code if isinstance(code, int) else 0 if code is None else 1}
    except MemoryError as error:
        error.__traceback__ = None
        scope.clear()  # else there is no room to report in
        return {'kind': 'memory', 'message': 'The program took all the memory it may.'}
    except BaseException as error:
        return {'kind': 'error', 'error': explain(error, scope, FILENAME)}
    try:
        value = scope['result'] if 'result' in scope else scope.get('__last__')
        output, notes = pack(value)
        return {'kind': 'result', 'output': output, 'notes': notes}
    except ResultLimit as limit:
        return {'kind': 'limit', 'message': str(limit)}
    except BaseException as error:
        told = explain(error, scope, FILENAME)
        told['message'] = f"The result cannot be handed over: {told['message']}"
        return {'kind': 'error', 'error': told}


def serve(channel, config, inputs_are_written=None):
    """Waits for the one request of this interpreter, runs it and reports."""
    ballast = bytearray(1 << 20)  # room to report in when a program has taken all the rest
    channel.send({'kind': 'ready'})
    request = channel.request()
    for name, data in request['inputs']:
        with open(name, 'wb') as file:
            file.write(data)
    if inputs_are_written is not None:
        inputs_are_written()
    channel.send({'kind': 'started'})
    try:
        report = _run(request, channel)
    except MemoryError:
        del ballast
        report = {'kind': 'memory', 'message': 'The program took all the memory it may.'}
    _flush()
    given = {name for name, _ in request['inputs']}
    try:
        report['files'] = [f for f in _digest_files() if f['name'] not in given]
    except BaseException:
        report['files'] = []
    try:
        text = encode(report)
        if len(text) > config['resultChars']:
            report = {'kind': 'limit', 'message': f'the result takes {len(text)} characters, {config["resultChars"]} is the most', 'files': report['files']}
        channel.send(report)
    except BaseException as error:
        channel.send({'kind': 'error', 'error': {'name': type(error).__name__, 'message': 'The result cannot be handed over.', 'trace': []}, 'files': []})
