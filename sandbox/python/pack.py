"""Turns the value a program leaves into the untrusted output: JSON types only, bounded in depth, nodes and rows."""
import _json  # the accelerator alone: the module json brings re, 6 ms of a cold start

MAX_DEPTH = 60
MAX_NODES = 200_000
MAX_ROWS = 1_000
MAX_CHARS = 1_000_000
SAFE_INTEGER = 9007199254740991


class ResultLimit(Exception):
    """The result is too big to hand over; the program has to reduce it."""


class _Packer:
    def __init__(self):
        self.nodes = 0
        self.not_finite = 0
        self.big_integers = 0
        self.path = set()

    def plain(self, value, depth=0):
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise ResultLimit(f'the result has more than {MAX_NODES} parts')
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            if -SAFE_INTEGER <= value <= SAFE_INTEGER:
                return value
            self.big_integers += 1  # a reader of JSON would round it
            return str(value)
        if kind is float:
            if value - value == 0:
                return value
            self.not_finite += 1
            return None
        if depth >= MAX_DEPTH:
            raise ResultLimit(f'the result is nested deeper than {MAX_DEPTH}')
        return self.container(value, depth)

    def container(self, value, depth):
        if isinstance(value, (dict, list, tuple, set, frozenset)):
            if len(value) > MAX_NODES:
                raise ResultLimit(f'the result has {len(value)} parts, {MAX_NODES} are the most')
            if id(value) in self.path:
                raise ValueError('the result contains itself')
            self.path.add(id(value))
            try:
                if isinstance(value, dict):
                    return {self.key(k): self.plain(v, depth + 1) for k, v in dict.items(value)}
                return [self.plain(v, depth + 1) for v in value]
            finally:
                self.path.discard(id(value))
        return self.scalar(value, depth)

    @staticmethod
    def key(value):
        return value if type(value) is str else str(value)

    def scalar(self, value, depth):
        name = type(value).__module__.split('.')[0]
        if name in ('numpy', 'pandas'):
            if type(value).__name__ in ('NaTType', 'NAType'):
                return None
            if hasattr(value, 'isoformat'):
                return value.isoformat()
            if hasattr(value, 'tolist'):
                return self.plain(value.tolist(), depth + 1)
            if hasattr(value, 'to_list'):
                return self.plain(value.to_list(), depth + 1)
        if isinstance(value, bool):
            return bool(value)
        if isinstance(value, int):
            return self.plain(int(value), depth + 1)
        if isinstance(value, float):
            return self.plain(float(value), depth + 1)
        if isinstance(value, str):
            return str.__str__(value)
        if hasattr(value, 'isoformat'):
            return value.isoformat()
        if hasattr(value, '__dataclass_fields__') and not isinstance(value, type):
            return self.plain({f: getattr(value, f) for f in value.__dataclass_fields__}, depth + 1)
        if isinstance(value, (bytes, bytearray, memoryview)):
            raise TypeError('bytes cannot be a result; decode them, or give a PNG picture')
        if hasattr(value, '__next__') or type(value).__name__ in ('range', 'dict_keys', 'dict_values', 'dict_items', 'deque', 'map', 'filter', 'zip'):
            return self.items(value, depth)
        return str(value)

    def items(self, value, depth):
        out = []
        for item in value:
            out.append(self.plain(item, depth + 1))
        return out


def _table(packer, columns, rows, total):
    shown = [[packer.plain(cell, 1) for cell in row] for row in rows]
    return {'type': 'table', 'data': {'columns': [str(c) for c in columns], 'rows': shown, 'total_rows': total},
            'truncated': {'shown': len(shown), 'total': total} if total > len(shown) else None}


def _frame(packer, frame):
    named = [n for n in frame.index.names if n is not None]
    if named and not set(map(str, named)) & set(map(str, frame.columns)):
        frame = frame.reset_index()
    elif type(frame.index).__name__ != 'RangeIndex' and not named:
        frame = frame.rename_axis('index').reset_index() if 'index' not in frame.columns else frame
    head = frame.head(MAX_ROWS)
    columns = [' '.join(map(str, c)) if isinstance(c, tuple) else str(c) for c in head.columns]
    parts = [head.iloc[:, i].astype(object).where(head.iloc[:, i].notna(), None).tolist() for i in range(head.shape[1])]
    return _table(packer, columns, list(zip(*parts)), len(frame))


def _image(value):
    from base64 import b64encode
    from io import BytesIO
    out = BytesIO()
    value.savefig(out, format='png')
    return {'type': 'image', 'data': {'mime': 'image/png', 'base64': b64encode(out.getvalue()).decode()}, 'truncated': None}


def _figure_of(value):
    """A figure, or the figure behind what plotting calls return (axes, a list of lines, an array of axes)."""
    kind = type(value)
    if kind.__module__.startswith('matplotlib.') and hasattr(value, 'savefig'):
        return value
    if isinstance(value, (list, tuple)) and value and len(value) < 1000:
        return _figure_of(value[0])
    if kind.__module__.startswith('matplotlib.') and hasattr(value, 'figure'):
        return _figure_of(value.figure)
    return None


def pack(value):
    """The output as a dict, with notes about what was changed on the way; None when there is nothing to hand over."""
    if value is None:
        return None, []
    packer = _Packer()
    kind = type(value)
    root = kind.__module__.split('.')[0]
    figure = _figure_of(value)
    if figure is not None:
        out = _image(figure)
    elif root == 'pandas' and hasattr(value, 'columns') and hasattr(value, 'iloc'):
        out = _frame(packer, value)
    elif root == 'pandas' and hasattr(value, 'to_frame') and hasattr(value, 'iloc'):
        out = _frame(packer, value.to_frame(name='value' if value.name is None else value.name))
    elif isinstance(value, (bytes, bytearray)) and bytes(value[:8]) == b'\x89PNG\r\n\x1a\n':
        from base64 import b64encode
        out = {'type': 'image', 'data': {'mime': 'image/png', 'base64': b64encode(value).decode()}, 'truncated': None}
    elif isinstance(value, str):
        out = {'type': 'text', 'data': str.__str__(value), 'truncated': None}
    elif isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(v, dict) for v in value):
        columns = list(dict.fromkeys(k for row in value for k in row))
        out = _table(packer, columns, [[row.get(c) for c in columns] for row in value[:MAX_ROWS]], len(value))
    else:
        out = {'type': 'json', 'data': packer.plain(value), 'truncated': None}
    notes = []
    if packer.not_finite:
        notes.append(f'{packer.not_finite} values that are not finite (nan or inf) are given as null')
    if packer.big_integers:
        notes.append(f'{packer.big_integers} integers beyond 2^53 are given as text to keep every digit')
    return out, notes


def encode(message):
    """Strict JSON in ASCII: lone surrogates stay escapes that the host repairs, NaN raises."""
    return ''.join(_encode(message, 0))


def _refuse(value):
    raise TypeError(f'{type(value).__name__} is not JSON')


_encode = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ':', ',', False, False, False)
