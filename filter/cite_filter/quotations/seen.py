"""A passage of a source as a reader sees it: what is printed of a quotation that stands there."""

from __future__ import annotations

import re

from cite_filter.quotations.equivalences import opened_behind
from cite_filter.quotations.gaps import (
    BROKEN,
    QUOTATION_MARKS,
    kind,
    with_and_without_markers,
    without_markup,
)
from cite_filter.quotations.visible import LITERAL, SHIELDED, unshield
from cite_filter.quotations.words import SOFT_HYPHEN, SPACE, compact, word_pattern

_UNSEEN = re.compile(
    rf"{SOFT_HYPHEN}|[\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff\u034f]"
)


def seen(text: str, quote: str, *, marked: bool = True) -> str:
    """A passage of a visible text as a reader sees it, in one line, with its own characters.

    Mark-up goes, if the text is `marked`; lines are joined, and words that a line break parts, as
    in `quote`; reference markers go, unless the quotation has them.
    """
    text = compact(_UNSEEN.sub("", text).replace("\u00ad", "-"))
    if SHIELDED.search(quote):
        text = unshield(text)
    parts: list[str] = []
    last, before = 0, ""
    for match in [*word_pattern(text.isascii()).finditer(text), None]:
        start = len(text) if match is None else match.start()
        behind = "" if match is None else match[0]
        gap = text[last:start]
        if gap:
            parts.append(_seen_gap(gap, before, behind, quote, marked))
        if match is not None:
            parts.append(behind)
            before, last = behind, match.end()
    return " ".join(SPACE.sub(" ", "".join(parts).translate(LITERAL)).split())


def _seen_gap(gap: str, before: str, behind: str, quote: str, marked: bool) -> str:
    gap = with_and_without_markers(gap)[-1]
    if before and behind[:1].islower() and BROKEN.fullmatch(gap):
        if f"{before}- {behind}" in quote:
            return "- "
        return gap[0] if f"{before}-{behind}" in quote else ""
    if gap == "_":
        return gap  # within a name
    if gap.isspace():
        joins = "\n" in gap and kind(before[-1:]) == kind(behind[:1]) == "字"
        return "" if joins else gap
    return without_markup(gap, kind(before[-1:]), kind(behind[:1]), marked=marked)


def unwrapped(text: str) -> str:
    """`text` without quotation marks round the whole of it."""
    return text[1:-1].strip() if _is_wrapped(text) else text


def _is_wrapped(text: str) -> bool:
    marks = [p for p, c in enumerate(text) if c in QUOTATION_MARKS]
    words = [match.span() for match in word_pattern(text.isascii()).finditer(text)]
    if len(marks) < 2 or not words or marks[0] or marks[-1] < len(text) - 1:
        return False
    opened, last = 1, 0
    for position in marks[1:]:
        left, right = text[position - 1 : position], text[position + 1 : position + 2]
        if text[position] in "'’" and left.isalnum() and right.isalnum():
            continue  # an apostrophe
        opened = opened_behind(opened, text[last:position][-1:] + text[position])
        last = position
        if not opened and position < words[-1][1]:
            return False
    return True
