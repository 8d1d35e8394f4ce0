"""A run of inlines as one flat text, in which whatever is no text is a character of its own."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from cite_filter.markers import LINE_BREAK
from cite_filter.notes import cited_source
from cite_filter.pandoc_ast import Inlines, Node
from cite_filter.raw_html import raised
from cite_filter.turns import Turn

# Noncharacters: what a document's own text cannot be mistaken for.
_OPAQUE, _NOTE = "\ufdd0", "\ufdd2"
_OWN = str.maketrans(dict.fromkeys((_OPAQUE, _NOTE, LINE_BREAK), "\ufffd"))
_SIGNS = (_OPAQUE, _NOTE, LINE_BREAK)
_PLAIN = ("Str", "Space", "SoftBreak")
_NONE: frozenset[int] = frozenset()
_FLAT = {"SoftBreak": "\n", "LineBreak": LINE_BREAK}


class Edit(NamedTuple):
    """Code points of the flat text to be cut out, and what comes in their place."""

    start: int
    end: int
    inlines: Inlines


class Flat(NamedTuple):
    """A run of inlines as one text."""

    text: str
    offsets: list[int]
    """Where each inline begins in it, in code points, and where the last ends."""
    notes: dict[int, str]
    """The places of notes that stand for a number."""
    inlines: Inlines
    raised: frozenset[int]
    """The positions of the inlines that raw tags raise."""

    def inline_at(self, offset: int) -> int:
        """The position of the inline that holds a place of the text."""
        return bisect_right(self.offsets, offset) - 1


def parts_of(inlines: Inlines) -> list[str]:
    """The text of each inline, or the sign that stands for it."""
    return [
        node["c"]
        if (kind := node["t"]) == "Str"
        else (" " if kind == "Space" else _FLAT.get(kind, _OPAQUE))
        for node in inlines
    ]


def holds_more_than_words(text: str) -> bool:
    """Whether any inline of a flat text is no word and no space (or the text has such signs)."""
    return _OPAQUE in text or LINE_BREAK in text or _NOTE in text


def flatten(inlines: Inlines, parts: list[str], turn: Turn, kept: frozenset[int]) -> Flat:
    """`inlines` and their `parts` as one text; those at the positions `kept` are no text."""
    text = "".join(parts)
    if not holds_more_than_words(text):
        return Flat(text, _offsets(parts), {}, inlines, _NONE)
    kinds = [node["t"] for node in inlines]
    for position in kept:
        parts[position] = _OPAQUE * (len(parts[position]) or 1)
    specials = len(kinds) - sum(map(kinds.count, _PLAIN))
    if kept or sum(map(text.count, _SIGNS)) != specials:  # the document has such characters
        parts = [
            part.translate(_OWN) if kind == "Str" and position not in kept else part
            for position, (part, kind) in enumerate(zip(parts, kinds, strict=True))
        ]
    text = "".join(parts)
    offsets = _offsets(parts)
    notes: dict[int, str] = {}
    if "Note" in kinds:
        for position, node in enumerate(inlines):
            number = cited_source(node, turn.sources) if kinds[position] == "Note" else None
            if number is not None and position not in kept:
                notes[offsets[position]] = number
    up = raised(inlines) if "RawInline" in kinds else _NONE
    return Flat(text, offsets, notes, inlines, up)


def _offsets(parts: list[str]) -> list[int]:
    return list(accumulate(map(len, parts), initial=0))


def apply(edits: list[Edit], flat: Flat) -> Inlines:
    """The inlines with what the edits, in the order of the text, put in."""
    result: Inlines = []
    position = 0
    for edit in edits:
        result += between(position, max(edit.start, position), flat)
        result += edit.inlines
        position = edit.end
    result += between(position, len(flat.text), flat)
    return result


def between(start: int, end: int, flat: Flat) -> Inlines:
    """The inlines of a stretch of the text; a Str that is cut keeps the part inside."""
    if start >= end:
        return []
    offsets = flat.offsets
    first, last = bisect_right(offsets, start) - 1, bisect_right(offsets, end - 1) - 1
    inlines = flat.inlines[first : last + 1]
    if end < offsets[last + 1]:
        inlines[-1] = _cut(inlines[-1], 0, end - offsets[last])
    if start > offsets[first]:
        inlines[0] = _cut(inlines[0], start - offsets[first], None)
    return inlines


def _cut(node: Node, start: int, end: int | None) -> Node:
    """`node` with a part of its text, where it is text."""
    return {**node, "c": node["c"][start:end]} if node["t"] == "Str" else node
