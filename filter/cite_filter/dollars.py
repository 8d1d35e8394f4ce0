r"""Prices that Pandoc's gfm reader would take for mathematics: `from $5 [1] to US$6` holds none.

In Pandoc's own Markdown the dollar that ends a formula is not followed by a digit. Its gfm reader
knows no such rule, and makes a formula of all between two prices, the markers too. Here the first
dollar of such a pair is escaped, so that both stay dollars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Two dollars with no white space beside them on the inside; most texts have none.
SUSPECT = re.compile(r"\$[^\s$]")
_PIECE = re.compile(
    r"\\."  # an escape
    r"|(?P<code>`+)"
    r"|(?P<display>\$\$)"
    r"|(?P<dollar>\$)"
    r"|<[^<>\n]*>"  # a tag
    r"|(?<!\S)\S*?://\S*",  # a dollar of a URL is a dollar
    re.S,
)
_BACKTICKS = re.compile("`+")
_DOLLAR = re.compile(r"\\.|\$", re.S)
_MARKER = re.compile(r"\s\[\^?[1-9][0-9]*(?:,\s?\^?[1-9][0-9]*)*\]")


def escape(text: str) -> str:
    r"""One paragraph of Markdown, in which no dollar begins a false formula.

    Where there is one, every dollar that is none of a formula's is escaped: one that is not would
    pair with the next.

    >>> print(escape("From $5 to US$6, by $x$."))
    From \$5 to US\$6, by $x$.
    """
    literal: list[int] = []
    false = False
    position = 0
    unclosed: set[str] = set()
    while found := _PIECE.search(text, position):
        position = found.end()
        if found["code"] and found["code"] not in unclosed:
            position = after_code(text, found["code"], position)
            if position == found.end():
                unclosed.add(found["code"])
        elif found["display"]:
            position = max(text.find("$$", position) + 2, position)
        elif found["dollar"]:
            closing = _closing(text, position)
            if closing is not None and not _is_false(text, position, closing):
                position = closing + 1
                continue
            literal.append(position - 1)
            false = false or closing is not None
    return _escaped(text, literal) if false else text


def _is_false(text: str, start: int, closing: int) -> bool:
    """Whether what a reader takes for a formula is what stands between two prices."""
    if text[closing + 1 : closing + 2].isdigit():
        return True
    return text[start].isdigit() and _MARKER.search(text, start, closing) is not None


def _escaped(text: str, places: list[int]) -> str:
    pieces: list[str] = []
    done = 0
    for place in places:
        pieces += [text[done:place], "\\"]
        done = place
    return "".join([*pieces, text[done:]])


def after_code(text: str, fence: str, position: int) -> int:
    """Behind the code span that `fence` opens; `position` where nothing closes it."""
    for found in _BACKTICKS.finditer(text, position):
        if found[0] == fence:
            return found.end()
    return position


def _closing(text: str, position: int) -> int | None:
    """The dollar that would end a formula begun before `position`."""
    if text[position : position + 1].isspace():
        return None
    for found in _DOLLAR.finditer(text, position):
        if found[0] == "$":
            return None if text[found.start() - 1].isspace() else found.start()
    return None


def formulas(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a paragraph, without code, that Pandoc takes for formulas and are some."""
    position = 0
    display_ends = True
    while found := _PIECE.search(text, position):
        position = found.end()
        if found["display"]:
            closing = text.find("$$", position) if display_ends else -1
            display_ends = closing >= 0
            position = closing + 2 if display_ends else position - 1  # else its second is single
            if display_ends:
                yield found.start(), position
        elif found["dollar"]:
            end = _closing(text, position)
            if end is not None and not _is_false(text, position, end):
                position = end + 1
                yield found.start(), position
