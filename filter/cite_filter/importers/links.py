"""Citations in the form of links, for exports that keep no others.

A link in parentheses of its own, `([Tides](https://example.org/tides))`, is a citation: a marker
takes its place. A link within a sentence stays one, and its source is listed. A list of links
under "Sources" at the end of an answer is taken off, and what it names is listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cite_filter.importers.answers import Answer, Cited, citing
from cite_filter.importers.source_headings import names_sources
from cite_filter.prose import mask_code

_URL = r"https?://(?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*+\))*+\))++"
_LINK = (
    r"\[(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*+\])*+\]"
    rf"\([ \t]*+(?:<https?://[^<>\n]*+>|{_URL})"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?+[ \t]*+\)"
)
_PARTS = re.compile(
    r"\[(?P<label>(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*+\])*+)\]\([ \t]*+(?P<url><[^<>\n]*+>|\S+)", re.S
)
_ONE = re.compile(rf"(?<![\\!]){_LINK}")
_OWN_PARENTHESES = re.compile(
    rf"(?<![\]\\])\({_LINK}(?:[ \t]*(?:[,;|·、，；]|and\b|&)?[ \t]*{_LINK})*\)"
)
_BULLET = re.compile(
    r"[ \t]*+(?:[-*+•][ \t]++|(?P<number>\d{1,3}[.)][ \t]++|\[\d{1,3}\][:.]?[ \t]*+))?"
)
_ENTRY = re.compile(rf"(?P<link>{_LINK})[ \t.,;]*|<?(?P<bare>{_URL})>?[ \t.,;]*")
_RULE = re.compile(r"\n[ \t]*(?:---+|\*\*\*+)\s*\Z")
_START_OF_URL = re.compile(r"(<?)(?=https?://)")
_LONGEST_RULE = 200
_ON_ONE_LINE = re.compile(rf"{_LINK}(?:[ \t]*[,;|·、，；][ \t]*{_LINK})*[ \t.]*")


class Link(NamedTuple):
    """A link in a text of Markdown; places in code points."""

    start: int
    end: int
    label: str
    url: str


class _List(NamedTuple):
    """The list of sources at the end of an answer."""

    start: int
    links: list[Link]
    is_numbered: bool


def cite_links(answer: Answer, source: Callable[[Link], Cited | None]) -> None:
    """Makes citations of the links in the text of an answer.

    `source` says what a link names; None where it names no source, so that it stays as it is. What
    a list at the end names, the answer itself calls its source.
    """
    masked = mask_code(answer.text)
    listed = _list(answer.text, masked)
    end = listed.start if listed else len(answer.text)
    for match in _OWN_PARENTHESES.finditer(masked, 0, end):
        links = list(_links(answer.text, masked, match.start(), match.end()))
        cited = [found for link in links if (found := source(link)) is not None]
        if len(cited) == len(links):
            answer.cite(match.start(), match.end(), cited)
    for link in _links(answer.text, masked, 0, end):
        named = source(link)
        if named is not None:
            answer.list(named)  # once more, and so nothing, where it is cited
    if listed:
        for link in listed.links:
            answer.list(source(link) or Cited(link.url, link.label))
        if not (listed.is_numbered and any(citing(answer.text[:end]))):
            answer.replace(len(answer.text[:end].rstrip()), len(answer.text), "")


def _links(text: str, masked: str, start: int, end: int) -> Iterator[Link]:
    """The links of a stretch of the text whose code is masked."""
    for match in _ONE.finditer(masked, start, end):
        yield _link(text, *match.span())


def _link(text: str, start: int, end: int) -> Link:
    from markdown_it.common.utils import unescapeAll

    parts = _PARTS.match(text, start, end - 1)
    label, url = (parts["label"], parts["url"]) if parts else ("", "")
    return Link(start, end, unescapeAll(label), unescapeAll(url.strip("<>")))


def _list(text: str, masked: str) -> _List | None:
    """The list of links at the end of the text, under a line that says what it is."""
    links: list[Link] = []
    numbered = False
    start, end, line = 0, len(masked.rstrip()), ""
    while end > 0:
        start = masked.rfind("\n", 0, end) + 1
        line = masked[start:end]
        entry = _entry(text, line, start)
        if entry is None and line.strip():
            break
        if entry is not None:
            links.append(entry[0])
            numbered = numbered or entry[1]
        end = start - 1
    else:
        return None
    links.reverse()
    if not links:
        line, _, behind = line.replace("：", ":").partition(":")
        if _ON_ONE_LINE.fullmatch(behind.strip(" \t*_")):
            links = list(_links(text, masked, start, end))
    if not links or not names_sources(line):
        return None
    rule = _RULE.search(text, max(start - _LONGEST_RULE, 0), start)
    return _List(rule.start() if rule else start, links, numbered)


def _entry(text: str, line: str, base: int) -> tuple[Link, bool] | None:
    """What a line of a list names, and whether it is numbered; None for a line that says more."""
    bullet = _BULLET.match(line)
    place = bullet.end() if bullet else 0
    is_numbered = bullet is not None and bullet["number"] is not None
    entry = _ENTRY.fullmatch(line, place)
    if entry and entry["link"]:
        return _link(text, base + entry.start("link"), base + entry.end("link")), is_numbered
    found = _START_OF_URL.search(line, place)
    if found is None:
        return None
    bare = found.end(1)
    entry = _ENTRY.fullmatch(line, found.start())
    title = line[place : found.start()].strip(' \t:—–-*_"')
    if entry is None or "[" in title or "<" in title:
        return None
    url = entry["bare"].rstrip(".,;")
    return Link(base + bare, base + bare + len(url), title, url), is_numbered
