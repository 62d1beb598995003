"""The runner's own lock-down on Linux: limits, then Landlock where asked, then the second filter for every thread."""


def _sandbox_limits(config):
    import resource
    for name, value in (('AS', config['memoryBytes']), ('NPROC', config['tasks']), ('FSIZE', config['inputBytes']),
                        ('CPU', config['cpuSeconds']), ('NOFILE', config['openFiles']), ('CORE', 0)):
        if value is not None:
            resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (value, value))


def _sandbox_filter(libc, ctypes, program):
    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('steps', ctypes.c_void_p)]
    steps = ctypes.create_string_buffer(program, len(program))
    described = Program(len(program) // 8, ctypes.addressof(steps))
    number = 317 if _os.uname().machine == 'x86_64' else 277
    if libc.syscall(ctypes.c_long(number), ctypes.c_long(1), ctypes.c_long(1), ctypes.byref(described)) != 0:
        raise OSError(ctypes.get_errno(), 'seccomp')


def _landlock(libc, ctypes, readable, writable):
    """Files only below the given folders, and no network: the wall where user namespaces are shut."""
    version = libc.syscall(ctypes.c_long(444), None, ctypes.c_long(0), ctypes.c_long(1))
    if version < 1:
        raise OSError(ctypes.get_errno(), 'landlock is not in this kernel')
    all_rights = (1 << 13) - 1
    if version >= 2:
        all_rights |= 1 << 13  # refer
    if version >= 3:
        all_rights |= 1 << 14  # truncate
    if version >= 5:
        all_rights |= 1 << 15  # ioctl on devices
    network = 3 if version >= 4 else 0
    scopes = 3 if version >= 6 else 0
    attributes = (ctypes.c_uint64 * 3)(all_rights, network, scopes)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(ctypes.c_long(444), attributes, ctypes.c_long(size), ctypes.c_long(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), 'landlock')

    class Below(ctypes.Structure):
        _pack_ = 1
        _fields_ = [('allowed', ctypes.c_uint64), ('parent', ctypes.c_int32)]
    read_file, read_folder = 1 << 2, 1 << 3
    for path, rights in [(p, None) for p in readable] + [(p, all_rights & ~1 & ~(1 << 6) & ~(1 << 9) & ~(1 << 10) & ~(1 << 11) & ~(1 << 12)) for p in writable]:
        try:
            handle = _os.open(path, _os.O_PATH | _os.O_CLOEXEC)
        except OSError:
            continue
        is_folder = _os.path.isdir(path)
        if rights is None:
            rights = read_file | read_folder
        if not is_folder:
            rights &= 1 << 1 | 1 << 2 | all_rights & 1 << 14 | all_rights & 1 << 15  # what can be said of a file: write, read, truncate, ioctl
        if libc.syscall(ctypes.c_long(445), ctypes.c_long(ruleset), ctypes.c_long(1), ctypes.byref(Below(rights, handle)), ctypes.c_long(0)) != 0:
            raise OSError(ctypes.get_errno(), 'landlock rule for ' + path)
        _os.close(handle)
    if libc.syscall(ctypes.c_long(446), ctypes.c_long(ruleset), ctypes.c_long(0)) != 0:
        raise OSError(ctypes.get_errno(), 'landlock restrict')
    _os.close(ruleset)


def _file_limit(libc, ctypes, size):
    """By the bare call: the filter lets this one limit be lowered, and glibc would ask in another way."""
    number = 160 if _os.uname().machine == 'x86_64' else 164
    if libc.syscall(ctypes.c_long(number), ctypes.c_long(1), (ctypes.c_uint64 * 2)(size, size)) != 0:
        raise OSError(ctypes.get_errno(), 'the limit of file sizes')


def lock_down(config):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    _sandbox_limits(config)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(4, 0, 0, 0, 0) != 0:  # no new privileges, not dumpable
        raise OSError(ctypes.get_errno(), 'prctl')
    if config.get('landlock'):
        _landlock(libc, ctypes, config['landlock']['read'], config['landlock']['write'])
    _sandbox_filter(libc, ctypes, bytes.fromhex(config['filter']))
    return lambda: _file_limit(libc, ctypes, config['fileBytes'])
