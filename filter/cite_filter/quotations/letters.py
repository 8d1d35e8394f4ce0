"""The letters and digits of a text, and nothing else: by them a quotation is looked for.

Texts that are equal under the equivalences have equal letters, so that one search finds all places
where a quotation may stand; `equivalences` decides whether it does. Case, accents, ligatures, white
space, hyphenation and punctuation are gone here.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from functools import lru_cache

_STEP = 1024
"""Characters of text between two places whose position among the letters is kept."""
_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
_NO_LETTER = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_DROPPED = re.compile(r"[\W_]+")
_SPELT = (("æ", "ae"), ("œ", "oe"), ("ı", "i"), ("ʼ", ""))
"""Also the apostrophe that is a letter to Unicode."""


def letters(text: str) -> str:
    """The letters and digits of `text`, without case and accents.

    >>> letters("The ﬁrst “naïve” re-evaluation, 10.5 %")
    'thefirstnaivereevaluation105'
    """
    if text.isascii():
        return text.encode("ascii").translate(_LOWER, _NO_LETTER).decode("ascii")
    text = unicodedata.normalize("NFKD", text).casefold()
    for written, spelt in _SPELT:
        text = text.replace(written, spelt)
    return _DROPPED.sub("", text)


@lru_cache(maxsize=65536)
def _width(character: str) -> int:
    return len(letters(character))


class Letters:
    """The letters of one text, with the way back to the characters they are of."""

    __slots__ = ("_places", "_text", "key")

    def __init__(self, text: str) -> None:
        parts = [letters(text[start : start + _STEP]) for start in range(0, len(text), _STEP)]
        self._text = text
        self._places = array("L", [0])
        for part in parts:
            self._places.append(self._places[-1] + len(part))
        self.key = "".join(parts)

    def extent(self, start: int, end: int) -> tuple[int, int] | None:
        """The extent in the text of the letters from `start` to `end`, which are at least one.

        None where it would begin or end within a character: a ligature, a syllable.
        """
        first, into = self._character(start)
        last, over = self._character(end - 1)
        if into or over != _width(self._text[last]) - 1:
            return None
        return first, last + 1

    def at(self, position: int) -> int:
        """Where in the text the character stands that a letter is of."""
        return self._character(position)[0]

    def _character(self, position: int) -> tuple[int, int]:
        """The character that a letter is of, and which of its letters it is."""
        step = bisect_right(self._places, position) - 1
        index, left = step * _STEP, position - self._places[step]
        while True:
            width = _width(self._text[index])
            if left < width:
                return index, left
            left -= width
            index += 1
