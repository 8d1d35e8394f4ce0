"""Where a quotation begins and ends in its source: in no word, in no number, before no `but`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from cite_filter.quotations.equivalences import Difference, is_open
from cite_filter.quotations.gaps import readings
from cite_filter.quotations.operators import EXCEPTIONS, NEGATIONS, PREFIXES
from cite_filter.quotations.words import INVISIBLE, UNSEGMENTED, Folded, is_number

_REACH = 80
"""Characters of the source looked at on either side."""
_BEFORE = re.compile(r"[\W_]*\Z")
_BEHIND = re.compile(r"[\W_]*")
_WORD_BEHIND = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ROUND = " …—*_`「」『』"
"""What may stand round a quotation without being of it."""
_STOPS = frozenset({".", ",", "。", "，", "、", "।", "،", "۔"})
_ENDS = ".!?…。！？।؟۔"
_CLOSING = " \t\"'”’»*_`)」』"
_CLAUSES = frozenset(",;:.!?…—()[]，。、；：！？،؛।۔·")
_SIGNS = "+-−–—±<>=≤≥≈~×*^/.,:#"
_WITHIN_NUMBERS = (".", ",", ":", "/")
_PRIMES = tuple("'\"’”′″")
_OF_NUMBER = "%‰°′″^"


class Edges(NamedTuple):
    """How a quotation and a place of its source agree at both ends."""

    start: int
    """Where it begins in the visible text, with the signs before its first letter."""
    end: int
    difference: Difference | None
    truncated: bool
    """Whether the source goes on in a way that a reader should know of."""


def compare(quote: Folded, text: str, start: int, end: int, *, marked: bool) -> Edges:
    """The edges of `quote` at the letters of the visible `text` from `start` to `end`.

    `marked` says whether the text may have mark-up.
    """
    start, left, follows = _beginning(quote, text, start, marked)
    end, right, goes_on = _end(quote, text, end, marked)
    differences = [difference for difference in (left, right) if difference]
    worst: Difference | None = "altered" if "altered" in differences else None
    return Edges(start, end, worst or (differences[0] if differences else None), follows or goes_on)


def _beginning(
    quote: Folded, text: str, start: int, marked: bool
) -> tuple[int, Difference | None, bool]:
    around = text[max(0, start - _REACH) : start].replace("ʼ", "’")
    gap = _BEFORE.search(around)
    raw = gap[0] if gap else ""
    words = _WORD_BEHIND.findall(around)
    before = words[-1] if words else ""
    first = text[start]
    forms = _own(quote, 0, ("", first))
    for written in forms:
        for length in range(1, len(raw) + 1):
            if written and written in _forms(
                raw[-length:], ("", first), inside=False, marked=marked
            ):
                return start - length, None, False
    if forms[-1]:
        return start, _kind(forms[-1], first), False
    if _within(before, INVISIBLE.sub("", raw), first):
        return start, "altered", False
    stopped = any(character in raw for character in _ENDS + ":;\n")
    return start, None, not stopped and before.lower() in NEGATIONS


def _end(quote: Folded, text: str, end: int, marked: bool) -> tuple[int, Difference | None, bool]:
    around = text[end : end + _REACH].replace("ʼ", "’")
    gap = _BEHIND.match(around)
    raw = gap[0] if gap else ""
    behind = around[len(raw) : len(raw) + 1]
    last = text[end - 1]
    inside = is_open(quote)
    written = _own(quote, max(quote.gaps), (last, ""), inside=inside)
    length, left = _agreeing(written, raw, last, inside=inside, marked=marked)
    if _within_behind(last, raw if length else INVISIBLE.sub("", raw), behind, length):
        return end, "altered", False
    if left and left not in _STOPS:
        return end, _kind(left, last), False
    ended = not behind or raw.lstrip(_CLOSING)[:1] in tuple(_ENDS) or "\n\n" in raw
    word = _WORD_BEHIND.match(around, len(raw))
    excepted = word is not None and not ended and word[0].lower() in EXCEPTIONS
    return end + length, None, excepted or (bool(left) and not ended)


def _agreeing(
    written: Sequence[str], raw: str, last: str, *, inside: bool, marked: bool
) -> tuple[int, str]:
    """How much of `raw` is what is `written` at the end of a quotation, and what is left of that.

    A last full stop or comma may stand there alone (S22).
    """
    plain = written[-1]
    if raw[:1] not in _PRIMES:
        plain = plain.lstrip("′″")  # a mark round the quotation that a number precedes
    for wanted, left in (*((form, "") for form in written), (plain[:-1], plain[-1:])):
        for length in range(1, len(raw) + 1):
            if wanted and wanted in _forms(raw[:length], (last, ""), inside=inside, marked=marked):
                return length, left
    return 0, plain


def _own(quote: Folded, index: int, edges: tuple[str, str], *, inside: bool = False) -> list[str]:
    """What of the gap at an end of a quotation is its own: with quotation marks, then without.

    Marks round a quotation may be the model's (S17).
    """
    forms = readings(quote.gaps[index], edges, inside=inside, quoted=True)
    marked = min((form.strip(_ROUND) for form in forms), key=len)
    plain = marked.replace('"', "").strip(_ROUND)
    return [marked, plain] if marked != plain else [plain]


def _forms(raw: str, edges: tuple[str, str], *, inside: bool, marked: bool) -> set[str]:
    """What signs of the source may be: as they are, and without quotation marks."""
    plain = INVISIBLE.sub("", raw).strip()
    forms = {form.strip() for form in readings(plain, edges, inside=inside, marked=marked)}
    return forms | {form.replace('"', "").strip() for form in forms}


def _kind(written: str, beside: str) -> Difference:
    is_clause = set(written) <= _CLAUSES and not beside.isdigit()
    return "punctuation" if is_clause else "altered"


def _within(word: str, raw: str, first: str) -> bool:
    """Whether a passage that begins with `first` would begin within a word or a number (U3)."""
    before = word[-1:]
    if not raw:
        return _of_one_word(before, first)
    if is_number(first) and not raw[-1].isspace():
        if before.isalnum() and raw in ("(", "[", "“", '"', "„", "«", "‘"):
            return False
        if raw[-1] in "–—" and before.isalpha() and set(raw) <= set("–—"):
            return False  # a dash between clauses
        if raw in _WITHIN_NUMBERS:
            return bool(before) and is_number(before[-1])
        return raw[-1] in _SIGNS or unicodedata.category(raw[-1]) == "Sc"
    if not before.isalnum() or raw[0] not in "-‐‑'’" or len(raw.rstrip()) > 1:
        return False
    if raw[0] in "'’":
        return _is_cased(before) and _is_cased(first)
    if raw != raw.rstrip():  # a word that a line break parts, or the end of a paragraph
        return raw.count("\n") < 2
    return word.lower() in PREFIXES


def _within_behind(last: str, raw: str, behind: str, length: int) -> bool:
    """Whether a passage would end within a word or a number; `length` of `raw` are part of it."""
    if not raw:
        return _of_one_word(last, behind)
    if is_number(last) and is_number(behind) and len(raw) == 1 and (raw in _SIGNS or raw == "⁄"):
        return True
    rest = raw[length:]
    if is_number(last) and rest and not length and _is_of_number(rest[0]):
        return True
    if not behind or length:
        return False
    tight = len(raw) == 1 or (raw.count("\n") == 1 and len(raw.rstrip()) == 1)
    return (
        tight and raw[0] in "-‐‑'’" and (raw[0] in "-‐‑" or (_is_cased(last) and _is_cased(behind)))
    )


def _is_cased(character: str) -> bool:
    """Whether a character is of a script that has apostrophes within words."""
    return character.lower() != character.upper()


def _is_of_number(sign: str) -> bool:
    """Whether `sign` right behind a digit is of the number: a unit, a currency."""
    if sign in _OF_NUMBER or unicodedata.category(sign) == "Sc":
        return True
    return any(map(str.isalnum, unicodedata.normalize("NFKC", sign)))


def _of_one_word(one: str, other: str) -> bool:
    if not one or not other:
        return False
    if is_number(one) and is_number(other):
        return True
    if UNSEGMENTED.match(one) or UNSEGMENTED.match(other):
        return False
    return _is_letter(one) and _is_letter(other)


def _is_letter(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"
