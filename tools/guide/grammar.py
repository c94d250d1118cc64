"""The question patterns of data/: [a|b] picks one, [|a] may be left out, {name} is a macro."""

import functools
import re


class Grammar:
    """Expands patterns at random. `macros` maps a name to a pattern or to a function of the random
    generator that returns text."""

    def __init__(self, macros):
        self.macros = macros

    def expand(self, pattern, rng):
        """One text out of `pattern`; KeyError for an unknown macro."""
        return tidy(self._walk(parse(pattern), rng))

    def _walk(self, nodes, rng):
        out = []
        for kind, value in nodes:
            if kind == "text":
                out.append(value)
            elif kind == "pick":
                out.append(self._walk(rng.choice(value), rng))
            else:
                macro = self.macros[value]
                out.append(macro(rng) if callable(macro) else self._walk(parse(macro), rng))
        return "".join(out)


def tidy(text):
    """Single spaces, and none before a comma."""
    return re.sub(r" ([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip()


@functools.lru_cache(maxsize=None)
def parse(pattern):
    """The pattern as a list of ("text", str), ("pick", [nodes]) and ("macro", name).

    A "{" that does not begin a macro name stands for itself, and a "[" without "|" up to its end too.
    """
    nodes, rest = _sequence(pattern, 0, False)
    if rest != len(pattern):
        raise ValueError(f"unbalanced ] in: {pattern}")
    return nodes


def _sequence(s, i, inside):
    nodes, text = [], ""
    while i < len(s):
        macro = re.match(r"\{([a-z]+)\}", s[i:])
        if macro:
            nodes += [("text", text), ("macro", macro[1])]
            text, i = "", i + macro.end()
        elif s[i] == "[":
            nodes.append(("text", text))
            text, i = "", i + 1
            options = []
            while True:
                option, i = _sequence(s, i, True)
                options.append(option)
                if i >= len(s):
                    raise ValueError(f"missing ] in: {s}")
                i += 1
                if s[i - 1] == "]":
                    break
            nodes.append(("pick", options))
        elif inside and s[i] in "|]":
            break
        elif s[i] == "]":
            break
        else:
            text, i = text + s[i], i + 1
    return nodes + [("text", text)], i


def read_macros(path):
    """name -> pattern, from lines "name pattern"."""
    return dict(line.split(" ", 1) for line in content_lines(path))


def content_lines(path):
    """The lines of a data file without comments and blank lines."""
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
