"""JSON of any depth: by the standard library, and where that gives up, without recursion.

Its parser and its writer recurse, and end near a depth of 1,000. What does not is far slower.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|[^\s\[\]{},:"]++')


def loads(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for what is none."""
    try:
        return json.loads(text)
    except RecursionError:
        return loads_deep(text)


def dumps(value: Any) -> str:
    """The JSON text of a value, in ASCII: escapes carry even half a surrogate pair."""
    try:
        return json.dumps(value, separators=(",", ":"))
    except RecursionError:
        return dumps_deep(value)


def loads_deep(text: str) -> Any:
    """As `loads`, without recursion."""
    top: list[Any] = []
    stack: list[Any] = [top]
    keys: list[str | None] = [None]
    for token in _TOKEN.findall(text):
        if token in ("]", "}"):
            opened = stack.pop()
            keys.pop()
            if not stack or isinstance(opened, list) != (token == "]"):
                raise ValueError("brackets that do not match")
            continue
        inner = stack[-1]
        if isinstance(inner, dict) and keys[-1] is None:
            keys[-1] = json.loads(token)
            continue
        value: Any = [] if token == "[" else {} if token == "{" else json.loads(token)
        if isinstance(inner, dict):
            inner[keys[-1]] = value
            keys[-1] = None
        else:
            inner.append(value)
        if token in ("[", "{"):
            stack.append(value)
            keys.append(None)
    if len(stack) != 1 or len(top) != 1:
        raise ValueError("brackets that do not match")
    return top[0]


def dumps_deep(value: Any) -> str:
    """As `dumps`, without recursion."""
    pieces: list[str] = []
    stack: list[Iterator[str | _Value]] = [iter([_Value(value)])]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
        elif isinstance(item, str):
            pieces.append(item)
        else:
            stack.append(_parts(item.held))
    return "".join(pieces)


class _Value:
    """A value that is still to be written, told apart from text that is."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


def _parts(value: Any) -> Iterator[str | _Value]:
    if isinstance(value, dict):
        comma = "{"
        for key, held in value.items():
            yield f"{comma}{json.dumps(key)}:"
            yield _Value(held)
            comma = ","
        yield "}" if value else "{}"
    elif isinstance(value, list):
        comma = "["
        for held in value:
            yield comma
            yield _Value(held)
            comma = ","
        yield "]" if value else "[]"
    else:
        yield json.dumps(value)
