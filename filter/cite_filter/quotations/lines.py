"""What lines of Markdown begin with: fences, bullets, `>`, the bars of tables."""

from __future__ import annotations

import re

from cite_filter.quotations.pieces import Found, of_code

_FENCE = re.compile(r"\n[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n`]*")
_LINE = re.compile(r"\n[ ]{0,3}(?:(?P<quotation>(?:>[ ]?)+)|(?P<bullet>[-*+])[ \t]+)")
_ROW = re.compile(r"\n[ ]{0,3}\|[^\n`\[<&!]*(?=\|[ ]*(?:\n|\Z))\|")
"""A row of a table that has no other mark-up."""
_BAR = re.compile(r"(?<!\\)\|")
_CLAUSE_ENDS = tuple(".:;!?…。：；！？")


class Lines:
    """The lines of one text in Markdown."""

    def __init__(self, text: str, *, is_passage: bool) -> None:
        """`is_passage` says that the text is one of a page, and may begin anywhere in it."""
        self.text = text
        self.is_passage = is_passage
        self._begun = (0, "")  # the line that last began with a mark, and the mark

    def at(self, at: int) -> Found | None:
        """A fence, or the mark that a line begins with; `at` is the line break before it."""
        text = self.text if at >= 0 else "\n" + self.text[:400]
        start = max(at, 0)
        fence = _FENCE.match(text, start)
        if fence is not None:
            return self._fence(at, fence["fence"], fence.end() - (at < 0))
        row = _ROW.match(text, start)
        if row is not None:
            return self._row(at, row)
        line = _LINE.match(text, start)
        if line is None:
            return None
        mark = ">" if line["quotation"] else line["bullet"]
        before_number = text[line.end() : line.end() + 1].isdigit()
        if before_number and at < 0 and self.is_passage:
            return None  # a quotation that begins with a sign
        if at >= 0 and not self._may_begin(at, mark, before_number):
            return None  # U1, U2: a sign, or an operator, that a line break has brought there
        self._begun = at + 1, mark
        end = line.end() - (at < 0)
        seen = "\n" if mark == ">" else "\n\n"  # an item is a block of its own
        return Found(end, [(start, end, seen if at >= 0 else "")])

    def _row(self, at: int, row: re.Match[str]) -> Found:
        """A row of a table: its bars are space, and the rule below the heads is none of it."""
        shift = int(at < 0)
        start, end = max(at, 0), row.end() - shift
        if not any(map(str.isalnum, row[0])):
            return Found(end, [(start, end, "\n")])
        found = _BAR.finditer(self.text, start + 1 - shift, end)
        bars = [(bar.start(), bar.end(), " ") for bar in found]
        return Found(end, bars if shift else [(start, start + 1, "\n"), *bars])

    def _may_begin(self, at: int, mark: str, before_number: bool) -> bool:
        """Whether a list or a block quotation may begin, or go on, behind the line before."""
        before = self.text.rfind("\n", 0, at) + 1
        if self._begun == (before, mark):
            return True
        line = self.text[max(before, at - 200) : at].strip()
        if before_number:
            return not line.strip("> ") or (mark != ">" and line.endswith(":"))
        return not line.strip("> ") or line.endswith(_CLAUSE_ENDS)

    def _fence(self, at: int, fence: str, end: int) -> Found:
        """A block of code: its fences go, and nothing in it is mark-up."""
        start = max(at, 0)
        opening = (start, end, "\n" if at >= 0 else "")
        close = self.text.find("\n" + fence, end)
        if close < 0:
            return Found(len(self.text), [opening, *of_code(self.text, end, len(self.text))])
        line_end = self.text.find("\n", close + 1)
        line_end = len(self.text) if line_end < 0 else line_end
        return Found(line_end, [opening, *of_code(self.text, end, close), (close, line_end, "")])
