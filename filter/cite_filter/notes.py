"""Copies of sources that a model writes: footnotes and definitions that only repeat an entry."""

from __future__ import annotations

import re

from cite_filter.pandoc_ast import Inlines, Node, inner_inlines
from cite_filter.sources import Source, Sources

_WORDS = re.compile(r"\w+")
_URL = re.compile(r"https?://[^\s<>\"]+", re.I)


def is_copy(written: str, source: Source) -> bool:
    """Whether a note only says what the entry of `source` says.

    It names the page of the source (whatever query or fragment a model added), or no page, and
    then its words are the title's or the title's are among them. Anything else is a note of the
    reader's or the writer's own, which must not be lost.
    """
    addresses = [address.rstrip(".,;)") for address in _URL.findall(written)]
    if addresses:
        return any(_page(address) == _page(source.url.strip()) for address in addresses)
    said, title = (_WORDS.findall(text.casefold()) for text in (written, source.label))
    return bool(said) and bool(title) and (_holds(title, said) or _holds(said, title))


def _page(url: str) -> tuple[str, str]:
    """The host and the path of a URL, for two that lead to one page."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        return ("", url)
    return (parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"))


def _holds(words: list[str], run: list[str]) -> bool:
    """Whether `run` stands in `words`, one word after the other."""
    return f" {' '.join(run)} " in f" {' '.join(words)} "


def cited_source(note: Node, sources: Sources) -> str | None:
    """The number of the one source that a Note names by its exact URL, if it names one alone.

    A note of several blocks is the reader's own, whatever it names.
    """
    blocks = note["c"]
    if not sources.by_number or len(blocks) != 1 or blocks[0]["t"] not in ("Para", "Plain"):
        return None
    named = set(words(blocks[0]["c"]))
    numbers = [key for word in named for key in sources.by_url.get(word, ())]
    if len(numbers) != 1 or not sources.linkable(numbers[0]):
        return None
    return numbers[0]


def words(inlines: Inlines) -> list[str]:
    """The words of inlines, also without the punctuation behind them, and the targets of links."""
    found: list[str] = []
    stack = list(reversed(inlines))
    while stack:
        inline = stack.pop()
        if inline["t"] == "Link":
            if "citation" not in inline["c"][0][1]:
                found.append(inline["c"][2][0])
            stack += reversed(inline["c"][1])
        elif inline["t"] == "Str":
            word = inline["c"]
            found += dict.fromkeys((word, word.rstrip(".,;")))
        else:
            stack += reversed(inner_inlines(inline) or [])
    return found
