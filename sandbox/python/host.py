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


class Plant:
    """read, trend, tags and propose_write; nothing here can write."""

    def __init__(self, ask):
        self.__ask = ask

    def __repr__(self):
        return 'plant: read(tags), trend(tags, start, end), tags(filter), propose_write(tag, value, reason)'

    def read(self, *tags):
        return self.__ask('plant.read', {'tags': _names(tags)})

    def trend(self, tags, start=None, end=None):
        return self.__ask('plant.trend', {'tags': _names([tags]), 'from': start, 'to': end})

    def tags(self, filter=None):
        return self.__ask('plant.tags', {'filter': filter})

    def propose_write(self, tag, value, reason=None):
        return self.__ask('plant.propose_write', {'tag': tag, 'value': value, 'reason': reason})


def _names(tags):
    out = []
    for tag in tags:
        out.extend(tag if isinstance(tag, (list, tuple, set)) else [tag])
    return [str(t) for t in out]

