"""Whether a stretch of text is one of whole words: a check on offsets whose unit is in doubt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from cite_filter.importers.values import Unit, spans

# Letters and digits of scripts that part words by spaces: not the Thai, the Chinese and the like.
_LETTER = re.compile(
    r"[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\ua980-\uaa7f\uf900-\ufaff"
    r"\U00016fe0-\U0001b2ff\U00020000-\U0003ffff]"
)
_JOINER = "\u200d"


def is_within_word(text: str, place: int) -> bool:
    """Whether a place is one between two letters, or before what belongs to the sign before it."""
    if not 0 < place < len(text):
        return False
    before, behind = text[place - 1], text[place]
    if _JOINER in (before, behind) or unicodedata.category(behind)[0] == "M":
        return True
    return _LETTER.match(before) is not None and _LETTER.match(behind) is not None


def claims(
    text: str, offsets: Sequence[tuple[Any, Any]], units: Sequence[Unit]
) -> list[tuple[int, int] | None]:
    """The spans in code points, in the unit in which they hold whole words; None for one that not.

    Of two units in which they do, the one in which fewer begin or end with white space, then the
    first of `units`.
    """

    def hits(unit: Unit) -> tuple[int, int]:
        whole, bare = (spans(text, offsets, fits, [unit]) for fits in (is_whole, is_bare))
        return len(offsets) - whole.count(None), len(offsets) - bare.count(None)

    def is_whole(_: int, start: int, end: int) -> bool:
        return bool(text[start:end].strip()) and not (
            is_within_word(text, start) or is_within_word(text, end)
        )

    def is_bare(number: int, start: int, end: int) -> bool:
        return is_whole(number, start, end) and text[start:end] == text[start:end].strip()

    best = units[0] if text.isascii() else max(units, key=hits)
    return spans(text, offsets, is_whole, [best])
