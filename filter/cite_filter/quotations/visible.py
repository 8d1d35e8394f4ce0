"""What a reader sees of a source: its text without mark-up, with the way back to every character.

Tags, comments, link targets and the like go, entities are decoded once. Reference markers such as
`[12]` stay, in private characters (`references`): a quotation may have them or leave them out.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

from cite_filter.answers import Form
from cite_filter.quotations.markup import Markup
from cite_filter.quotations.references import LITERAL, SHIELDED, shield, unshield

__all__ = ["LITERAL", "SHIELDED", "Visible", "shield", "unshield"]


class Visible:
    """The visible text of a source."""

    __slots__ = ("_from", "_text_ends", "_text_starts", "_to", "text")

    def __init__(self, text: str, form: Form, *, is_passage: bool = False) -> None:
        """`is_passage` says that the text is one of a page, and may begin anywhere in it."""
        # For each place that differs: its extent in `self.text`, and that in the source's text.
        self._text_starts, self._text_ends = array("L"), array("L")
        self._from, self._to = array("L"), array("L")
        parts: list[str] = []
        last = length = 0
        for start, end, seen in Markup(text, form, is_passage=is_passage).replacements():
            parts += (text[last:start], seen)
            length += start - last
            self._text_starts.append(length)
            length += len(seen)
            self._text_ends.append(length)
            self._from.append(start)
            self._to.append(end)
            last = end
        self.text = "".join([*parts, text[last:]]) if parts else text

    def source_start(self, position: int) -> int:
        """Where in the source's text a passage begins that begins at `position` of this one."""
        place = bisect_right(self._text_starts, position) - 1
        if place < 0:
            return position
        if position < self._text_ends[place]:
            return self._from[place]
        return self._to[place] + position - self._text_ends[place]

    def source_end(self, position: int) -> int:
        """Where in the source's text a passage ends that ends before `position` of this one."""
        place = bisect_left(self._text_starts, position) - 1
        if place < 0:
            return position
        if position <= self._text_ends[place] and self._text_ends[place] > self._text_starts[place]:
            return self._to[place]
        return self._to[place] + position - self._text_ends[place]
