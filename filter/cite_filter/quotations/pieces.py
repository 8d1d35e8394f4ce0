"""A piece of mark-up: what is seen in its place, and where reading goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cite_filter.quotations.references import literal

Replacement = tuple[int, int, str]
"""Where in the text, from and to, and what is seen there."""
_SIGN = re.compile(r"[^\w\s]|_", re.A)


class Found(NamedTuple):
    """A piece of mark-up."""

    end: int
    """Where reading goes on."""
    replacements: list[Replacement]


def of_code(text: str, start: int, end: int) -> Iterator[Replacement]:
    """The signs of code between two places: none of them is mark-up."""
    for place in _SIGN.finditer(text, start, end):
        yield place.start(), place.end(), literal(place[0])
