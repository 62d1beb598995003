"""Entry in CPython on WASI: nothing of the host exists here, so there is nothing to lock."""


_CHANGES = ('os.chmod', 'os.chown', 'os.utime', 'os.truncate', 'os.remove', 'os.rename', 'os.rmdir', 'os.link', 'os.symlink')


def _library_is_read_only(event, args):
    """The library lies in the interpreter's own image, which takes an open for writing and fails at the write, too late for the program to see."""
    if (event in _CHANGES or event == 'open' and args[2] & _os.O_WRONLY) and isinstance(args[0], str) and args[0].startswith('/usr/'):
        raise OSError(30, 'Read-only file system', args[0])


def main():
    global IN, OUT
    config = eval(_sys.argv[1])
    _sys.argv = ['program']
    _os.chdir('/workspace')
    IN = OUT = _os.open('.host-channel', _os.O_RDWR)
    import ast, base64, collections, csv, datetime, difflib, functools, itertools, json, math, random, re, statistics, typing  # noqa: E401,F401 - warm for the program
    channel = _Channel()
    encode(_run({'code': 'import math\nx = [{"a": 1.5}]\nprint(end="")\nx', 'check': True, 'wanted': [], 'tools': False}, channel))  # has the engine compile what every run uses
    _digest_files()
    _sys.addaudithook(_library_is_read_only)
    serve(channel, config)
    channel.read_bytes(IN, 1)  # the host reads our memory peak, then ends us
    _os._exit(0)


main()
