"""Sources and their numbers: read from YAML or from Pandoc's metadata, checked in one place.

A source is `{index, title, url}`; other keys are kept by whoever wrote them and ignored here.
`docs/format.md`, section 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter import plain_yaml, urls

# Named tuples here and in the rest of the core: dataclasses alone take longer to import than
# Python takes to start, and the filter is started for every document.
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_HIGHEST = 999_999_999
_MOST_NODES = 100_000


class SourcesError(Exception):
    """A list of sources that cannot be read, with what to do about it."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        """1-based, within the text that was read; None where the reader knows no lines."""


class NumberedSource(NamedTuple):
    """One source, under the number the agent's tool gave it."""

    number: int
    title: str
    url: str
    """Exactly as given."""
    line: int | None = None
    altered: bool = False
    """Pandoc's reader changed the URL beyond recovery, so `url` is only what is left of it."""

    @property
    def is_linkable(self) -> bool:
        """Whether its URL may be the target of a link."""
        return not self.altered and urls.is_linkable(self.url)

    @property
    def label(self) -> str:
        """What to call it: the title, else the host, else the URL; text on one line."""
        return (
            ast.clean(self.title)
            or (not self.altered and urls.host(self.url))
            or ast.clean(self.url)
        )


class Entry(NamedTuple):
    """One entry of a list of sources as it was written, before any check."""

    fields: Mapping[str, str | None]
    """Scalar values by key; None for a null and for anything that is no scalar."""
    line: int | None = None
    altered: bool = False


class Sources(NamedTuple):
    """A checked list of sources, by number."""

    by_number: Mapping[str, NumberedSource] = _NOTHING
    """Keyed by the number in ASCII digits, as markers have it."""
    conflicts: Mapping[str, Sequence[NumberedSource]] = _NOTHING
    """Numbers given to different URLs: unknown, for nothing is guessed."""
    repeated: Sequence[NumberedSource] = ()
    """Further entries of a number with the URL it already has."""
    by_url: Mapping[str, Sequence[str]] = _NOTHING
    """The numbers of each trimmed URL."""
    safe: frozenset[str] = frozenset()
    """The numbers whose source may be linked."""

    def in_order(self) -> list[NumberedSource]:
        """The sources by ascending number."""
        return sorted(self.by_number.values(), key=lambda source: source.number)

    def linkable(self, number: str) -> bool:
        """Whether a number names a source that may be linked."""
        return number in self.safe


def numbered(entries: Sequence[Entry]) -> Sources:
    """The checked sources of `entries`.

    Raises SourcesError where an entry has no URL, an index is no whole number from 1 on, or some
    entries have an index and some have none.
    """
    numbered = [entry for entry in entries if entry.fields.get("index") is not None]
    if numbered and len(numbered) < len(entries):
        missing = next(entry for entry in entries if entry.fields.get("index") is None)
        raise SourcesError(
            "an entry without index beside entries with one: number all or none", missing.line
        )
    found: dict[str, list[NumberedSource]] = {}
    for position, entry in enumerate(entries, start=1):
        source = _source(entry, position)
        found.setdefault(str(source.number), []).append(source)
    return _merge(found)


def merge(lists: Sequence[Sources]) -> Sources:
    """Several lists that serve one turn, as one; a number with two URLs becomes unknown."""
    if len(lists) == 1:
        return lists[0]
    found: dict[str, list[NumberedSource]] = {}
    for sources in lists:
        for source in (
            *sources.by_number.values(),
            *(source for many in sources.conflicts.values() for source in many),
            *sources.repeated,
        ):
            found.setdefault(str(source.number), []).append(source)
    return _merge(found)


def _merge(found: Mapping[str, list[NumberedSource]]) -> Sources:
    by_number: dict[str, NumberedSource] = {}
    conflicts: dict[str, Sequence[NumberedSource]] = {}
    repeated: list[NumberedSource] = []
    for key, candidates in found.items():
        if len({candidate.url.strip() for candidate in candidates}) > 1:
            conflicts[key] = candidates
        else:
            best = next((source for source in candidates if source.is_linkable), candidates[0])
            by_number[key] = best
            repeated += [source for source in candidates if source is not best]
    by_url: dict[str, list[str]] = {}
    for key, source in by_number.items():
        by_url.setdefault(source.url.strip(), []).append(key)
    safe = frozenset(key for key, source in by_number.items() if source.is_linkable)
    return Sources(by_number, conflicts, repeated, by_url, safe)


def _source(entry: Entry, position: int) -> NumberedSource:
    fields = entry.fields
    url = fields.get("url") or ""
    if not url.strip():
        raise SourcesError(
            f"entry {position} has no url: give each source its index, title and url", entry.line
        )
    index = fields.get("index")
    return NumberedSource(
        number=position if index is None else _index(index, entry),
        title=fields.get("title") or "",
        url=url,
        line=entry.line,
        altered=entry.altered,
    )


def _index(written: str, entry: Entry) -> int:
    digits = written.strip()
    if (
        digits.isascii()
        and digits.isdigit()
        and digits[0] != "0"
        and len(digits) <= len(str(_HIGHEST))
    ):
        return int(digits)
    shown = written if len(written) <= 20 else written[:20] + "…"
    raise SourcesError(
        f"index {ast.clean(shown)!r} is no whole number from 1 to {_HIGHEST}", entry.line
    )


# --- YAML, verbatim ------------------------------------------------------------------------------


def read_yaml(text: str, *, after: int = 0) -> Sources:
    """The sources of a `sources` block whose text comes after so many lines of its file.

    Raises SourcesError, with the line where one is known.
    """
    plain = plain_yaml.entries(text)
    if plain is None:
        return numbered(entries_of(compose(text, after=after), after=after))
    return numbered(
        [
            Entry({"index": index, "title": title, "url": url}, after + 1 + position)
            for position, (index, title, url) in zip(
                count(0, plain_yaml.LINES), plain, strict=False
            )
        ]
    )


def compose(text: str, *, after: int = 0) -> Any:
    """The YAML node of `text`: scalars stay the very text that was written, nothing is built.

    None for an empty document. Raises SourcesError for what is no YAML.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise SourcesError(
            f"invalid YAML: {error.problem or error.context}; quote values with a colon or a quote",
            after + mark.line + 1 if mark else None,
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SourcesError(f"invalid YAML: {ast.clean(str(error))}") from None
    if "*" in text and _size(node, {}) > _MOST_NODES:
        raise SourcesError(
            f"YAML that expands to over {_MOST_NODES:,} values; write no aliases (*)"
        )
    return node


def _size(node: Any, sizes: dict[int, float]) -> float:
    """How many values a node stands for with its aliases written out; infinite within itself."""
    if node is None or node.id == "scalar":
        return 1
    if id(node) not in sizes:
        sizes[id(node)] = float("inf")
        parts = node.value if node.id == "sequence" else [x for pair in node.value for x in pair]
        sizes[id(node)] = 1 + sum(_size(part, sizes) for part in parts)
    return sizes[id(node)]


def entries_of(node: Any, *, after: int = 0) -> list[Entry]:
    """The entries of a YAML sequence node. Raises SourcesError where it is none."""
    if node is None:
        return []
    if not _is(node, "sequence"):
        line = after + node.start_mark.line + 1
        raise SourcesError("sources is no list: write one '- index: …' entry a source", line)
    return [_entry(item, after) for item in node.value]


def pairs(node: Any, *, after: int = 0) -> dict[str, Any]:
    """The keys and value nodes of a YAML mapping node. Raises SourcesError for a doubled key."""
    found: dict[str, Any] = {}
    for key, value in node.value:
        if key.id == "scalar":
            if key.value in found:
                line = after + key.start_mark.line + 1
                raise SourcesError(f"key {ast.clean(key.value)!r} stands twice", line)
            found[key.value] = value
    return found


def _entry(node: Any, after: int) -> Entry:
    line = after + node.start_mark.line + 1
    if not _is(node, "mapping"):
        raise SourcesError("an entry is no map: give each source its index, title and url", line)
    fields = pairs(node, after=after)
    for key in ("index", "title", "url"):
        if key in fields and fields[key].id != "scalar":
            raise SourcesError(f"{key} is a list or a map; write it as text", line)
    return Entry({key: _scalar(value) for key, value in fields.items()}, line)


def _scalar(node: Any) -> str | None:
    if node.id != "scalar" or node.tag == "tag:yaml.org,2002:null":
        return None
    text: str = node.value
    return text


def _is(node: Any, kind: str) -> bool:
    return bool(node.id == kind)
