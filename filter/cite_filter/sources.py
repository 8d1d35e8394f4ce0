"""Numbering sources as an agent works, so that its answer can cite them.

A web tool of an agent prints its results with numbers (`format_results`, `format_page`), the model
cites by those numbers (`CITATION_PROMPT`), and what was numbered is stored with the call
(`ToolCallRecord`). One `SourceList` is one turn: the scope of its numbers.

>>> sources = SourceList()
>>> print(format_results([{"title": "Tides", "url": "https://example.org/tides"}], sources))
[1] Tides
    https://example.org/tides
>>> sources.add("The same page", "https://example.org/tides")
(1, None)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from cite_filter import urls
from cite_filter.fields import Fields, InvalidData

CITATION_PROMPT = """\
Cite your sources. The web tools print a number in square brackets before each result and each \
page, such as [3]. When a statement rests on one of them, write that number in square brackets \
right behind the statement: Cells on sale reach 300 Wh/kg [3]. Use only numbers that a tool \
printed in this turn, one number a marker; for several sources write several markers: [3][5]. \
Write the numbers in plain text, never as links or footnotes, and write no footnote definitions \
and no list of sources or references of your own: the list is added for you. What no source \
supports, say without a number."""
"""A paragraph for the system prompt of an agent whose tools print numbers."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page that a tool found, under the number it was printed with."""

    number: int
    title: str
    url: str
    more: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are not known here, kept as they were read."""

    @classmethod
    def from_json(cls, value: Any, place: str = "source") -> Source:
        """The source in parsed JSON. Raises InvalidData, which names place and value."""
        fields = Fields(value, place)
        number, title = fields.integer("index"), fields.text("title") or ""
        url = fields.text("url", required=True) or ""
        if not url.strip():
            raise InvalidData(f"{fields.at('url')}: empty; expected the address of the source")
        return cls(number, title, url, fields.rest())

    def to_json(self) -> dict[str, Any]:
        """The source as plain data."""
        return {"index": self.number, "title": self.title, "url": self.url, **self.more}


class SourceList(Sequence[Source]):
    """The sources of one turn, in the order in which they were numbered."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        """`sources` are those of the turn so far, where it goes on after it was stored."""
        self._sources: list[Source] = []
        self._numbers: dict[str, int] = {}
        for source in sources:
            self._sources.append(source)
            self._numbers.setdefault(source.url.strip(), source.number)
        self._next = 1 + max((source.number for source in self._sources), default=0)

    def add(self, title: str, url: str) -> tuple[int, Source | None]:
        """The number of a page, and the new source; None for a page that has its number already.

        Two URLs are one page where they are equal but for white space around them. Raises
        ValueError for an empty URL.
        """
        address = url.strip()
        if not address:
            raise ValueError("a source without a URL cannot be cited")
        known = self._numbers.get(address)
        if known is not None:
            return known, None
        source = Source(self._next, title, address)
        self._next += 1
        self._sources.append(source)
        self._numbers[address] = source.number
        return source.number, source

    @overload
    def __getitem__(self, index: int) -> Source: ...

    @overload
    def __getitem__(self, index: slice) -> list[Source]: ...

    def __getitem__(self, index: int | slice) -> Source | list[Source]:
        return self._sources[index]

    def __len__(self) -> int:
        return len(self._sources)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources)


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One call of a tool, with the sources that it, and no call before it, numbered."""

    tool: str
    input: Any = None
    """What it was called with, as plain data."""
    output: str | None = None
    """What it printed, where that is stored."""
    sources: Sequence[Source] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are not known here, kept as they were read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", tuple(self.sources))

    @classmethod
    def from_json(cls, value: Any, place: str = "tool call") -> ToolCallRecord:
        """The record in parsed JSON. Raises InvalidData, which names the place and value."""
        fields = Fields(value, place)
        return cls(
            tool=fields.text("tool", required=True) or "",
            input=fields.value("input"),
            output=fields.text("output"),
            sources=[Source.from_json(item, at) for item, at in fields.items("sources")],
            more=fields.rest(),
        )

    def to_json(self) -> dict[str, Any]:
        """The record as plain data; what is empty is left out."""
        known: dict[str, Any] = {
            "tool": self.tool,
            "input": self.input,
            "output": self.output,
            "sources": [source.to_json() for source in self.sources],
        }
        return {
            **{
                key: value
                for key, value in known.items()
                if key == "tool" or value not in (None, [])
            },
            **self.more,
        }


def collect_sources(calls: Iterable[ToolCallRecord]) -> list[Source]:
    """The sources of several calls, ordered by number; one that several calls hold stands once."""
    found: dict[tuple[int, str], Source] = {}
    for call in calls:
        for source in call.sources:
            found.setdefault((source.number, source.url.strip()), source)
    return sorted(found.values(), key=lambda source: source.number)


def format_results(results: Iterable[Mapping[str, Any]], sources: SourceList | None = None) -> str:
    """What a search prints to its model: each result with its number, its URL and its snippet.

    A result is a map with `url` and, where known, `title` and `snippet`. One whose URL could not be
    linked is printed without a number, for it cannot be cited. Nothing found registers nothing.
    Without `sources` the same form is printed, with numbers of its own.
    """
    sources = SourceList() if sources is None else sources
    entries = []
    for result in results:
        url, title = str(result.get("url") or "").strip(), _line(result.get("title"))
        head = title or urls.host(url) or url
        label = f"[{sources.add(title, url)[0]}] " if urls.is_linkable(url) else "- "
        body = [url, *str(result.get("snippet") or "").split("\n")]
        entries.append(
            "\n".join([label + head, *(f"    {line.strip()}" for line in body if line.strip())])
        )
    return "\n\n".join(entries) or "No results."


def format_page(
    title: str,
    url: str,
    body: str,
    links: Iterable[tuple[str, str]] = (),
    sources: SourceList | None = None,
) -> str:
    """What a fetched page looks like to the model: its number and title, its URL, its text.

    `links` are text and URL of links on the page; they get no numbers, for their pages were not
    read. A page whose URL could not be linked gets none either.
    """
    sources = SourceList() if sources is None else sources
    url, name = url.strip(), _line(title)
    label = f"[{sources.add(name, url)[0]}] " if urls.is_linkable(url) else ""
    parts = [f"{label}{name or urls.host(url) or url}\nURL: {url}", body.strip()]
    listed = "\n".join(f"- {_line(text)}: {address}" for text, address in links)
    if listed:
        parts.append(f"Links on page:\n{listed}")
    return "\n\n".join(part for part in parts if part)


def _line(text: Any) -> str:
    return " ".join(str(text or "").split())


def link_citations(markdown: str, sources: Iterable[Source]) -> tuple[str, list[int]]:
    """The Markdown with its citations as links, `[¹](url)`, and the numbers that it cites.

    Code, links and mathematics stay; a definition that only repeats a source goes. Without sources
    the very same text comes back.
    """
    from cite_filter import markdown_links

    return markdown_links.link_citations(markdown, sources)


def render_sources(
    sources: Iterable[Source], cited: Iterable[int] | None = None, *, language: str = "en"
) -> str:
    """The list of sources as Markdown: of those whose numbers `cited` holds, or of all.

    `language` is a language tag, for the word above the list.
    """
    from cite_filter import markdown_links

    return markdown_links.render_sources(sources, cited, language=language)
