"""The options of a document: read from its metadata here and nowhere else.

`docs/options.md` describes them to users. None of them has a side effect, for a document is
untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from cite_filter import metadata
from cite_filter.metadata import Meta
from cite_filter.pandoc_ast import Node, clean

KEY = "cite-filter"
_FLAT = KEY + "-"
_TRUE, _FALSE = ("true", "t", "yes"), ("false", "f", "no")


class Options(NamedTuple):
    """How markers and lists are drawn."""

    title: str | None = None
    """Over each list; None for the word in the language of the turn."""
    heading: int = 0
    """Level of the title as a heading, 1 to 6; 0 for an emphasised paragraph."""
    list: Literal["cited", "all", "none"] = "cited"
    host: bool = False
    """Whether each entry names its host after the title."""
    marker: Literal["superscript", "unicode"] = "superscript"
    space: Literal["collapse", "keep"] = "collapse"
    """What becomes of the breaking space before a raised marker."""
    target: Literal["source", "list"] = "source"
    """Where a marker leads: to the source, or to its entry in the list."""
    strict: bool = False
    """Whether an unknown or unsafe marker is an error."""


class _ValueError(ValueError):
    """A value that is not allowed; the message says what is."""


def _choice(*allowed: str) -> Callable[[str], str]:
    def read(written: str) -> str:
        value = written.strip().lower()
        if value not in allowed:
            raise _ValueError(" or ".join(allowed))
        return value

    return read


def _truth(written: str) -> bool:
    value = written.strip().lower()
    if value not in _TRUE + _FALSE:
        raise _ValueError("true or false")
    return value in _TRUE


def _level(written: str) -> int:
    value = written.strip()
    if value not in tuple("0123456"):
        raise _ValueError("a level from 0 to 6")
    return int(value)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "title": clean,
    "heading": _level,
    "list": _choice("cited", "all", "none"),
    "host": _truth,
    "marker": _choice("superscript", "unicode"),
    "space": _choice("collapse", "keep"),
    "target": _choice("source", "list"),
    "strict": _truth,
}
if tuple(_READERS) != Options._fields:
    raise AssertionError("every option has a reader")


def from_metadata(meta: Meta) -> tuple[Options, list[str]]:
    """The options of a document, and a warning for each key or value that is not known.

    A flat key (`cite-filter-marker`, which `-M` can set) wins over the map `cite-filter`.
    """
    values: dict[str, Any] = {}
    warnings: list[str] = []
    if "reference-section-title" in meta:
        values["title"] = clean(metadata.text(meta["reference-section-title"]))
    for key, name, value in _written(meta):
        reader = _READERS.get(name)
        if reader is None:
            warnings.append(f"unknown option {key!r}; allowed are {', '.join(_READERS)}")
            continue
        written = metadata.text(value)
        try:
            values[name] = reader(written)
        except _ValueError as allowed:
            warnings.append(f"option {key!r} is {clean(written)!r}; allowed is {allowed}")
    return Options(**values), warnings


def keys(meta: Meta) -> list[str]:
    """The metadata keys that are the filter's own."""
    return [key for key in meta if key == KEY or key.startswith(_FLAT)]


def _written(meta: Meta) -> Iterator[tuple[str, str, Node]]:
    """Each option as (the key as written, its name, its value), the flat ones last."""
    nested = meta.get(KEY)
    if nested is not None and nested["t"] == "MetaMap":
        for name, value in nested["c"].items():
            yield f"{KEY}: {name}", name, value
    elif nested is not None:
        yield KEY, "", nested
    for key in meta:
        if key.startswith(_FLAT):
            yield key, key.removeprefix(_FLAT), meta[key]
