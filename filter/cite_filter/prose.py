r"""Where in a text of Markdown its prose stands: not in code, mathematics, tags, links.

A mask is the text with a sign for every character that is no prose, so that a place in the mask is
a place in the text.

>>> mask("By [1], `[2]` and [3](x).").replace(OPAQUE, "#")
'By [1], ##### and ######.'
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from cite_filter.dollars import formulas

OPAQUE = "\ufdd0"
"""Stands for a character that is no prose; a noncharacter, which `markers` takes for no text."""

_BACKTICKS = re.compile(r"`++")
_ESCAPE_OR_BACKTICKS = re.compile(r"\\[!-/:-@\[-_{-~]|`++")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)[^<>]*>|<(?:https?|mailto):[^<>\s]*>")
_KEEPING = frozenset(("a", "code", "kbd", "pre", "samp", "script", "style", "textarea"))
_BARE_URL = re.compile(r"(?:https?://|www\.)[^\s<>\[\]\ufdd0]+", re.I)
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_BRACKET = re.compile(r"\\.|!?\[|\]", re.S)
_DESTINATION = re.compile(
    r"\(\s*+(?:<[^<>\n]*+>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*+\))*+\))*+)"
    r"(?:\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+\s*+\)",
    re.S,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.S)
_NUMBERS = re.compile(r"\^?[0-9]+(?:,\s*\^?[0-9]+)*")


def mask(text: str) -> str:
    """The text, with a sign for every character that is no prose."""
    tokens, definitions = _parsed(text)
    pieces: list[str] = []
    done = 0
    for start, end in _paragraphs(text, tokens):
        pieces += [
            _opaque(text[done:start]),
            _without_links(_mask_inline(text[start:end]), definitions),
        ]
        done = end
    return "".join([*pieces, _opaque(text[done:])])


class Paragraph(NamedTuple):
    """A stretch of a text that holds inlines."""

    start: int
    mask: str
    is_paragraph: bool
    """No heading and no row of a table."""


def paragraphs(text: str) -> Iterator[Paragraph]:
    """The stretches of the text that hold inlines, in order."""
    tokens, definitions = _parsed(text)
    first_lines = {
        token.map[0]
        for before, token in pairwise(tokens)
        if token.type == "inline" and token.map and before.type == "paragraph_open"
    }
    line = position = 0
    for start, end in _paragraphs(text, tokens):
        line += text.count("\n", position, start)
        position = start
        masked = _without_links(_mask_inline(text[start:end].rstrip("\n")), definitions)
        yield Paragraph(start, masked, line in first_lines)


def mask_code(text: str) -> str:
    """The text, with a sign for every character of code."""
    tokens, _ = _parsed(text)
    lines = text.split("\n")
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            for position in range(token.map[0], min(token.map[1], len(lines))):
                lines[position] = OPAQUE * len(lines[position])
    text = "\n".join(lines)
    pieces: list[str] = []
    done = 0
    for start, end in _paragraphs(text, tokens):
        pieces += [text[done:start], _mask_spans(text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])


def _parsed(text: str) -> tuple[list[Any], frozenset[str]]:
    """The blocks of the text, and the labels of its definitions in lower case."""
    from markdown_it import MarkdownIt

    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(text, environment)
    labels = environment.get("references", {})
    return tokens, frozenset(" ".join(label.split()).casefold() for label in labels)


def _paragraphs(text: str, tokens: list[Any]) -> Iterator[tuple[int, int]]:
    """The stretches of the text that hold inlines, in order."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    maps = {tuple(token.map) for token in tokens if token.type == "inline" and token.map}
    done = 0
    for first, last in sorted(maps):
        start, end = starts[first], min(starts[min(last, len(starts) - 1)], len(text))
        if start >= done:
            yield start, end
            done = end


def _opaque(text: str) -> str:
    """As many signs, with the line ends of the text."""
    return "\n".join(OPAQUE * len(line) for line in text.split("\n"))


def _masked(text: str, found: Iterator[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in found:
        if start < done:
            continue
        pieces += [text[done:start], _opaque(text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])


def _mask_spans(text: str) -> str:
    return _masked(text, _code_spans(text))


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    closers: dict[str, deque[int]] | None = None
    while opening := _ESCAPE_OR_BACKTICKS.search(text, position):
        position = opening.end()
        if not opening[0].startswith("`"):
            continue
        if closers is None:
            closers = {}
            for run in _BACKTICKS.finditer(text):
                closers.setdefault(run[0], deque()).append(run.end())
        ends = closers.get(opening[0], deque())
        while ends and ends[0] <= opening.end():
            ends.popleft()
        if ends:
            yield opening.start(), ends[0]
            position = ends[0]


def _mask_inline(text: str) -> str:
    text = _mask_spans(text)
    text = _masked(text, formulas(text))
    text = _masked(text, (match.span() for match in _ESCAPE.finditer(text)))
    if "<" in text:
        text = _masked(text, iter(sorted(_comments(text))))
        text = _masked(text, iter(sorted(_tags(text), key=lambda span: (span[0], -span[1]))))
    if "[" in text:
        return text
    return _masked(text, (match.span() for match in _BARE_URL.finditer(text)))


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        yield start, end + 3
        start = text.find("<!--", end)


def _tags(text: str) -> Iterator[tuple[int, int]]:
    """The tags of HTML, and whatever stands between those that keep it."""
    name, start = "", 0
    for tag in _TAG.finditer(text):
        yield tag.span()
        this = (tag[1] or "").lower()
        if not name and this in _KEEPING and not tag[0].startswith("</"):
            name, start = this, tag.start()
        elif name and this == name and tag[0].startswith("</"):
            yield start, tag.end()
            name = ""


def _without_links(text: str, definitions: frozenset[str]) -> str:
    """The paragraph with its links and images masked, then its bare URLs."""
    spans = sorted(_links(text, definitions)) if "](" in text or definitions else []
    text = _masked(text, iter(spans))
    return _masked(text, (match.span() for match in _BARE_URL.finditer(text)))


def _links(text: str, definitions: frozenset[str]) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    position = 0
    while bracket := _BRACKET.search(text, position):
        position = bracket.end()
        if bracket[0].endswith("["):
            opened.append(bracket.start())
        elif bracket[0] == "]" and opened:
            start = opened.pop()
            end = _end_of_link(text, start, bracket.start(), definitions)
            if end is not None:
                yield start, end
                position = end


def _end_of_link(text: str, start: int, bracket: int, definitions: frozenset[str]) -> int | None:
    """Where the link ends whose text ends at `bracket`; None where it is none."""
    destination = _DESTINATION.match(text, bracket + 1)
    if destination:
        return destination.end()
    shown = text[text.index("[", start) + 1 : bracket]
    label = _LABEL.match(text, bracket + 1)
    if label and not _NUMBERS.fullmatch(shown):
        named = label[1] or shown
        return label.end() if " ".join(named.split()).casefold() in definitions else None
    if not _NUMBERS.fullmatch(shown) and " ".join(shown.split()).casefold() in definitions:
        return bracket + 1
    return None
