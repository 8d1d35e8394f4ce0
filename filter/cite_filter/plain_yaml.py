r"""The plainest way to write a list of sources, read without a YAML parser.

Nearly every `sources` block is of this one form, and to load and run a parser costs more than to
link a page. What is read here, a YAML parser reads the same way (a test says so); for anything
else the answer is None.

>>> entries("- index: 1\n  title: One\n  url: https://1.example/\n")
[('1', 'One', 'https://1.example/')]
>>> entries("- index: 1\n  title: A: b\n  url: https://1.example/\n") is None
True
"""

from __future__ import annotations

_KEYS = ("- index: ", "  title: ", "  url: ")
LINES = len(_KEYS)
"""Lines of an entry."""

_NULLS = ("null", "Null", "NULL")


def entries(text: str) -> list[tuple[str, str, str]] | None:
    """Index, title and URL of each entry; None for any other form."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if len(lines) % LINES:
        return None
    values: list[str] = []
    for position, line in enumerate(lines):
        key = _KEYS[position % LINES]
        held = value(line[len(key) :]) if line.startswith(key) else None
        if held is None:
            return None
        values.append(held)
    return list(zip(values[0::LINES], values[1::LINES], values[2::LINES], strict=True))


def value(scalar: str) -> str | None:
    """The text of a scalar that stands on one line; None where YAML might see more in it."""
    first = scalar[:1]
    if not scalar.isprintable():
        return None
    if first.isascii() and first.isalnum():
        special = ": " in scalar or " #" in scalar or scalar[-1] in ": " or scalar in _NULLS
        return None if special else scalar
    inner = scalar[1:-1]
    if len(scalar) < 2 or scalar[-1] != first:
        return None
    if first == "'" and "'" not in inner.replace("''", ""):
        return inner.replace("''", "'")
    if first == '"' and '"' not in inner and "\\" not in inner:
        return inner
    return None
