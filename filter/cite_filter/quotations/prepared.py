"""Sources made ready to be looked in, and what stands at a place of one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from cite_filter.answers import RetrievedSource
from cite_filter.quotations import edges, fragments, nearest
from cite_filter.quotations.equivalences import GRAVITY, Difference, difference
from cite_filter.quotations.letters import Letters, letters
from cite_filter.quotations.nearest import Place
from cite_filter.quotations.seen import seen, unwrapped
from cite_filter.quotations.verdicts import Change, Nearest, Passage
from cite_filter.quotations.visible import Visible, unshield
from cite_filter.quotations.words import UNSEGMENTED, Folded, fold, is_turkish

_AROUND = 32
"""Characters of the source before and behind a passage that are kept with it."""
_SHORTEST, _FEWEST, _SHORTEST_UNSEGMENTED = 12, 3, 6
"""Characters and words of a quotation that can be checked; letters where no spaces are written."""
_MOST_HITS, _MOST_COMPARED = 64, 1_000_000
"""Places looked at for one quotation in one source, and characters compared at them."""
_MOST_TIMES, _MOST_MORE = 4, 20_000
"""How much longer than a quotation its place may be, with mark-up: times, and characters."""
_MOST_TRIED = 512
"""Places with its letters, those within a ligature or a syllable too."""


class Hit(NamedTuple):
    """A place of a source with the letters of a quotation."""

    start: int
    """In the visible text."""
    end: int
    behind: int
    """Its end among the letters of the source."""
    difference: Difference | None
    truncated: bool

    @property
    def gravity(self) -> int:
        """How far it is from the quotation: 0 for one that is equal."""
        if self.difference is None:
            return int(self.truncated)
        return 2 + GRAVITY.index(self.difference)


class Quote:
    """A quotation in one way of reading it, taken apart once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.letters = letters(text)

    @cached_property
    def folded(self) -> Folded:
        """With dotless ı as i."""
        return fold(self.text)

    @cached_property
    def folded_turkish(self) -> Folded:
        """With ı and i as two letters."""
        return fold(self.text, turkish=True)

    @property
    def is_short(self) -> bool:
        """Whether it is too short to mean one place of a source (U24)."""
        if UNSEGMENTED.search(self.text):
            return len(self.letters) < _SHORTEST_UNSEGMENTED
        words = sum(1 for word in self.text.split() if letters(word))
        return len(self.text.strip()) < _SHORTEST or words < _FEWEST


class Prepared:
    """A source, ready to be looked in."""

    def __init__(self, source: RetrievedSource) -> None:
        self.source = source
        self.visible = Visible(source.text, source.form)
        self.letters = Letters(self.visible.text)
        self.turkish = is_turkish(source.text)
        self.marked = source.form == "markdown"

    def hits(self, quote: Quote, start: int = 0) -> Iterator[Hit]:
        """The places where the letters of `quote` stand, from the letter `start` on."""
        key, wanted = self.letters.key, quote.letters
        most = max(4, min(_MOST_HITS, _MOST_COMPARED // (len(wanted) + 1)))
        position = key.find(wanted, start)
        tried = 0
        while position >= 0 and most and tried < _MOST_TRIED:
            tried += 1
            extent = self.letters.extent(position, position + len(wanted))
            if extent is not None:
                most -= 1
                yield self._compared(quote, *extent, position + len(wanted))
            position = key.find(wanted, position + 1)

    def _compared(self, quote: Quote, start: int, end: int, behind: int) -> Hit:
        folded = quote.folded_turkish if self.turkish else quote.folded
        text = self.visible.text
        end = with_marks(text, end)
        if _is_far_longer(end - start, quote.text):
            return Hit(start, end, behind, "altered", False)  # far more than letters and mark-up
        inner = difference(folded, fold(text[start:end], turkish=self.turkish, marked=self.marked))
        first, last, outer, truncated = edges.compare(folded, text, start, end, marked=self.marked)
        found = [kind for kind in (inner, outer) if kind]
        worst = max(found, key=GRAVITY.index) if found else None
        return Hit(first, last, behind, worst, truncated)

    def best(self, quote: Quote) -> Hit | None:
        """The place nearest to `quote` of those with its letters."""
        found: Hit | None = None
        for hit in self.hits(quote):
            if found is None or hit.gravity < found.gravity:
                found = hit
            if not found.gravity:
                break
        return found

    def extent(self, start: int, end: int) -> tuple[int, int]:
        """The extent in the source's text of one in the visible text."""
        return self.visible.source_start(start), self.visible.source_end(end)

    def _seen(self, start: int, end: int, quote: str) -> str:
        return seen(self.visible.text[start:end], quote, marked=self.marked)

    def passage(self, start: int, end: int, quote: str) -> Passage:
        """What of the visible text lies between two places."""
        text, url = self.source.text, self.source.url
        first, last = self.extent(start, end)
        shown = unwrapped(self._seen(start, end, quote))
        return Passage(
            url=url,
            start=first,
            end=last,
            exact=text[first:last],
            prefix=text[max(0, first - _AROUND) : first],
            suffix=text[last : last + _AROUND],
            shown=shown,
            link=fragments.link(url, shown, self._ends(start, end, quote)),
        )

    def _ends(self, start: int, end: int, quote: str) -> tuple[str, str] | None:
        """The text of the first block and of the last of a passage that goes over several."""
        parts = [part for part in _BLOCKS.split(self.visible.text[start:end]) if letters(part)]
        if len(parts) < 2:
            return None
        return seen(parts[0], quote), seen(parts[-1], quote)

    def nearest_at(self, start: int, end: int, quote: str) -> Nearest | None:
        """What of the visible text lies between two places, beside a quotation of its letters."""
        if _is_far_longer(end - start, quote):
            return None
        first, last = _words_at(self.visible.text, start, end)
        quote = unshield(quote)
        steps = nearest.changes(quote, self._seen(first, last, quote))
        if all(step.kind == "same" for step in steps):  # what it was cut from stands beside it
            first, last = _beside(self.visible.text, first, last)
            steps = nearest.changes(quote, self._seen(first, last, quote))
        return Nearest(*self._place(first, last), 99, steps, self._link(first, last))

    def nearest_to(self, quote: Quote) -> Nearest | None:
        """The passage most like a quotation whose letters stand nowhere."""
        place = nearest.locate(quote.letters, self.letters.key)
        if place is None:
            return None
        text = self.visible.text
        first, last = self._around(place, 0 if place.is_exact else len(quote.letters) // 8 + 8)
        if _is_far_longer(last - first, quote.text):
            return None
        steps = nearest.changes(unshield(quote.text), self._seen(first, last, quote.text))
        before, _, behind = nearest.parted(steps)
        first, last = _without(text, first, last, len(letters(before)), len(letters(behind)))
        return self._nearest(first, last, round(place.score), steps)

    def _nearest(self, first: int, last: int, similarity: int, steps: Sequence[Change]) -> Nearest:
        _, inner, _ = nearest.parted(steps)
        return Nearest(*self._place(first, last), similarity, inner, self._link(first, last))

    def _place(self, first: int, last: int) -> tuple[str, int, int, str]:
        start, end = self.extent(first, last)
        return self.source.url, start, end, self.source.text[start:end]

    def _link(self, first: int, last: int) -> str | None:
        return fragments.link(self.source.url, self._seen(first, last, ""))

    def _around(self, place: Place, pad: int) -> tuple[int, int]:
        """The extent in the visible text of a place and some words round it."""
        key = self.letters.key
        first = self.letters.at(max(0, place.start - pad))
        last = self.letters.at(min(len(key), place.end + pad) - 1) + 1
        return _words_at(self.visible.text, first, last)


def _is_far_longer(length: int, quote: str) -> bool:
    """Whether a place is too long to be that of a quotation, whatever mark-up it has."""
    return length > _MOST_TIMES * len(quote) + _MOST_MORE


def with_marks(text: str, end: int) -> int:
    """`end`, behind the marks of the letter before it: they are of it."""
    while end < len(text) and unicodedata.category(text[end])[0] == "M":
        end += 1
    return end


_BLOCKS = re.compile(r"\n\s*\n|\n[ \t]*(?:[-*+#]|[0-9]+[.)])[ \t]|[\ue100-\ue17f]+|\|")
"""What parts blocks of a page, and what a page shows that a quotation leaves out."""
_FAR = 40
"""Characters that may be between a place and the beginning of its word."""


def _words_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The extent of the words that `start` and `end` are in."""
    before = re.search(r"\S*\Z", text[max(0, start - _FAR) : start])
    behind = re.match(r"\S*", text[end : end + _FAR])
    return start - len(before[0] if before else ""), end + len(behind[0] if behind else "")


def _beside(text: str, start: int, end: int) -> tuple[int, int]:
    """An extent with one word more on either side."""
    before = re.search(r"\S{1,40}\s{0,3}\Z", text[max(0, start - _FAR - 3) : start])
    behind = re.match(r"\s{0,3}\S{1,40}", text[end : end + _FAR + 3])
    return start - len(before[0] if before else ""), end + len(behind[0] if behind else "")


def _without(text: str, first: int, last: int, before: int, behind: int) -> tuple[int, int]:
    """An extent less so many letters at either end, and the space there."""
    while before > 0 and first < last:
        before -= len(letters(text[first]))
        first += 1
    while behind > 0 and last > first:
        last -= 1
        behind -= len(letters(text[last]))
    inner = text[first:last]
    first += len(inner) - len(inner.lstrip())
    return first, max(first, last - (len(inner) - len(inner.rstrip(" \n\t([{«“„‘"))))
