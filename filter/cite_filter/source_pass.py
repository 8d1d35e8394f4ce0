"""The source pass: what no filter can mend, for Pandoc's reader acts before any filter runs.

The reader takes `[1]: …` for a definition of its own, valid in the whole file. One that only
repeats a source of its turn goes; any other is made text, or it would turn markers of all turns
into links that nobody checked. Two prices would become a formula, and a marker behind a bare URL
part of it: both are kept apart.
"""

from __future__ import annotations

import re

from cite_filter import dollars
from cite_filter import pandoc_ast as ast
from cite_filter.notes import is_copy
from cite_filter.outline import Attempt, Outline
from cite_filter.turns import Text, Turn

_LABEL = re.compile(r"\^?([1-9][0-9]*)")
_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_QUOTATION = re.compile(r"[ \t>]*")
_BACKTICKS = re.compile("`+")
_URL = re.compile(r"https?://\S+")
# A marker right behind a bare URL, which a reader would take into the URL.
_GLUED = re.compile(
    r"(?<![\w<(\"'=\]/])(https?://[^\s<>\[\]()`]*[^\s<>\[\]()`.,;:!?*_~])"
    r"(?=(?:\[\^?[1-9][0-9]*(?:,[ ]?\^?[1-9][0-9]*)*\])++(?![(\[\w]))"
)


def definitions(lines: list[str], outline: Outline, texts: list[Text]) -> list[str]:
    """Drops or makes text of each definition, in place; what is to be said of them, with lines."""
    turns: dict[int, Turn] = {id(text.block): text.turn for text in texts}
    messages: list[str] = []
    for block in outline.attempts:
        attempt: Attempt = block["attempt"]
        turn = turns.get(id(block))  # None in a prompt
        label = _LABEL.fullmatch(attempt.label)
        known = turn is not None and label is not None and turn.sources.linkable(label[1])
        if turn is None or label is None or not known:
            _make_text(lines, attempt)
            continue
        source = turn.sources.by_number[label[1]]
        written = " ".join(lines[attempt.start : attempt.end]).partition("]:")[2]
        if not is_copy(written, source):
            _make_text(lines, attempt)
            if address := _URL.search(written):
                messages.append(
                    f"line {attempt.start + 1}: the answer says that [{label[1]}] is "
                    f"{ast.clean(address[0])}, but the source is {ast.clean(source.url)}"
                )
        elif attempt.is_definition:
            _blank(lines, attempt)
    return messages


def paragraphs(lines: list[str], outline: Outline) -> None:
    """Keeps prices from becoming formulas, and markers apart from bare URLs; in place."""
    for first, last in outline.paragraphs:
        text = "\n".join(lines[first:last])
        if dollars.SUSPECT.search(text):
            text = dollars.escape(text)
        lines[first:last] = _part_urls(text).split("\n")


def _part_urls(text: str) -> str:
    """The paragraph, in which a bare URL with a marker behind it stands in angle brackets."""
    if not _GLUED.search(text):
        return text
    pieces: list[str] = []
    done = position = 0
    while opening := _BACKTICKS.search(text, position):
        position = dollars.after_code(text, opening[0], opening.end())
        if position > opening.end():
            pieces += [_GLUED.sub(r"<\1>", text[done : opening.start()])]
            pieces += [text[opening.start() : position]]
            done = position
    return "".join([*pieces, _GLUED.sub(r"<\1>", text[done:])])


def _make_text(lines: list[str], attempt: Attempt) -> None:
    line = lines[attempt.start]
    behind = len(attempt.prefix)
    lines[attempt.start] = attempt.prefix + "\\" + line[behind:]


def _blank(lines: list[str], attempt: Attempt) -> None:
    """Empties the lines of a definition, and a list item that holds nothing else."""
    for position in range(attempt.start, attempt.end):
        quotation = _QUOTATION.match(lines[position])
        before = attempt.prefix if position == attempt.start else quotation[0] if quotation else ""
        lines[position] = "" if _LIST_ITEM.fullmatch(before) else before.rstrip()
