"""Fenced divs and fenced code of a Markdown text, line by line.

Pandoc ends a div at any line of colons, even at one inside a code block of the div. Here code wins:
a transcript may quote Markdown. `Line.kind` says what each line is, and `close_safely` rewrites
the fences of the divs so that Pandoc sees them as they are seen here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "code", "open", "close"]

_DIV_OPEN = re.compile(r' {0,3}(:{3,})[ \t]*(\{(?:[^{}"]|"[^"]*")*\}|[^\s{}:]+)[ \t]*')
# A div in a list or a quotation, or with attributes that only Pandoc takes for some.
_ODD_OPEN = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++[ \t>]*+)*+:{3,}[ \t]*[^\s:]")
_DIV_CLOSE = re.compile(r" {0,3}(:{3,})[ \t]*")
# Code may stand in a block quote or a list item.
_CODE_OPEN = re.compile(r"(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_CODE_CLOSE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*")
_SOURCES = re.compile(r" {0,3}(?:`{3,}|~{3,})[ \t]*sources[ \t]*")
_ATTRIBUTE = re.compile(
    r"""\s*(?:[.]([^\s{}.#="']+)|\#[^\s{}.="']+|([\w:.-]+)=(?:"([^"]*)"|([^\s{}"']+)))"""
)


@dataclass(frozen=True, slots=True)
class Line:
    """What one line is to the structure of the text."""

    kind: Kind
    classes: tuple[str, ...] = ()
    """Of the div that the line opens."""
    language: str | None = None
    opens_sources: bool = False
    """It is the fence of a `sources` block."""


def read(lines: list[str], body: int = 0) -> list[Line]:
    """What each line is, from the line `body` on; those before it are metadata.

    Closes, in place, code that a `sources` block ends.
    """
    result = [Line("text")] * body
    fences = _CodeFences(lines)
    open_divs: list[int] = []
    position = body
    while position < len(lines):
        line = lines[position]
        end = fences.end(position)
        if end is not None:
            opens = _SOURCES.fullmatch(line) is not None
            result += [Line("code", opens_sources=opens), *[Line("code")] * (end - position - 1)]
            position = end
            continue
        result.append(_line(line, open_divs))
        position += 1
    for index, fence in reversed(fences.left_open.items()):
        if lines[index - 1].strip():
            lines.insert(index, fence)
            result.insert(index, Line("code"))
        else:
            lines[index - 1] = fence
    return result


def _line(line: str, open_divs: list[int]) -> Line:
    """What a line outside code is; keeps the number of colons of each div that is open."""
    if ":::" not in line:
        return Line("text")
    closing = _DIV_CLOSE.fullmatch(line)
    if closing is not None:
        if open_divs and len(closing[1]) >= open_divs[-1]:
            open_divs.pop()
            return Line("close")
        return Line("text")
    opening = _DIV_OPEN.fullmatch(line)
    attributes = None if opening is None else _attributes(opening[2])
    if opening is None or attributes is None:
        return Line("text")
    open_divs.append(len(opening[1]))
    return Line("open", *attributes)


def _attributes(written: str) -> tuple[tuple[str, ...], str | None] | None:
    """The classes and the language of a div's attributes; None for what is none."""
    if not written.startswith("{"):
        return (written,), None
    inside = written[1:-1].rstrip()
    classes: list[str] = []
    language = None
    position = 0
    while position < len(inside):
        found = _ATTRIBUTE.match(inside, position)
        if found is None:
            return None
        if found[1]:
            classes.append(found[1])
        elif found[2] == "lang":
            language = found[3] or found[4]
        position = found.end()
    return tuple(classes), language


class _CodeFences:
    """Where fenced code ends.

    Code that holds a line of colons is code. But a fence that was left open would run on to the
    next one, over the ends of divs; that it was left open shows in what it would swallow: a
    `sources` block or code of a language with a fence like its own, or a turn after the end of a
    div. It ends at the end of the div then, as it does for Pandoc.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.unclosed: dict[str, int] = {}
        self.left_open: dict[int, str] = {}
        self.steps = 1_000_000 + 20 * len(lines)
        """Lines that may still be looked at: a text may open code on each and close none."""

    def end(self, position: int) -> int | None:
        """The line after the code that `position` opens; None where it opens none that ends."""
        line = self.lines[position]
        opening = _CODE_OPEN.match(line) if "```" in line or "~~~" in line else None
        if opening is None:
            return None
        fence = opening[1]
        if len(fence) >= self.unclosed.get(fence[0], len(fence) + 1):
            return None
        found = self._scan(position, fence, self._container(position, opening))
        if found is None:
            self.unclosed[fence[0]] = min(len(fence), self.unclosed.get(fence[0], len(fence)))
        return found

    def _scan(self, position: int, fence: str, within: Callable[[str], bool] | None) -> int | None:
        depth, div_end, swallowed = 0, None, None
        for index in range(position + 1, len(self.lines)):
            self.steps -= 1
            line = self.lines[index]
            if self.steps < 0 or (within is not None and line.strip() and not within(line)):
                return index  # its list item or quotation ended
            if ":::" in line:
                if div_end is not None and _opens_turn(line):
                    break
                depth += _change_of_depth(line)
                div_end = index if depth < 0 and div_end is None else div_end
            elif line.lstrip(" \t>").startswith(fence):
                if _CODE_CLOSE.fullmatch(line):
                    return index + 1
                if div_end is not None:
                    break
                if _SOURCES.fullmatch(line):
                    return self._cut(fence, index, index)
            elif div_end is None and swallowed is None and _SOURCES.fullmatch(line):
                swallowed = index
        return None if div_end is None else self._cut(fence, swallowed, div_end)

    def _cut(self, fence: str, swallowed: int | None, div_end: int) -> int:
        """Where code that was left open ends: at its div's end, or before a `sources` block."""
        if swallowed is None:
            return div_end
        self.left_open[swallowed] = fence
        return swallowed

    def _container(self, position: int, opening: re.Match[str]) -> Callable[[str], bool] | None:
        """Whether a line is still in the list item or the quotation that the fence stands in."""
        prefix = self.lines[position][: opening.start(1)]
        if ">" in prefix:
            return lambda line: line.lstrip().startswith(">")
        width = len(prefix)
        if width >= 2 and (prefix.strip() or width >= 4 or self._in_list(position, width)):
            return lambda line: len(line) - len(line.lstrip()) >= min(width, 4)
        return None

    def _in_list(self, position: int, width: int) -> bool:
        before = next((line for line in reversed(self.lines[:position]) if line.strip()), "")
        return _LIST_ITEM.match(before) is not None or before.startswith(" " * width)


def _change_of_depth(line: str) -> int:
    """1 for a line that opens a div, -1 for one that closes one."""
    if _DIV_CLOSE.fullmatch(line):
        return -1
    opening = _DIV_OPEN.fullmatch(line)
    return 0 if opening is None or _attributes(opening[2]) is None else 1


def _opens_turn(line: str) -> bool:
    opening = _DIV_OPEN.fullmatch(line) if ":::" in line else None
    attributes = None if opening is None else _attributes(opening[2])
    return attributes is not None and "turn" in attributes[0]


def may_open(line: str) -> bool:
    """Whether Pandoc may see a div begin on a line that is text here."""
    return ":::" in line and _ODD_OPEN.match(line) is not None


def is_colons(line: str) -> bool:
    """Whether a line is of colons alone, as one that closes a div."""
    return line.startswith(":::") and _DIV_CLOSE.fullmatch(line) is not None


def close_safely(lines: list[str], kinds: Sequence[Line]) -> None:
    """Lengthens the fences of all divs where code in the text would close one."""
    inside = [
        len(closing[1])
        for line, kind in zip(lines, kinds, strict=True)
        if kind.kind == "code" and (closing := _DIV_CLOSE.fullmatch(line))
    ]
    if not inside:
        return
    colons = ":" * (max(inside) + 1)
    for position, kind in enumerate(kinds):
        if kind.kind in ("open", "close"):
            rest = lines[position].lstrip().lstrip(":")
            lines[position] = colons + rest
