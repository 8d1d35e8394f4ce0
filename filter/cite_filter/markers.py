r"""The grammar of citation markers: the one place that says what `[1]`, `[2, 3]`, `[^4]` are.

It works on a stretch of flat text and reports where markers stand and what role each plays; what
a number means is not its business. `docs/format.md`, section 2, is the table this implements.

>>> [m.numbers for m in find("See [1][2] and [^3, 4], not [01].")]
[('1',), ('2',), ('3', '4')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

LINE_BREAK = "\ufdd1"
"""Stands for a hard line break in flat text; a line starts after it, no marker runs over it."""

Role = Literal["marker", "structure", "definition"]

# Possessive throughout, so that a megabyte of "[1,1,1," is read once. ASCII digits only, no
# leading zero: "[١]" and "[01]" are text.
_MARKER = re.compile(r"\[\^?+[1-9][0-9]*+(?:,[ \t]*+\n?+[ \t]*+\^?+[1-9][0-9]*+)*+\]")
_NUMBER = re.compile(r"[0-9]+")
_LINE_ENDS = "\n" + LINE_BREAK
_ENDS = ")]}\"'”’»!?…*_`~\ufdd0\ufdd2"


class Marker(NamedTuple):
    """One bracketed marker, with its place in code points of the text it was found in."""

    start: int
    end: int
    numbers: tuple[str, ...]
    """The numbers as written, in ASCII digits; text, for they may be of any length."""
    role: Role
    """`structure`: part of a link or image, left alone. `definition`: `[1]:` at a line's start."""
    caret: bool
    """Whether it was written `[^1]`."""


def find(text: str, *, line_start: bool = True) -> Iterator[Marker]:
    """The markers of `text`, in order; `line_start` says whether `text` begins a line."""
    chain: list[re.Match[str]] = []
    for match in _MARKER.finditer(text):
        if chain and chain[-1].end() != match.start():
            yield from _chain(text, chain, line_start)
            chain = []
        chain.append(match)
    if chain:
        yield from _chain(text, chain, line_start)


def _chain(text: str, chain: list[re.Match[str]], line_start: bool) -> Iterator[Marker]:
    """The markers of a run without gaps: what stands before and behind it decides for all."""
    role: Role = "marker"
    if _is_structure(text, chain[0].start(), chain[-1].end()):
        role = "structure"
    elif len(chain) == 1 and _is_definition(text, chain[0], line_start):
        role = "definition"
    for match in chain:
        written = match[0]
        numbers = tuple(_NUMBER.findall(written))
        yield Marker(match.start(), match.end(), numbers, role, written[1] == "^")


def _is_structure(text: str, start: int, end: int) -> bool:
    if text[end : end + 1] in ("(", "["):
        return True
    before = text[start - 1 : start]
    if before == "]":
        return True
    return before == "!" and not _ends_a_word(text[start - 2 : start - 1] if start > 1 else "")


def _ends_a_word(character: str) -> bool:
    """Whether an exclamation mark behind `character` is one: behind a word or its like."""
    return character.isalnum() or (character != "" and character in _ENDS)


def _is_definition(text: str, match: re.Match[str], line_start: bool) -> bool:
    if text[match.end() : match.end() + 1] != ":" or "," in match[0]:
        return False
    start = match.start()
    return text[start - 1] in _LINE_ENDS if start else line_start
