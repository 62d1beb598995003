"""What a program can ask of the plant: reads go out as questions on the result channel, rows come back as plain values."""


class PlantError(Exception):
    """The plant, the policy or the gateway refused or failed; the text says why."""


class _Values(dict):
    """A JSON object whose keys can be read as attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f'no field {name}; there are {", ".join(map(str, self))}', name=name, obj=self) from None

    def __dir__(self):
        return list(self)


def _wrap(value):
    if type(value) is dict:
        return _Values({k: _wrap(v) for k, v in value.items()})
    if type(value) is list:
        return [_wrap(v) for v in value]
    return value


def _given(**args):
    return {name: value for name, value in args.items() if value is not None}


class Plant:
    """read, trend, aggregate, tags and propose_write; nothing here can write."""

    def __init__(self, ask):
        self.__ask = ask

    def __repr__(self):
        return 'plant: read(tags), trend(tags, start, end), aggregate(tags, fn, start, end, threshold), tags(filter), propose_write(tag, value, reason)'

    def read(self, *tags):
        """The current readings as a list, in the order asked for."""
        answer = self.__ask('read', {'tags': _names(tags)})
        return answer['readings'] if 'readings' in answer else answer

    def trend(self, tags, start=None, end=None):
        """The series of one tag, or a list of them for a list of tags."""
        answer = self.__ask('trend', {'tags': _names([tags]), **_given(**{'from': start, 'to': end})})
        if 'series' not in answer:
            return answer
        return answer['series'][0] if isinstance(tags, str) else answer['series']

    def aggregate(self, tags, fn, start=None, end=None, threshold=None):
        answer = self.__ask('aggregate', {'tags': _names([tags]), 'fn': fn, **_given(**{'from': start, 'to': end, 'threshold': threshold})})
        return answer['results'] if 'results' in answer else answer

    def tags(self, filter=None):
        answer = self.__ask('list_tags', _given(filter=filter))
        return answer['tags'] if 'tags' in answer else answer

    def propose_write(self, tag, value, reason=None):
        """Lays a write before a person; nothing is written by this."""
        return self.__ask('propose_write', {'tag': tag, 'value': value, **_given(reason=reason)})


def _names(tags):
    out = []
    for tag in tags:
        out.extend(tag if isinstance(tag, (list, tuple, set)) else [tag])
    return [str(t) for t in out]

