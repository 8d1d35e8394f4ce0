"""Annotations that name a stretch of an answer: by offsets, by what it says, by a link in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from cite_filter.importers.answers import Answer, Cited, without_tracking
from cite_filter.importers.chats import cite_at
from cite_filter.importers.marks import in_prose
from cite_filter.importers.values import Unit, spans
from cite_filter.importers.words import is_within_word

UNITS: Sequence[Unit] = ("code points", "utf-16", "utf-8")

_URL = r"https?://[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*"
_LINK = re.compile(rf"\(?\[([^\[\]\n]*)\]\(({_URL})\)\)?\Z")
_IN_PARENTHESES = re.compile(rf"\(\[([^\[\]\n]*)\]\(({_URL})\)\)")
_LONGEST_LINK = 4000
_NUMBERED = re.compile(rf"\[\[([0-9]+)\]\]\(({_URL})\)")


class Named(NamedTuple):
    """A source that an annotation names, and its offsets as given."""

    cited: Cited
    start: Any
    end: Any


def annotate(
    answer: Answer, base: int, text: str, named: Sequence[Named], units: Sequence[Unit] = UNITS
) -> int:
    """Puts markers into the answer, in which `text` begins at `base`.

    A link `([site](url))` that a stretch is or ends with gives way to the marker, and so does
    `[[1]](url)`; else the marker stands behind the stretch. Returns how many sources have no place,
    and are listed.
    """
    titles = {without_tracking(one.cited.url): one.cited.title for one in reversed(named)}
    links: dict[tuple[int, int], list[Cited]] = {}
    for match in in_prose(text, _NUMBERED):
        links[match.span()] = [Cited(match[2], titles.get(without_tracking(match[2]), ""))]
    placed: list[tuple[int, Cited]] = []
    unplaced: set[str] = set()
    for one, span in zip(named, _spans(text, named, units), strict=True):
        if span is None:
            answer.list(one.cited)
            unplaced.add(one.cited.url)
        elif (link := _written(text, *span, one.cited.url)) is not None:
            links.setdefault(link, []).append(one.cited)
        elif not any(
            start < span[1] <= end and _same(one.cited.url, cited.url)
            for (start, end), sources in links.items()
            for cited in sources
        ):
            placed.append((base + span[1], one.cited))
    for (start, end), sources in links.items():
        answer.cite(base + start, base + end, sources)
    cite_at(answer, placed)
    cited = [cited for sources in links.values() for cited in sources]
    cited += [cited for _, cited in placed]
    return len(unplaced - {cited.url for cited in cited})


def written_links(text: str, sources: Sequence[Cited]) -> list[tuple[int, int, Cited]]:
    """The links `([site](url))` in the text that lead to one of the sources."""
    known = {without_tracking(cited.url): cited for cited in reversed(sources)}
    return [
        (*match.span(), known[without_tracking(match[2])])
        for match in in_prose(text, _IN_PARENTHESES)
        if without_tracking(match[2]) in known and match[1].lower() in match[2].lower()
    ]


def ends(
    text: str, offsets: Sequence[tuple[Any, Any]], said: Sequence[str], units: Sequence[Unit]
) -> list[int | None]:
    """Where each stretch ends: where the offsets and what it says agree; None where they do not.

    A stretch that is not said to say something must begin and end between words.
    """

    def fits(n: int, start: int, end: int) -> bool:
        return text[start:end] == said[n] if said[n] else _is_whole(text, start, end)

    return [span and span[1] for span in spans(text, offsets, fits, units)]


def end_of_only(text: str, said: str) -> int | None:
    """Where the text says this, if it does so once."""
    if not said.strip() or text.count(said) != 1:
        return None
    return text.index(said) + len(said)


def _is_whole(text: str, start: int, end: int) -> bool:
    return start < end and not is_within_word(text, start) and not is_within_word(text, end)


def _spans(
    text: str, named: Sequence[Named], units: Sequence[Unit]
) -> list[tuple[int, int] | None]:
    """The stretches in code points; None for what has none, or one that begins within a word."""

    def fits(n: int, start: int, end: int) -> int:
        link = _link(text, start, end)
        if link is not None and _same(link[2], named[n].cited.url):
            return 100
        within = is_within_word(text, start) or is_within_word(text, end)
        return int(end > 0 and not within)

    return spans(text, [(one.start, one.end) for one in named], fits, units)


def _link(text: str, start: int, end: int) -> re.Match[str] | None:
    """The link that a stretch is or ends with."""
    if text[end - 1 : end] != ")":
        return None
    return _LINK.search(text, max(start, end - _LONGEST_LINK), end)


def _written(text: str, start: int, end: int, url: str) -> tuple[int, int] | None:
    """Where `([site](url))` stands that a stretch is or ends with; None for any other link.

    A link with words of the answer, or without parentheses, is left: it may be part of a sentence.
    """
    link = _link(text, start, end)
    if link is None or not _same(link[2], url) or link[1].lower() not in url.lower():
        return None
    first, last = link.span()
    if text[first] != "(":
        first -= 1
    if not text[first:last].endswith("))"):
        last += 1
    whole = first >= 0 and text[first] == "(" and text[last - 2 : last] == "))"
    return (first, last) if whole else None


def _same(one: str, other: str) -> bool:
    return without_tracking(one) == without_tracking(other)
