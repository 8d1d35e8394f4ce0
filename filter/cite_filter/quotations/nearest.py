"""The passage that a failed quotation is most like: an explanation, bounded, that decides nothing.

Pieces of the quotation are looked for exactly; around the places where several stand, RapidFuzz
compares windows of the quotation's length. A search of the whole text by RapidFuzz could run for
minutes on repetitive text, and would not end for a signal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Literal, NamedTuple

from cite_filter.quotations.letters import letters
from cite_filter.quotations.operators import turns_round
from cite_filter.quotations.verdicts import Change
from cite_filter.quotations.words import UNSEGMENTED

_LONGEST = 1500
"""Letters of a quotation that are compared."""
_SEED, _SEEDS, _EACH, _WINDOWS = 14, 10, 6, 12
_GOOD = 60
_PIECE, _PIECES, _GAP = 5, 4, 600
"""Letters of a piece, pieces, and letters between two of a quotation with parts left out."""
_SIGN = UNSEGMENTED.pattern
_WORD = re.compile(rf"{_SIGN}|[—–]|(?:(?!{_SIGN})[^\s—–])+")
_MOST_WORDS = 600
_FEW_SIGNS = 6
_AT_ENDS = ".,;:\"'([{)]}"


class Place(NamedTuple):
    """Where letters of a text are most like those of a quotation."""

    start: int
    end: int
    score: float
    """From 0 to 100."""
    is_exact: bool = False
    """Whether the quotation begins and ends there, and not somewhere near."""


def locate(quote: str, text: str) -> Place | None:
    """The place among the letters `text` most like the letters `quote`; None where none is."""
    from rapidfuzz import fuzz

    best = _pieces(quote, text)
    if best is not None and best.score > _GOOD:
        return best

    if len(quote) > _LONGEST:
        begun = max(0, _agreeing(quote, text) - _LONGEST // 2)
        quote = quote[begun : begun + _LONGEST]
    for start in _windows(quote, text):
        window = text[start : start + len(quote) * 13 // 10 + 20]
        found: Any = fuzz.partial_ratio_alignment(quote, window)
        if found is not None and (best is None or found.score > best.score):
            best = Place(start + found.dest_start, start + found.dest_end, found.score)
    return best if best and best.end > best.start else None


def _pieces(quote: str, text: str) -> Place | None:
    """The place of a quotation that is a few pieces of the text, with what was between left out."""
    length = _agreeing(quote, text)
    if length < _PIECE:
        return None
    for start in _places(quote[:length], text):
        end, left = start + length, quote[length:]
        for _ in range(_PIECES - 1):
            if not left:
                break
            window = text[end : end + _GAP + len(left)]
            length_here = _agreeing(left, window)
            if length_here < _PIECE:
                break
            end += window.index(left[:length_here]) + length_here
            left = left[length_here:]
        if not left:
            return Place(start, end, 200 * len(quote) / (len(quote) + end - start), True)
    return None


def _agreeing(quote: str, text: str) -> int:
    """How many letters of a quotation, from its beginning, stand in `text` together."""
    low, high = 0, len(quote)
    while low < high:
        middle = (low + high + 1) // 2
        if quote[:middle] in text:
            low = middle
        else:
            high = middle - 1
    return low


def _windows(quote: str, text: str) -> list[int]:
    """Where windows begin that hold pieces of the quotation, those with the most pieces first."""
    size = max(4, min(_SEED, len(quote) // 4))
    step = max(1, (len(quote) - size) // (_SEEDS - 1))
    width = max(1, len(quote) // 5)
    votes: Counter[int] = Counter()
    for offset in range(0, max(1, len(quote) - size + 1), step):
        for position in _places(quote[offset : offset + size], text):
            votes[max(0, position - offset - width // 2) // width * width] += 1
    return [start for start, _ in votes.most_common(_WINDOWS)]


def _places(seed: str, text: str) -> Iterator[int]:
    position = text.find(seed)
    for _ in range(_EACH):
        if position < 0:
            return
        yield position
        position = text.find(seed, position + 1)


def changes(quote: str, passage: str) -> list[Change]:
    """The steps from a quotation to a passage, word by word, in scripts without spaces sign by
    sign; of long ones, their beginning."""
    from rapidfuzz.distance import Indel

    quoted, words = _Words(quote), _Words(passage)
    steps: Any = Indel.opcodes(quoted.keys, words.keys)
    found: list[Change] = []
    for tag, q1, q2, s1, s2 in steps:
        left, right = quoted.text(q1, q2), words.text(s1, s2)
        if tag == "equal":
            found += _compared(quoted, q1, words, s1, q2 - q1)
        elif found and found[-1].kind in ("added", "omitted") and _is_other(found[-1], left, right):
            before = found.pop()
            found.append(Change("altered", before.quoted + left, before.source + right))
        else:
            found.append(Change("added" if left else "omitted", left, right))
    for end in {0, len(found) - 1} if found else ():
        if found[end].kind == "altered" and _same_but_ends(found[end]):
            found[end] = Change("same", found[end].quoted, found[end].source)
    return found


def _same_but_ends(step: Change) -> bool:
    """Whether words are the same but for the marks before and behind them."""
    return _plain(step.quoted).strip(_AT_ENDS) == _plain(step.source).strip(_AT_ENDS)


class _Words:
    """The words of a text, and the text between any two of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [match.span() for match in islice(_WORD.finditer(text), _MOST_WORDS)]
        words = [text[start:end] for start, end in self._spans]
        self.keys = [letters(word) or _plain(word).strip(_AT_ENDS) for word in words]

    def text(self, first: int, last: int) -> str:
        """The words from `first` to before `last`, with what stands between them."""
        if first == last:
            return ""
        return self._text[self._spans[first][0] : self._spans[last - 1][1]]


def _compared(
    quoted: _Words, first: int, words: _Words, start: int, count: int
) -> Iterator[Change]:
    """Words of equal letters, those together that are the same but for typography."""

    def is_same(index: int) -> bool:
        left, right = (side.text(at + index, at + index + 1) for side, at in sides)
        return _plain(left) == _plain(right)

    sides = ((quoted, first), (words, start))
    for same, group in groupby(range(count), key=is_same):
        indices = list(group)
        left, right = (side.text(at + indices[0], at + indices[-1] + 1) for side, at in sides)
        yield Change("same" if same else "altered", left, right)


def _is_other(before: Change, left: str, right: str) -> bool:
    """Whether a step and the one before it take away and put in."""
    return bool(before.quoted and right) or bool(before.source and left)


def _plain(word: str) -> str:
    return word.strip("*_`").translate(_TYPOGRAPHY)


_TYPOGRAPHY = str.maketrans("“”„«»‘’‚–—‑‐", '"""""\'\'\'---' + "-")


def parted(steps: Sequence[Change]) -> tuple[str, list[Change], str]:
    """What a passage has before a quotation, the steps of the quotation, and what it has behind."""
    before, inner = _begun(list(steps), at_end=False)
    behind, inner = _begun(inner, at_end=True)
    return before, inner, behind


def _begun(steps: list[Change], *, at_end: bool) -> tuple[str, list[Change]]:
    """What a passage has more at one end, and the steps without it."""
    end, beside = (-1, -2) if at_end else (0, 1)
    more: list[str] = []
    if steps and steps[end].kind in ("omitted", "altered"):
        step = steps.pop(end)
        words, count = _Words(step.source), len(_Words(step.quoted).keys)
        of = len(words.keys)
        cut = min(count, of) if at_end else max(0, of - count)
        kept, left = words.text(0, cut), words.text(cut, of)
        if not at_end:
            kept, left = left, kept
        more.append(left)
        if step.quoted:
            place = len(steps) if at_end else 0
            steps.insert(place, Change(step.kind, step.quoted, kept))
    if _slides(steps, end, beside):
        more.append(steps.pop(beside).source)
        steps[end] = Change("same", steps[end].quoted, steps[end].quoted)
    return " ".join(more), steps


def _slides(steps: Sequence[Change], end: int, beside: int) -> bool:
    """Whether the words at an end of a quotation stand once more at the other end of what is left
    out beside them, so that the passage may as well begin, or end, there."""
    if len(steps) < 3 or steps[end].kind == "omitted" or steps[beside].kind != "omitted":
        return False
    words, left_out = letters(steps[end].quoted), letters(steps[beside].source)
    return left_out.endswith(words) if end == 0 else left_out.startswith(words)


def reason(steps: Sequence[Change]) -> Literal["altered", "omission", "confusable"]:
    """What the steps from a quotation to its nearest passage are, taken together."""
    real = [step for step in steps if letters(step.quoted) != letters(step.source)]
    left_out = [word for step in real for word in _WORD.findall(step.source)]
    if real and all(step.kind == "omitted" for step in real) and not _turns_round(left_out):
        return "omission"
    if real and all(_looks_alike(step) for step in real):
        return "confusable"
    return "altered"


def _turns_round(left_out: Sequence[str]) -> bool:
    """Whether what is left out is no more than a few words that turn the sentence round, or signs
    of a script without spaces that may be such words."""
    if all(UNSEGMENTED.match(sign) for sign in left_out):
        return len(left_out) <= _FEW_SIGNS
    turning = [word for word in left_out if turns_round(word) or not _has_letter(word)]
    return bool(turning) and (len(left_out) <= 2 or len(turning) == len(left_out))


def _looks_alike(step: Change) -> bool:
    """Whether words of the source, the first or the last of the step, look like the quotation's."""
    quoted, words = step.quoted.split(), step.source.split()
    count = len(quoted)
    ends = (words[:count], words[-count:])
    return count > 0 and any(_latin("".join(end)) == _latin(step.quoted) for end in ends)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


_CONFUSABLE = str.maketrans(
    "аеорсухіјѕԁһӏνοαρτικυωАВЕКМНОРСТХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlvoaptikuwABEKMHOPCTXISJABEZHIKMNOPTYX",
)


def _latin(text: str) -> str:
    """The letters of `text`, those of other scripts that look like Latin ones as these."""
    return letters(text.translate(_CONFUSABLE))
