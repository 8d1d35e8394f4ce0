"""When two texts of equal letters are one: the list of equivalences, version `METHOD`.

White space, hyphenation, typography and mark-up may differ; letters, digits, signs and their order
may not. A text is taken apart into its words, folded, and the gaps between them (`words`). Each gap
has a set of readings (`gaps`: a hyphen at the end of a line is one, or none); two gaps are equal if
they share one. `docs/answers.md` lists the rules.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from cite_filter.quotations.gaps import (
    QUOTATION_MARKS,
    kind,
    plain,
    readings,
    with_and_without_markers,
    without_markup,
)
from cite_filter.quotations.words import UNSEGMENTED, Folded

METHOD = "1"
"""The version of these rules."""
Difference = Literal["altered", "punctuation", "accent", "case"]
GRAVITY: tuple[Difference, ...] = ("case", "accent", "punctuation", "altered")
_LONGEST_GAP = 5000
"""Characters between two words that are read; longer gaps are equal only to themselves."""
_APOSTROPHE = ("'", "’")


def difference(quote: Folded, source: Folded) -> Difference | None:
    """How a quotation and a passage of equal letters differ within; None where they are equal.

    What stands before the first letter and behind the last is not looked at.
    """
    found = _words_differ(quote.words, source.words)
    opened = 0  # quotation marks before a gap
    count = max(quote.gaps)
    for index in sorted(quote.gaps.keys() | source.gaps.keys()):
        if not 0 < index < count:
            continue
        if not equal_gaps(quote, source, index, inside=opened > 0):
            worse = _gaps_differ(quote, source, index)
            if found is None or GRAVITY.index(worse) > GRAVITY.index(found):
                found = worse
        opened = opened_behind(opened, quote.gaps.get(index, ""))
    return found


def equal_gaps(one: Folded, other: Folded, index: int, *, inside: bool = False) -> bool:
    """Whether what stands before the letter `index` may be the same in both, which are inner gaps.

    `inside` says whether a quotation within the text was opened and not closed before it.
    """
    left, right = one.gaps.get(index, ""), other.gaps.get(index, "")
    if left == right:
        return True
    if len(left) > _LONGEST_GAP or len(right) > _LONGEST_GAP:
        return False
    edges = one.edges.get(index) or other.edges[index]
    quoted = readings(left, edges, inside=inside, quoted=True)
    return not quoted.isdisjoint(readings(right, edges, inside=inside, marked=other.marked))


def is_open(quote: Folded) -> bool:
    """Whether a quotation mark within a text is open at its end."""
    opened, count = 0, max(quote.gaps)
    for index in sorted(quote.gaps):
        opened = opened_behind(opened, quote.gaps[index]) if index < count else opened
    return opened > 0


def opened_behind(opened: int, gap: str) -> int:
    """How many quotation marks are open behind `gap`: one that a space precedes opens."""
    if gap in _APOSTROPHE:
        return opened
    for position, character in enumerate(gap):
        if character in QUOTATION_MARKS:
            opens = character in "“„«‘‹" or (position and gap[position - 1] in " (\n[")
            opened = opened + 1 if opens else max(0, opened - 1)
    return opened


def _words_differ(quote: str, source: str) -> Difference | None:
    if quote == source:
        return None
    if quote[1:] == source[1:] and _same_letter(quote[0], source[0]):
        return None  # S20
    if _is_capitals(quote) or _is_capitals(source):
        turkish = quote.translate(_SMALL).casefold() == source.translate(_SMALL).casefold()
        if turkish or quote.casefold() == source.casefold():
            return None  # S21
    if quote.casefold() == source.casefold():
        return "case"
    one, other = _bare(quote), _bare(source)
    return "accent" if one.casefold() == other.casefold() else "altered"


_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]+")
"""Marks over and under letters that are no letters themselves, as vowels of India's scripts are."""


def _is_capitals(words: str) -> bool:
    """Whether a whole text is in capitals, and not some letters of a script that has none."""
    cased = sum(1 for c in words if c.lower() != c.upper())
    return words.isupper() and 2 * cased > sum(map(str.isalpha, words))


_SMALL = str.maketrans("Iİ", "ıi")


def _same_letter(one: str, other: str) -> bool:
    return one.casefold() == other.casefold() or {one, other} in ({"İ", "i"}, {"I", "ı"})


def _bare(words: str) -> str:
    return _ACCENTS.sub("", unicodedata.normalize("NFD", words))


_CLAUSES = frozenset(" ,;:.!?…—-\"'()[]，。、；：！？·/؛،؟۔।「」『』")


def _gaps_differ(quote: Folded, source: Folded, index: int) -> Difference:
    """`punctuation` where only marks between clauses differ, and no number or word with them."""
    left, right = quote.gaps.get(index, ""), source.gaps.get(index, "")
    before, behind = quote.edges.get(index) or source.edges[index]
    kinds = kind(before), kind(behind)
    right = with_and_without_markers(right)[-1]
    one, other = (plain(without_markup(gap, *kinds), *kinds, False) for gap in (left, right))
    if {one, other} == {"-", "—"} and not (left + right).endswith(" "):
        return "punctuation"  # a hyphen for a dash, as in 10–12
    if not set(one) | set(other) <= _CLAUSES:
        return "altered"
    if UNSEGMENTED.match(before) or UNSEGMENTED.match(behind):
        return "altered" if set(one + other) & set(".-—/()") and "0" in kinds else "punctuation"
    if "0" in kinds and not _is_clause(one, other, left, right):
        return "altered"
    words_join = (not one.strip() or not other.strip()) and ("" in (one, other))
    apart = "'" in (one, other)  # its, it's
    return "altered" if words_join or apart else "punctuation"


def _is_clause(one: str, other: str, left: str, right: str) -> bool:
    """Whether two gaps beside a digit differ in a mark before a space, and in no sign, alone."""
    if left[-1:] in _SIGNS or right[-1:] in _SIGNS:
        return False
    return all(gap.endswith(" ") or gap == "—" for gap in (one, other)) and (
        set(one + other) <= set(' ,;:.—"،؛')
    )


_SIGNS = frozenset("-–—−‐‑")
