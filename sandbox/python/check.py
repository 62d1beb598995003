"""The static check: a list of what is allowed, judged on the syntax tree. It gives early, friendly feedback; the wall is the jail."""
import _ast as ast  # the node types alone: the module ast costs a cold start 6 ms
import sys

ANY = None  # every public name of the module
MODULES = {
    **dict.fromkeys('''__future__ abc argparse array base64 binascii bisect calendar cmath collections collections.abc colorsys configparser contextlib copy
        csv dataclasses datetime decimal difflib enum fnmatch fractions glob graphlib gzip hashlib heapq hmac html html.parser io itertools json keyword
        locale math matplotlib matplotlib.dates matplotlib.pyplot matplotlib.ticker numbers numpy numpy.fft numpy.linalg numpy.random numpy.typing os.path
        pandas pathlib pprint queue random re reprlib scipy scipy.optimize scipy.signal scipy.stats secrets sqlite3 statistics string struct tempfile
        textwrap threading time timeit unicodedata uuid warnings weakref xml.etree.ElementTree zlib zoneinfo
        concurrent.futures urllib.parse'''.split(), ANY),
    'os': '''path sep linesep listdir stat fspath curdir pardir altsep extsep pathsep devnull mkdir makedirs remove unlink rename replace rmdir walk
        scandir PathLike DirEntry error''',
    'sys': '''argv stdout stderr stdin version version_info maxsize float_info int_info byteorder platform exit getsizeof getrecursionlimit
        setrecursionlimit implementation hexversion maxunicode exc_info intern''',
    'typing': '''Any AnyStr Annotated Callable ClassVar DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable Iterator List Literal
        Mapping MutableMapping NamedTuple NewType NoReturn Optional OrderedDict ParamSpec Protocol Sequence Set Sized SupportsFloat SupportsInt Tuple Type
        TypeAlias TypeGuard TypeVar TypedDict Union TYPE_CHECKING cast final overload runtime_checkable Self Never Required NotRequired Counter
        Collection Container Reversible Text IO TextIO BinaryIO Awaitable Coroutine AsyncIterator AsyncIterable AsyncGenerator Concatenate Unpack assert_never''',
    'operator': '''itemgetter add sub mul truediv floordiv mod neg pos abs lt le gt ge eq ne and_ or_ xor not_ truth is_ is_not index concat contains
        countOf getitem setitem delitem indexOf pow matmul iadd isub imul inv invert lshift rshift''',
    'types': 'SimpleNamespace MappingProxyType GeneratorType NoneType',
    'functools': '''reduce partial partialmethod lru_cache cache cached_property wraps total_ordering singledispatch singledispatchmethod cmp_to_key''',
    'traceback': 'print_exc format_exc format_exception print_exception format_exception_only format_tb print_tb',
    'logging': '''DEBUG INFO WARNING ERROR CRITICAL basicConfig debug info warning error critical exception getLogger Logger StreamHandler Formatter
        log NullHandler Handler LogRecord captureWarnings disable''',
    'asyncio': '''run sleep gather wait wait_for create_task Task Queue Lock Event Semaphore timeout TimeoutError CancelledError as_completed
        get_event_loop new_event_loop TaskGroup Future iscoroutinefunction shield Condition FIRST_COMPLETED ALL_COMPLETED''',
    'shutil': 'copy copyfile copy2 move rmtree copytree disk_usage',
    'string': 'ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation printable whitespace capwords octdigits Template',
    'codecs': 'BOM_UTF8 encode decode',
    'ast': 'literal_eval',
    'platform': 'system release version machine node processor platform python_version python_version_tuple python_implementation architecture',
}

MODULES = {name: names if names is ANY else frozenset(names.split()) for name, names in MODULES.items() if names != ''}
# Names of open modules that run text as code, or give back the machine.
HIDDEN_NAMES = {
    'numpy': {'ctypeslib', 'f2py', 'distutils', 'fromfile', 'memmap', 'DataSource', 'core', 'lib', 'testing', 'compat', 'loads'},
    'pandas': {'read_pickle', 'to_pickle', 'io', 'compat', 'core', 'util', 'eval', 'read_html', 'read_clipboard', 'HDFStore', 'read_hdf'},
    'threading': {'settrace', 'setprofile'},
    'concurrent.futures': {'ProcessPoolExecutor', 'process'}, 'weakref': set(), 'timeit': {'timeit', 'repeat', 'Timer', 'main'}, 'sqlite3': {'enable_callback_tracebacks'},
}
OTHER_NAMES_OK = {('numpy', 'select'), ('numpy', 'array'), ('numpy', 'copy')}
TEXT_AS_CODE = {
    'eval': 'text run as code', 'exec': 'text run as code', 'compile': 'text run as code', '__import__': 'an import hidden in a call',
    'globals': 'the table of all names', 'locals': 'the table of all names', 'vars': 'the table of all names', 'breakpoint': 'a debugger',
    'input': 'a question to a person; put the value into the program', 'help': 'a pager', 'memoryview': 'raw memory',
}
ATTRIBUTE_TEXT = {'getattr', 'setattr', 'delattr', 'hasattr'}
DUNDERS_READ = {'__name__', '__doc__', '__version__', '__init__', '__len__', '__iter__', '__next__', '__enter__', '__exit__', '__str__', '__repr__',
                '__eq__', '__lt__', '__le__', '__gt__', '__ge__', '__ne__', '__hash__', '__add__', '__sub__', '__mul__', '__truediv__', '__contains__', '__getitem__',
                '__setitem__', '__call__', '__post_init__', '__annotations__', '__qualname__', '__file__', '__new__', '__bool__', '__float__', '__int__',
                '__missing__', '__abs__', '__neg__', '__format__', '__future__', '__members__', '__all__', '__slots__', '__main__', '__debug__',
                '__aenter__', '__aexit__', '__aiter__', '__anext__', '__await__', '__delitem__', '__reversed__', '__round__', '__init_subclass__', '__set_name__', '__class_getitem__',
                '__cause__', '__context__', '__get__', '__set__', '__delete__', '__getattr__', '__copy__', '__deepcopy__', '__match_args__', '__bytes__', '__sizeof__',
                '__pos__', '__invert__', '__index__', '__complex__', '__trunc__', '__floor__', '__ceil__', '__length_hint__', '__dir__', '__fspath__',
                *(f'__{side}{name}__' for side in ('', 'r', 'i') for name in ('add', 'sub', 'mul', 'matmul', 'truediv', 'floordiv', 'mod', 'divmod', 'pow', 'lshift', 'rshift', 'and', 'xor', 'or'))}
ATTRIBUTE_CALLS = {'__setattr__', '__delattr__'}
FRAME_NAMES = {'gi_frame', 'gi_code', 'cr_frame', 'cr_code', 'ag_frame', 'ag_code', 'tb_frame', 'tb_next', 'f_back', 'f_globals', 'f_locals', 'f_builtins', 'f_code', 'f_trace',
               'co_code', 'co_consts', 'func_globals', 'func_code', 'gi_yieldfrom', 'attrgetter', 'methodcaller', 'get_type_hints', 'mro', 'with_traceback'}
INNER_MODULES = (set(getattr(sys, 'stdlib_module_names', ())) | {'_os', '_sys', 'builtins'}) - set(MODULES) | {'os', 'sys', 'codecs', 'types', 'operator', '_os', '_sys'}
COMMON_FIELDS = {'select', 'code', 'email', 'signal', 'site', 'test', 'this', 'token', 'profile', 'platform', 'resource', 'trace', 'symbol', 'parser', 'cmd', 'bisect', 'imp', 'stat',
                 'dis', 'types', 'operator', 'venv', 'wave', 'chunk', 'mailbox', 'http', 'ssl', 'nt', 'grp', 'formatter', 'sched', 'shelve', 'commands', 'calendar', 'crypt', 'pipes', 'selectors', 'lib2to3', 'ast', 'inspect', 'logging', 'turtle', 'curses', 'tabnanny', 'pty', 'tty'}
MUST_HIDE = {'os', 'sys', '_os', '_sys', 'posix', 'nt', 'subprocess', 'socket', 'ctypes', '_ctypes', 'importlib', 'builtins', 'pickle', 'marshal', 'multiprocessing', 'pty', 'codecs', '_io', '_thread', 'gc', 'inspect', 'runpy', 'code', 'codeop', 'pdb', 'linecache', 'tokenize', 'zipimport', 'signal', 'resource', 'fcntl', 'mmap', 'select'}


def _walk(tree):
    """Every node, without recursion: a program may be nested deeply on purpose."""
    todo = [tree]
    for node in todo:
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                todo.append(value)
            elif isinstance(value, list):
                todo.extend(item for item in value if isinstance(item, ast.AST))


def _near(name, names):
    from difflib import get_close_matches
    return get_close_matches(name, names, n=1, cutoff=0.7)


def check(tree):
    """The violations as {line, what}, at most ten."""
    reviewer = _Reviewer()
    reviewer.collect(tree)
    for node in _walk(tree):
        reviewer.judge(node)
    found = sorted(reviewer.found, key=lambda v: v['line'])
    return found[:10]


def _sets_own_attribute(call):
    """super().__setattr__(name, value), or object.__setattr__(self, 'written', value) as frozen classes do."""
    of = call.func.value
    if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == 'super':
        return True
    which = call.args[1] if len(call.args) > 1 else None
    return (isinstance(of, ast.Name) and of.id == 'object' and isinstance(which, ast.Constant) and isinstance(which.value, str)
            and not which.value.startswith('__'))


class _Reviewer:
    def __init__(self):
        self.found = []
        self.aliases = {}
        self.own = set()
        self.called = set()
        self.class_names = set()
        self.attribute_calls = set()
        self.uses_pandas = False
        self.formats_text = False

    def add(self, node, what):
        if not any(v['what'] == what for v in self.found):
            self.found.append({'line': getattr(node, 'lineno', 1), 'what': what})

    def collect(self, tree):
        for node in _walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and 'pandas' in [getattr(node, 'module', None), *(item.name for item in node.names)]:
                self.uses_pandas = True
            if isinstance(node, ast.Import):
                for item in node.names:
                    self.aliases[item.asname or item.name.split('.')[0]] = item.name if item.asname else item.name.split('.')[0]
            elif isinstance(node, ast.ImportFrom) and node.module:
                for item in node.names:
                    whole = f'{node.module}.{item.name}'
                    if whole in MODULES:
                        self.aliases[item.asname or item.name] = whole
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.own.add(node.name)
            elif isinstance(node, ast.arg):
                self.own.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.own.add(node.id)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                self.called.add(id(node.func))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ATTRIBUTE_CALLS:
                if _sets_own_attribute(node):
                    self.attribute_calls.add(id(node.func))
            elif isinstance(node, ast.Attribute) and node.attr in ('format', 'format_map', 'vformat'):
                self.formats_text = True
            elif isinstance(node, ast.Attribute) and node.attr == '__name__' and isinstance(node.value, ast.Attribute) and node.value.attr == '__class__':
                self.class_names.add(id(node.value))

    def judge(self, node):
        handler = getattr(self, 'on_' + type(node).__name__, None)
        if handler is not None:
            handler(node)

    def module(self, node, name):
        if name in MODULES or any(known.startswith(name + '.') for known in MODULES):
            return True
        near = _near(name, MODULES)
        hint = f'; did you mean {near[0]}?' if near else '; allowed are json, csv, math, statistics, datetime, re, collections, itertools, pathlib, numpy, pandas and the like'
        self.add(node, f'import {name} is not allowed{hint}')
        return False

    def on_Import(self, node):
        for item in node.names:
            self.module(node, item.name)

    def on_ImportFrom(self, node):
        if node.level:
            self.add(node, 'a relative import has nothing to import from')
            return
        for item in node.names:
            whole = f'{node.module}.{item.name}'
            if whole in MODULES:
                continue
            if not self.module(node, node.module):
                return
            self.member(node, node.module, item.name)

    def member(self, node, module, name):
        allowed = MODULES.get(module, frozenset())
        if name == '*':
            if allowed is not ANY or module in HIDDEN_NAMES:
                self.add(node, f'from {module} import * is not allowed; name what is used')
            return
        if f'{module}.{name}' in MODULES or name in DUNDERS_READ:
            return
        if allowed is ANY:
            bad = name.startswith('_') or name in HIDDEN_NAMES.get(module, ()) or (name in INNER_MODULES and (module, name) not in OTHER_NAMES_OK and name != module.split('.')[-1])
            if bad:
                self.add(node, f'{module}.{name} is not allowed')
            return
        if name not in allowed:
            near = _near(name, allowed)
            some = near[0] if near else ', '.join(sorted(allowed)[:8])
            extra = '; the current folder is /workspace' if name == 'getcwd' else ''
            self.add(node, f'{module}.{name} is not allowed; of {module} there is {some}{extra}')

    def root(self, node):
        """The module an expression stands for, as json in json.decoder, or None."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.root(node.value)
            if base is not None and (f'{base}.{node.attr}' in MODULES or any(m.startswith(f'{base}.{node.attr}.') for m in MODULES)):
                return f'{base}.{node.attr}'
        return None

    def on_Attribute(self, node):
        name = node.attr
        if name.startswith('__') and name.endswith('__'):
            if name not in DUNDERS_READ and id(node) not in self.class_names and id(node) not in self.attribute_calls:
                self.add(node, f'the attribute {name} is not allowed')
            return
        if name in FRAME_NAMES:
            self.add(node, f'the attribute {name} is not allowed')
            return
        base = self.root(node.value)
        if base is not None:
            self.member(node, base, name)
        elif name in MUST_HIDE and not (isinstance(node.value, ast.Name) and node.value.id == 'self') and name not in COMMON_FIELDS:
            self.add(node, f'the attribute {name} is not allowed: it leads to another module')
        elif name in ('read_pickle', 'to_pickle'):
            self.add(node, f'{name} is not allowed; use read_csv and to_csv')
        elif name in ('enable_load_extension', 'load_extension'):
            self.add(node, f'{name} is not allowed: it loads machine code')

    def on_Name(self, node):
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            if name.startswith('__') and name.endswith('__') and name not in DUNDERS_READ:
                self.add(node, f'the name {name} is not allowed')
            return
        if name in TEXT_AS_CODE and name not in self.own:
            self.add(node, f'{name} is not allowed: {TEXT_AS_CODE[name]}')
        elif name in TEXT_AS_CODE and name in ('eval', 'exec', 'compile', '__import__'):
            self.add(node, f'{name} is not allowed: {TEXT_AS_CODE[name]}')
        elif name in ATTRIBUTE_TEXT and id(node) not in self.called and name not in self.own:
            self.add(node, f'{name} is allowed as a call only')
        elif name.startswith('__') and name.endswith('__') and name not in DUNDERS_READ:
            self.add(node, f'the name {name} is not allowed')

    def on_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in ATTRIBUTE_TEXT and node.func.id not in self.own:
            which = node.args[1] if len(node.args) > 1 else None
            if not isinstance(which, ast.Constant) or not isinstance(which.value, str):
                if node.func.id != 'hasattr':
                    self.add(node, f'{node.func.id} needs a written name; use a dict, or obj.name')
            elif which.value.startswith('__') and which.value not in DUNDERS_READ or which.value in FRAME_NAMES or which.value in MUST_HIDE:
                self.add(node, f'the attribute {which.value} is not allowed')
            elif node.args and self.root(node.args[0]):
                self.member(node, self.root(node.args[0]), which.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ('eval', 'query') and (node.func.attr not in self.own or self.uses_pandas):
            text = node.args[0] if node.args else None
            if not isinstance(text, ast.Constant) or not isinstance(text.value, str) or '__' in text.value or '@' in text.value:
                self.add(node, f'{node.func.attr} needs a written text without @ and __')
        for keyword in node.keywords:
            if keyword.arg == 'allow_pickle' and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False):
                self.add(node, 'allow_pickle is not allowed')

    def on_Constant(self, node):
        value = node.value
        if isinstance(value, bytes):
            value = value.decode('latin-1')
        if isinstance(value, str) and '__' in value and value not in DUNDERS_READ:
            import re
            hit = re.search(r'__(class|base|bases|mro|subclasses|globals|builtins|import|code|closure|dict|loader|spec|reduce|reduce_ex|getattribute|self|func|traceback|context|wrapped|module)__', value)
            if hit:
                self.add(node, f'a text with {hit.group(0)} is not allowed')
        if isinstance(value, str) and self.formats_text and '{' in value:
            import re
            if re.search(r'\{\w*[.\[][^{}:!]*$', value):
                self.add(node, 'a format field that reads an attribute is to be written in one piece')

    def on_FunctionDef(self, node):
        self.defined(node)

    def on_AsyncFunctionDef(self, node):
        self.defined(node)

    def on_ClassDef(self, node):
        self.defined(node)

    def defined(self, node):
        if node.name in ('__reduce__', '__reduce_ex__', '__getattribute__', '__del__', '__builtins__', '__import__', '__build_class__', '__class__', '__subclasshook__', '__instancecheck__', '__prepare__'):
            self.add(node, f'defining {node.name} is not allowed')

    def on_MatchClass(self, node):
        for name in node.kwd_attrs:
            if name.startswith('__') or name in FRAME_NAMES or name in MUST_HIDE:
                self.add(node, f'the attribute {name} is not allowed')
