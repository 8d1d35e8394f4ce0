"""A run of inlines as one flat text, in which whatever is no text is a character of its own."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from cite_filter.markers import LINE_BREAK
from cite_filter.notes import cited_source
from cite_filter.pandoc_ast import Inlines
from cite_filter.raw_html import raised
from cite_filter.turns import Turn

# Noncharacters: what a document's own text cannot be mistaken for.
_OPAQUE, _NOTE = "\ufdd0", "\ufdd2"
_OWN = str.maketrans(dict.fromkeys((_OPAQUE, _NOTE, LINE_BREAK), "\ufffd"))
_SIGNS = (_OPAQUE, _NOTE, LINE_BREAK)
_PLAIN = ("Str", "Space", "SoftBreak")
_FLAT = {"Space": " ", "SoftBreak": "\n", "LineBreak": LINE_BREAK}


class Edit(NamedTuple):
    """Code points of the flat text to be cut out, and what comes in their place."""

    start: int
    end: int
    inlines: Inlines


class Flat(NamedTuple):
    """A run of inlines as one text."""

    text: str
    offsets: list[int]
    """Where each inline begins in it, in code points."""
    notes: dict[int, str]
    """The places of notes that stand for a number."""
    inlines: Inlines
    raised: frozenset[int]
    """The positions of the inlines that raw tags raise."""

    def inline_at(self, offset: int) -> int:
        """The position of the inline that holds a place of the text."""
        return bisect_right(self.offsets, offset) - 1


def flatten(inlines: Inlines, kinds: list[str], turn: Turn, kept: frozenset[int]) -> Flat:
    """The text of `inlines`, whose types are `kinds`; those at the positions `kept` are no text."""
    parts = [
        node["c"] if kind == "Str" else _FLAT.get(kind, _OPAQUE)
        for node, kind in zip(inlines, kinds, strict=True)
    ]
    for position in kept:
        parts[position] = _OPAQUE * (len(parts[position]) or 1)
    text = "".join(parts)
    specials = len(kinds) - sum(map(kinds.count, _PLAIN))
    if kept or sum(map(text.count, _SIGNS)) != specials:  # the document has such characters
        parts = [
            part.translate(_OWN) if kind == "Str" and position not in kept else part
            for position, (part, kind) in enumerate(zip(parts, kinds, strict=True))
        ]
        text = "".join(parts)
    offsets = list(accumulate(map(len, parts), initial=0))
    offsets.pop()
    notes: dict[int, str] = {}
    if "Note" in kinds:
        for position, node in enumerate(inlines):
            number = cited_source(node, turn.sources) if kinds[position] == "Note" else None
            if number is not None and position not in kept:
                notes[offsets[position]] = number
    up = raised(inlines) if "RawInline" in kinds else frozenset()
    return Flat(text, offsets, notes, inlines, up)


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
    first, last = flat.inline_at(start), flat.inline_at(end - 1)
    inlines = flat.inlines[first : last + 1]
    _cut(inlines, -1, 0, end - flat.offsets[last])
    _cut(inlines, 0, start - flat.offsets[first], None)
    return inlines


def _cut(inlines: Inlines, position: int, start: int, end: int | None) -> None:
    """Keeps of a Str, at one end of `inlines`, a part of its text."""
    node = inlines[position]
    if node["t"] != "Str":
        return
    text = node["c"][start:end]
    if text != node["c"]:
        inlines[position] = {**node, "c": text}
