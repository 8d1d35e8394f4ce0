"""Copies of sources that a model writes: footnotes and definitions that only repeat an entry."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from cite_filter.pandoc_ast import Inlines, Node, inner_inlines
from cite_filter.source_lists import NumberedSource, Sources

Relation = Literal["copy", "citation", "other"]

_WORDS = re.compile(r"\w+")
_URL = re.compile(r"https?://[^\s<>\"”「」『』]+", re.I)
_CLOSERS = ".,;:!?*_~'’。、，）"
_TRACKING = re.compile(r"(?:^|&)utm_[^&]*", re.I)
# Words beyond the title that an entry may have: an author, a publisher, a year, "accessed on".
_FEW, _SOME = 4, 8


def compare(written: str, source: NumberedSource) -> Relation:
    """What a note that stands under the number of `source` is to it.

    `copy`: it says what the entry says, and nothing is lost with it: it names the source's page
    (with what tracking a model added) or its title, with few other words. `citation`: it names the
    page and says more. `other`: it is a note of the text's own, or names another page.
    """
    found = addresses(written)
    title, known = _words(source.label)
    said = _WORDS.findall(_URL.sub(" ", _unescaped(written)).casefold())
    others = len([word for word in said if word not in known])
    if found:
        if any(_page(address) != _page(source.url.strip()) for address in found):
            return "other"
        return "copy" if others <= _SOME else "citation"
    whole = _holds(said, title) or (len(said) > 1 and _holds(title, said))
    return "copy" if said and title and whole and others <= _FEW else "other"


def addresses(written: str) -> list[str]:
    """The URLs in a text of Markdown, without the punctuation of the sentence."""
    found = []
    for url in _URL.findall(_unescaped(written)):
        address = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", url)
        found.append(without_closers(address, _CLOSERS))
    return found


def without_closers(url: str, closers: str) -> str:
    """A URL without the punctuation of the sentence, and without a parenthesis it does not open."""
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end and (url[end - 1] in closers or (url[end - 1] == ")" and surplus > 0)):
        end -= 1
        surplus -= url[end] == ")"
    return url[:end]


@lru_cache
def _words(text: str) -> tuple[list[str], frozenset[str]]:
    words = _WORDS.findall(text.casefold())
    return words, frozenset(words)


def _unescaped(text: str) -> str:
    """`text` with its entities as characters."""
    if "&" not in text:
        return text
    import html

    return html.unescape(text)


def _page(url: str) -> tuple[str, str, str]:
    """The host, the path and the query of a URL, for two that lead to one page."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:
        return ("", url, "")
    host = parts.netloc.lower().removesuffix(":443").removesuffix(":80").removeprefix("www.")
    return (host, parts.path.rstrip("/"), _TRACKING.sub("", parts.query).lstrip("&"))


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


def text_of(inlines: Inlines) -> str:
    """The words of inlines and the targets of their links, as one text."""
    return " ".join(word for word, _ in _pieces(inlines))


def words(inlines: Inlines) -> list[str]:
    """The words of inlines, also without the punctuation behind them, and the targets of links."""
    return [form for forms in _pieces(inlines) for form in forms]


def _pieces(inlines: Inlines) -> list[tuple[str, str]]:
    """Each word or target, as it is and without punctuation behind it."""
    found: list[tuple[str, str]] = []
    stack = list(reversed(inlines))
    while stack:
        inline = stack.pop()
        if inline["t"] == "Link":
            target = inline["c"][2][0]
            if "citation" not in inline["c"][0][1]:
                found.append((target, target))
            if inline["c"][1] != [{"t": "Str", "c": target}]:
                stack += reversed(inline["c"][1])
        elif inline["t"] == "Str":
            word = inline["c"]
            found.append((word, word.rstrip(".,;")))
        else:
            stack += reversed(inner_inlines(inline) or [])
    return found
