"""Quotations with something left out or put in: `…`, `[…]`, `[sic]`, `[T]he`, `[their]`.

What is marked as left out may be shown as left out, if it is little and nothing that turns the
sentence round. What is put in is not the source's; only `[sic]` and the case of a letter change
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise

from cite_filter.quotations.letters import letters
from cite_filter.quotations.operators import DOUBTS, EXCEPTIONS, MODALS, NEGATIONS
from cite_filter.quotations.prepared import Hit, Prepared, Quote
from cite_filter.quotations.verdicts import Verdict

_DOTS = r"(?:…+|\.(?:\s?\.){2,})"
_BRACKETED = re.compile(rf"\s*(?:\[\s*{_DOTS}\s*\]|\(\s*{_DOTS}\s*\))\s*")
_LEFT_OUT = re.compile(rf"{_BRACKETED.pattern}|\s*{_DOTS}\s*")
_PUT_IN = re.compile(rf"\s*\[(?!\s*{_DOTS}\s*\])[^\[\]]{{0,120}}\]\s*")
_SIC = re.compile(r"\s*[\[(]sic!?[\])]", re.I)
_LETTER = re.compile(r"\[(\w)\](?=\w)")
_SHORTEST = 12
"""Characters of a part, and letters of all parts of a quotation with something put in."""
_FAR, _NEAR = 300, 60
"""Characters of the source that may be left out, or replaced by what is put in."""
_MOST, _STEPS = 16, 200
_FEW = 4
"""Marks of a quotation any of which may be the source's own."""
_HIDDEN = NEGATIONS | EXCEPTIONS | MODALS | DOUBTS


def bare(quote: str) -> str:
    """`quote` without the marks of something left out before it and behind it."""
    start = _LEFT_OUT.match(quote)
    quote = quote[start.end() :] if start else quote
    for found in _LEFT_OUT.finditer(quote, max(0, len(quote) - 20)):
        if found.end() == len(quote) and len(found[0].strip()) > 0:
            return quote[: found.start()]
    return quote


def check(quote: str, sources: Sequence[Prepared]) -> Verdict | None:
    """What `quote`, which stands in no source as it is, is with regard to its marks; else None."""
    if "[" in quote or "(" in quote:
        found = _edited(quote, sources) or _put_in(quote, sources)
        if found is not None:
            return found
    for parts in _parted(quote):
        if len(parts) > 1 and all(len(part.strip()) >= _SHORTEST for part in parts):
            found = _left_out([Quote(part) for part in parts], sources)
            if found is not None:
                return found
    return None


def _parted(quote: str) -> Iterator[list[str]]:
    """The parts of a quotation: at all its marks, and, for the source has some, at fewer."""
    marks = [match.span() for match in _LEFT_OUT.finditer(quote)]
    counts = range(len(marks), 0, -1) if len(marks) <= _FEW else [len(marks)]
    for count in counts:
        for chosen in combinations(marks, count):
            starts, ends = [0, *(end for _, end in chosen)], [*(s for s, _ in chosen), len(quote)]
            yield [part for s, e in zip(starts, ends, strict=True) if letters(part := quote[s:e])]


def _edited(quote: str, sources: Sequence[Prepared]) -> Verdict | None:
    """A quotation with `[sic]`, or with a letter of another case in brackets: it stands there."""
    plain = _SIC.sub("", quote)
    small = _LETTER.sub(lambda match: match[1].lower(), plain)
    large = _LETTER.sub(lambda match: match[1].upper(), plain)
    for text in dict.fromkeys((plain, small, large)):
        if text == quote or not letters(text):
            continue
        for source in sources:
            hit = source.best(Quote(text))
            if hit is not None and hit.gravity <= 1:
                passage = source.passage(hit.start, hit.end, text)
                return Verdict(True, "editorial_brackets", [passage])
    return None


def _put_in(quote: str, sources: Sequence[Prepared]) -> Verdict | None:
    """A quotation of which all but what stands in brackets stands at one place."""
    parts = [part for part in _PUT_IN.split(_LETTER.sub(r"\1", quote)) if letters(part)]
    if parts == [quote] or len(letters("".join(parts))) < _SHORTEST:
        return None
    quotes = [Quote(part) for part in parts]
    for source in sources:
        hits = _in_order(source, quotes, _NEAR)
        if hits is not None:
            near = source.nearest_at(hits[0].start, hits[-1].end, quote)
            return Verdict(False, "editorial_brackets", nearest=near)
    return None


def _left_out(quotes: Sequence[Quote], sources: Sequence[Prepared]) -> Verdict | None:
    for source in sources:
        hits = _in_order(source, quotes, _FAR)
        if hits is not None:
            passages = [
                source.passage(hit.start, hit.end, quote.text)
                for hit, quote in zip(hits, quotes, strict=True)
            ]
            hides = any(_turns_round(source, *pair) for pair in pairwise(hits))
            return Verdict(False, "elision_hides" if hides else "elided", passages)
    if all(any(_stands(quote, source) for source in sources) for quote in quotes):
        return Verdict(False, "spliced")
    return None


def _stands(quote: Quote, source: Prepared) -> bool:
    hit = source.best(quote)
    return hit is not None and hit.gravity <= 1


def _turns_round(source: Prepared, before: Hit, behind: Hit) -> bool:
    left_out = source.visible.text[before.end : behind.start].lower()
    words = re.findall(r"[^\W_]+(?:['’]t)?", left_out)
    return any(word in _HIDDEN or word.endswith(("n't", "n’t")) for word in words)


def _in_order(source: Prepared, quotes: Sequence[Quote], far: int) -> list[Hit] | None:
    """Places of the parts, one behind the other and not far from it; None where there are none."""
    left = _STEPS

    def following(hits: list[Hit]) -> Iterator[Hit]:
        last = hits[-1] if hits else None
        quote = quotes[len(hits)]
        for hit in islice(source.hits(quote, last.behind if last else 0), _MOST):
            if last is not None and hit.start - last.end > far:
                return
            if hit.gravity <= 1:
                yield hit

    def placed(hits: list[Hit]) -> list[Hit] | None:
        nonlocal left
        if len(hits) == len(quotes):
            return hits
        for hit in following(hits):
            left -= 1
            found = placed([*hits, hit]) if left > 0 else None
            if found is not None:
                return found
        return None

    return placed([]) if len(quotes) <= _MOST else None
