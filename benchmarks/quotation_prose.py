"""The prose that quotations are taken from: a file a language, with what can be done to it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("prose")
_SEGMENT = re.compile(r"[^，。；：、（）()「」“”…]+[，。；：、（）()「」“”…]*")
_BARE = re.compile(r"[\d.,\u066b]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Language:
    """Paragraphs in one language, with swaps of words by class of misquotation."""

    code: str
    paragraphs: Sequence[str]
    swaps: Mapping[str, Sequence[tuple[str, str]]]
    inserts: Sequence[str]
    tails: Sequence[str]
    heads: Sequence[str]
    is_spaced: bool
    """Whether spaces stand between words."""
    hyphenates: bool
    """Whether words are broken with a hyphen at the end of a line."""

    @classmethod
    def read(cls, path: Path) -> Language:
        held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            code=path.stem,
            paragraphs=tuple(held["paragraphs"]),
            swaps={kind: [(a, b) for a, b in pairs] for kind, pairs in held["swaps"].items()},
            inserts=tuple(held["inserts"]),
            tails=tuple(held["tails"]),
            heads=tuple(held["heads"]),
            is_spaced=not held.get("unspaced", False),
            hyphenates=held.get("hyphenates", False),
        )

    def slice_of(self, paragraph: str, chance: random.Random) -> str | None:
        """A part of `paragraph` that an honest writer may quote; None if the draw gives none."""
        pieces = self._pieces(paragraph)
        begin = chance.randrange(len(pieces))
        end = min(len(pieces), begin + chance.randint(4, 30))
        if not self.is_spaced:
            quote = "".join(pieces[begin:end]).rstrip("，；：、（(「“")
            return quote if len(quote) >= 14 else None
        quote = " ".join(pieces[begin:end])
        is_long = end - begin > 3 and len(quote) >= 25
        return quote if is_long and self._may_cut(pieces, begin, end) else None

    def _pieces(self, paragraph: str) -> list[str]:
        return paragraph.split(" ") if self.is_spaced else _SEGMENT.findall(paragraph)

    def _may_cut(self, pieces: Sequence[str], begin: int, end: int) -> bool:
        """Whether both ends are between words, and neither parts a number from its sign or unit."""
        first, last = pieces[begin], pieces[end - 1]
        if not any(map(str.isalpha, first)) or not any(map(str.isalnum, last)):
            return False
        before = pieces[begin - 1] if begin else ""
        if before and (_bare(before) or not any(map(str.isalnum, before))):
            return False
        after = pieces[end] if end < len(pieces) else ""
        return not after or not (_bare(last) or not any(map(str.isalnum, after)))


def _bare(word: str) -> bool:
    """Whether a word is a number that what stands next to it may belong to."""
    word = word.lstrip("−-+(£$€")
    return bool(_BARE.fullmatch(word)) and word[-1].isdigit() and not _YEAR.fullmatch(word)


def languages() -> list[Language]:
    """All of them, in the order of their codes."""
    return [Language.read(path) for path in sorted(FOLDER.glob("*.json"))]
