"""Where in a text of Markdown a marker can be put, so that it is read as one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

from cite_filter.importers import mathematics
from cite_filter.prose import OPAQUE, mask, mask_code

_BARE_URL = re.compile(r"(?<![(<])(?:https?://|www\.)[^\s<>\[\]`]+$", re.I)
_LONGEST_URL = 2000


class Places:
    """The places of one text.

    >>> places = Places("See `a b` and\\n\\n```\\ncode\\n```\\n")
    >>> places.near(3), places.near(6), places.near(22)
    (3, 9, None)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.masked = mask(text)
        self._ends = [match.end() for match in re.finditer("\n", text)]

    @cached_property
    def _prose(self) -> frozenset[int]:
        """The lines that hold inlines, from 0 on."""
        from markdown_it import MarkdownIt

        tokens = MarkdownIt("commonmark").enable("table").parse(self.text)
        inlines = (token.map for token in tokens if token.type == "inline" and token.map)
        return frozenset(line for lines in inlines for line in range(*lines))

    @cached_property
    def _formulas(self) -> list[tuple[int, int]]:
        """The formulas between backslashes, which are prose to the mask."""
        if "\\(" not in self.text and "\\[" not in self.text:
            return []
        return [(start, end) for start, end, _ in mathematics.formulas(mask_code(self.text))]

    def near(self, place: int) -> int | None:
        """The place, or one close by that is not within code, a link or the like; None for none.

        There is none in a block of code, in raw HTML, on a rule.
        """
        place = self._behind_formula(place)
        start = self.text.rfind("\n", 0, place) + 1
        if bisect_right(self._ends, start) not in self._prose:
            return None
        while self.masked[max(place - 1, 0) : place + 1] == OPAQUE * 2:
            place = self._behind_formula(place + 1)
        row = self.text[start:place]
        if row.lstrip().startswith("|") and row.rstrip().endswith("|") and row.count("|") > 1:
            return start + len(row.rstrip()[:-1].rstrip())  # what stands behind a row is no cell
        is_escape = (len(row) - len(row.rstrip("\\"))) % 2
        return place - is_escape

    def _behind_formula(self, place: int) -> int:
        """The place, or the end of the formula that it stands in."""
        before = bisect_left(self._formulas, (place, 0)) - 1
        return max(place, self._formulas[before][1]) if before >= 0 else place

    def gap(self, place: int) -> str:
        """What must part the marker from what stands before it: a bare URL would swallow it."""
        before = self.text[max(place - _LONGEST_URL, 0) : place]
        opaque = self.masked[place - 1 : place] == OPAQUE
        return " " if opaque and _BARE_URL.search(before) else ""
