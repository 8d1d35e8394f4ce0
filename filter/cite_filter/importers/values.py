"""What an export holds, read as what it should be: a value of another type reads as missing.

And the places in a text that exports count in UTF-8 bytes or UTF-16 units, as code points.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Literal

Unit = Literal["code points", "utf-16", "utf-8"]
"""What an offset counts."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_MILLISECONDS = 100_000_000_000
"""From here on an epoch is one of milliseconds: as seconds it would be the year 5138."""


def text_of(value: Any) -> str:
    """The string, else the empty one.

    Half a surrogate pair, which JSON may hold and UTF-8 may not, becomes U+FFFD: as wide as it in
    every unit, so no offset changes.
    """
    return _SURROGATES.sub("\ufffd", value) if isinstance(value, str) else ""


def map_of(value: Any) -> dict[str, Any]:
    """The object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The list, else an empty one."""
    return value if isinstance(value, list) else []


def maps_of(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; what is none is left out, so their places in the list are lost."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def whole_of(value: Any) -> int | None:
    """The whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def date_of(value: Any) -> str | None:
    """A moment in ISO 8601, from an epoch in seconds or milliseconds, or from text; None for none.

    >>> date_of(1750000000), date_of("2025-06-15T15:06:40.5+00:00"), date_of("soon")
    ('2025-06-15T15:06:40Z', '2025-06-15T15:06:40Z', None)
    """
    try:
        if isinstance(value, str):
            return _from_text(value.strip())
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value >= _MILLISECONDS else value
            return f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _from_text(text: str) -> str | None:
    if not _ISO.fullmatch(text):
        return None
    moment = datetime.fromisoformat(text)
    if len(text) == 10 or moment.tzinfo is None:
        return text
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


# --- Places --------------------------------------------------------------------------------------


def starts(text: str, unit: Unit) -> Sequence[int]:
    """Where each code point of `text` begins, counted in `unit`, and last where `text` ends."""
    if unit == "code points" or text.isascii():
        return range(len(text) + 1)
    width = _utf_16 if unit == "utf-16" else _utf_8
    return [0, *accumulate(map(width, text))]


def place(starts_of_text: Sequence[int], offset: Any) -> int | None:
    """The place in code points of an offset; None for one in no text, or within a code point."""
    if not isinstance(offset, int) or isinstance(offset, bool):
        return None
    found = bisect_left(starts_of_text, offset)
    if found < len(starts_of_text) and starts_of_text[found] == offset:
        return found
    return None


def spans(
    text: str,
    offsets: Sequence[tuple[Any, Any]],
    fits: Callable[[int, int, int], int],
    units: Sequence[Unit] = ("code points", "utf-16", "utf-8"),
) -> list[tuple[int, int] | None]:
    """The spans in code points, in the one unit in which they fit best; None where one does not.

    `fits(n, start, end)` says whether the n-th span, so read, holds what it should; a number above
    1 for one that proves more than others.
    """
    best: list[tuple[int, int] | None] = [None] * len(offsets)
    most = 0
    for unit in dict.fromkeys(units):
        found = list(_fitting(text, offsets, fits, unit))
        score = sum(weight for _, weight in found)
        if score > most:
            most, best = score, [span if weight else None for span, weight in found]
    return best


def _fitting(
    text: str,
    offsets: Sequence[tuple[Any, Any]],
    fits: Callable[[int, int, int], int],
    unit: Unit,
) -> Iterator[tuple[tuple[int, int], int]]:
    counted = starts(text, unit)
    for number, (first, last) in enumerate(offsets):
        start, end = place(counted, first), place(counted, last)
        if start is None or end is None or start > end:
            yield (0, 0), 0
        else:
            yield (start, end), int(fits(number, start, end))


def _utf_16(character: str) -> int:
    return 2 if character > "\uffff" else 1


def _utf_8(character: str) -> int:
    code = ord(character)
    return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)
