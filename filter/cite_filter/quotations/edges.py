"""Where a quotation begins and ends in its source: in no word, in no number, before no `but`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from cite_filter.quotations.boundaries import begins_within, ends_within, signs
from cite_filter.quotations.equivalences import Difference, is_open
from cite_filter.quotations.gaps import readings
from cite_filter.quotations.operators import EXCEPTIONS, NEGATIONS, SIGNS_OF_NEGATION
from cite_filter.quotations.words import INVISIBLE, RAISED, UNSEGMENTED, Folded

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
_QUESTIONS = ("?", "？", "؟")
_BESIDE = " \t\n,.;:!?()[]*_`\"'“”‘’„«»「」『』—–-،؛，、"
_POINTS = re.compile("[\u0591-\u05c7\u064b-\u065f\u0670]+")
"""Vowel points, without which words are known."""
_CLAUSES = frozenset(",;:.!?…—()[]，。、；：！？،؛।۔·")
_PRIMES = tuple("'\"’”′″")
_TURNING = EXCEPTIONS | NEGATIONS


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
            there = _forms(raw[-length:], ("", first), inside=False, marked=marked)
            if written and written in there:
                return start - length, _cut_before(text, start - length, written), False
    if forms[-1]:
        return start, _kind(forms[-1], first), False
    following = text[start : start + _REACH]
    if begins_within(before, signs(raw, before, first, marked=marked), following):
        return start, "altered", False
    stopped = "\n\n" in raw or any(character in raw for character in _ENDS + ";")
    negated = _turns(around, -1) or around.rstrip('*_`“「『"').endswith(SIGNS_OF_NEGATION)
    hyphened = raw in tuple("-‐‑") and before.isalnum()  # non-violent is refused, sub-sample not
    return start, None, (not stopped and negated) or hyphened


def _turns(around: str, place: int) -> bool:
    """Whether the first or the last word of what stands beside a passage turns it round."""
    words = [word for word in around.split() if word.strip(_BESIDE)]
    word = _POINTS.sub("", words[place].strip(_BESIDE)).lower() if words else ""
    known = NEGATIONS if place else _TURNING
    return word in known or word.endswith(("n't", "n’t", "n´t", "n`t"))


def _cut_before(text: str, start: int, written: str) -> Difference | None:
    """`altered` where a currency, or its sign, begins before what a quotation begins with."""
    before = text[start - 1 : start]
    is_money = unicodedata.category(written[0]) == "Sc" and (before.isalpha() or before in "-−–+")
    return "altered" if before and is_money else None


def _end(quote: Folded, text: str, end: int, marked: bool) -> tuple[int, Difference | None, bool]:
    around = text[end : end + _REACH].replace("ʼ", "’")
    gap = _BEHIND.match(around)
    raw = gap[0] if gap else ""
    behind = around[len(raw) :]
    last = text[end - 1]
    inside = is_open(quote)
    written = _own(quote, max(quote.gaps), (last, ""), inside=inside)
    length, left = _agreeing(written, raw, last, inside=inside, marked=marked)
    if behind and behind[0] in RAISED and not INVISIBLE.sub("", raw[length:]):
        cut = True  # a power is of what it stands behind
    elif length:
        cut = len(raw) == 1 and behind[:1].isdigit() and raw in ".,:" and last.isdigit()
    else:
        words = _WORD_BEHIND.findall(text[max(0, end - _REACH) : end])
        sign = signs(raw, last, behind, marked=marked)
        cut = ends_within(words[-1] if words else last, sign, behind)
    if cut:
        return end, "altered", False
    asks = raw.lstrip(_CLOSING)[:1] in _QUESTIONS and raw.lstrip(_CLOSING) != ""
    if left and (left not in _STOPS or asks):
        return end, _kind(left, last), False
    ended = not behind or raw.lstrip(_CLOSING)[:1] in tuple(_ENDS) or "\n\n" in raw
    turned = _turns(around, 0)
    # Where no spaces are written, the sentence goes on with the very next sign.
    goes_on = not raw and bool(behind) and UNSEGMENTED.match(last) is not None
    cut_short = not ended and (turned or goes_on or bool(left))
    return end + length, None, cut_short or (asks and not length)


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
    around = _ROUND.replace("—", "") if edges[1].isdigit() else _ROUND  # a sign of the number
    marked = min((form.strip(around) for form in forms), key=len)
    plain = marked.replace('"', "").strip(around)
    return [marked, plain] if marked != plain else [plain]


def _forms(raw: str, edges: tuple[str, str], *, inside: bool, marked: bool) -> set[str]:
    """What signs of the source may be: as they are, and without quotation marks."""
    plain = INVISIBLE.sub("", raw).strip()
    forms = {form.strip() for form in readings(plain, edges, inside=inside, marked=marked)}
    return forms | {form.replace('"', "").strip() for form in forms}


def _kind(written: str, beside: str) -> Difference:
    is_clause = set(written) <= _CLAUSES and not beside.isdigit()
    return "punctuation" if is_clause else "altered"
