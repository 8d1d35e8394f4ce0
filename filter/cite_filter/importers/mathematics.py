r"""Mathematics as chats write it, `\( … \)` and `\[ … \]`, as the dollars that Pandoc reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_filter.prose import mask_code

_INLINE = re.compile(r"(?<!\\)\\\(")
_DISPLAY = re.compile(r"(?<!\\)\\\[")
_EMPTY_LINE = re.compile(r"\n(?=[ \t]*+\n)")
# What a bracket that is merely escaped holds: words, a number.
_NO_FORMULA = re.compile(r"[^\\^_=+<>{}|]*")


def convert(text: str) -> str:
    r"""The Markdown with its formulas between dollars; code stays as it is.

    >>> print(convert(r"By \(x\), `\(y\)` and \[1\]."))
    By $x$, `\(y\)` and \[1\].
    """
    if not _may_hold_some(text):
        return text
    pieces: list[str] = []
    done = 0
    for start, end, dollars in formulas(mask_code(text)):
        inner = text[start + 2 : end - 2]
        formula = inner.strip() if dollars == "$" else inner
        pieces += [text[done:start], dollars, formula, dollars]
        done = end
    return "".join([*pieces, text[done:]])


def formulas(masked: str) -> Iterator[tuple[int, int, str]]:
    """Where formulas stand in a text whose code is masked, and the dollars for each."""
    if not _may_hold_some(masked):
        return
    inline = ((start, end, "$") for start, end in _between(masked, _INLINE, "\\)"))
    display = (
        (start, end, "$$")
        for start, end in _between(masked, _DISPLAY, "\\]")
        if "\n" in masked[start:end] or not _NO_FORMULA.fullmatch(masked, start + 2, end - 2)
    )
    done = 0
    for start, end, dollars in sorted([*inline, *display]):
        if start >= done:
            yield start, end, dollars
            done = end


def _may_hold_some(text: str) -> bool:
    return "\\(" in text or "\\[" in text


def _between(text: str, opening: re.Pattern[str], closer: str) -> Iterator[tuple[int, int]]:
    """The stretches from an opening to the closer behind it; they run over no empty line.

    What is looked for is found once for all openings before it, so that a text of nothing but
    openings is read once.
    """
    empty_lines = (match.start() for match in _EMPTY_LINE.finditer(text))
    empty_line = next(empty_lines, len(text))
    closing = done = 0
    for opened in opening.finditer(text):
        start = opened.end()
        if opened.start() < done:
            continue
        if closing < start:
            closing = text.find(closer, start)
            if closing < 0:
                return
        while empty_line < start:
            empty_line = next(empty_lines, len(text))
        if start < closing < empty_line:
            done = closing + len(closer)
            yield opened.start(), done
