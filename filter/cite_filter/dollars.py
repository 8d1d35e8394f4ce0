r"""Prices that Pandoc's gfm reader would take for mathematics: `from $5 [1] to US$6` holds none.

In Pandoc's own Markdown the dollar that ends a formula is not followed by a digit. Its gfm reader
knows no such rule, and makes a formula of all between two prices, the markers too. Here the first
dollar of such a pair is escaped, so that both stay dollars.
"""

from __future__ import annotations

import re

# A pair whose second dollar is followed by a digit; most texts have none.
SUSPECT = re.compile(r"\$[^\s$][^$]*[^\s$]\$[0-9]|\$[^\s$]\$[0-9]")
_PIECE = re.compile(
    r"\\."  # an escape
    r"|(?P<code>`+)"
    r"|(?P<display>\$\$)"
    r"|(?P<dollar>\$)"
    r"|\S*?://\S*",  # a dollar of a URL is a dollar
    re.S,
)
_BACKTICKS = re.compile("`+")
_DOLLAR = re.compile(r"\\.|\$", re.S)


def escape(text: str) -> str:
    r"""One paragraph of Markdown, with the dollars escaped that would begin a false formula.

    >>> print(escape("From $5 to US$6, by $x$."))
    From \$5 to US$6, by $x$.
    """
    pieces: list[str] = []
    done = position = 0
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
            if closing is not None and text[closing + 1 : closing + 2].isdigit():
                pieces += [text[done : position - 1], r"\$"]
                done = position
            elif closing is not None:
                position = closing + 1
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
