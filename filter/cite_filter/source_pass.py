"""The source pass: what no filter can mend, for Pandoc's reader acts before any filter runs.

The reader takes `[1]: …` for a definition of its own, valid in the whole file. One that only
repeats a source of its turn goes; any other is made text, or it would turn markers of all turns
into links that nobody checked. Two prices would become a formula, and a marker behind a bare URL
part of it: both are kept apart.
"""

from __future__ import annotations

import re
import unicodedata

from cite_filter import dollars, source_lists
from cite_filter import pandoc_ast as ast
from cite_filter.notes import addresses, compare, without_closers
from cite_filter.outline import Attempt, Outline
from cite_filter.turns import Place, Text, Turn
from cite_filter.yaml_text import in_ascii

_LABEL = re.compile(r"\^?([1-9][0-9]*)")
_LIST_ITEM = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)]|\[[ xX]\])[ \t]++[ \t>]*+)+")
_QUOTATION = re.compile(r"[ \t>]*")
_BACKTICKS = re.compile("`+")
# A word that holds a URL and, somewhere behind it, a bracket.
_WORD = re.compile(r"(?<!\S)\S*?(?:https?://|www\.)\S*", re.I)
_ADDRESS = re.compile(r"https?://|www\.", re.I)
_MARKERS = re.compile(r"(?:\[\^?[1-9][0-9]*(?:,[ ]?\^?[1-9][0-9]*)*\])+")
_CLOSERS = ".,;:!?*_~\"'”’"


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
        relation = compare(written, source)
        if relation == "other" and (address := next(iter(addresses(written)), None)):
            messages.append(
                f"line {attempt.start + 1}: the answer says that [{label[1]}] is "
                f"{ast.clean(address)}, but the source is {ast.clean(source.url)}"
            )
        if relation == "copy" and attempt.is_definition:
            _blank(lines, attempt)
        else:
            _make_text(lines, attempt)
    return messages


def characters(lines: list[str], places: list[Place]) -> None:
    """Writes lists of sources so that Pandoc changes no character of theirs, in place.

    Its readers compose characters (e and an accent become one), and a URL would be another one.
    """
    for place in places:
        written: str = place.block["c"][1]
        if unicodedata.is_normalized("NFC", written):
            continue
        entries = source_lists.entries_of(source_lists.compose(written))
        first = place.block["line"]
        count = written.rstrip("\n").count("\n") + 1
        held = ", ".join(
            "{"
            + ", ".join(
                f"{in_ascii(key)}: {in_ascii(value)}" for key, value in fields if value is not None
            )
            + "}"
            for fields in (entry.fields.items() for entry in entries)
        )
        lines[first : first + count] = [f"[{held}]", *[""] * (count - 1)]
        place.block["c"][1] = "\n".join(lines[first : first + count])


def paragraphs(lines: list[str], outline: Outline) -> None:
    """Keeps prices from becoming formulas, and markers apart from bare URLs; in place."""
    for first, last in outline.paragraphs:
        text = "\n".join(lines[first:last])
        if dollars.SUSPECT.search(text):
            text = dollars.escape(text)
        lines[first:last] = part_urls(text).split("\n")


def part_urls(text: str) -> str:
    """The paragraph, in which a bare URL with a marker behind it is kept apart from the marker."""
    pieces: list[str] = []
    done = position = 0
    while opening := _BACKTICKS.search(text, position):
        position = dollars.after_code(text, opening[0], opening.end())
        if position > opening.end():
            pieces += [_WORD.sub(_parted, text[done : opening.start()])]
            pieces += [text[opening.start() : position]]
            done = position
    return "".join([*pieces, _WORD.sub(_parted, text[done:])])


def _parted(word: re.Match[str]) -> str:
    text, start, end = word.string, word.start(), word.end()
    address = _ADDRESS.search(text, start, end)
    bracket = text.find("[", address.end(), end) if address else -1
    markers = _MARKERS.match(text, bracket) if bracket >= 0 else None
    before = text[max(address.start() - 2, start) : address.start()] if address else ""
    if address is None or markers is None or before.endswith(("](", "<", '="', "='", "/", "@")):
        return word[0]
    url = without_closers(text[address.start() : bracket], _CLOSERS)
    behind = text[address.start() + len(url) : end]
    if url.lower().startswith("www."):
        return f"{text[start : address.start()]}{url}<!---->{behind}"
    return f"{text[start : address.start()]}<{url}>{behind}"


def _make_text(lines: list[str], attempt: Attempt) -> None:
    line = lines[attempt.start]
    behind = len(attempt.prefix)
    # A definition is no paragraph to a reader, so `paragraphs` has not seen it; now it is one.
    lines[attempt.start] = attempt.prefix + "\\" + part_urls(line[behind:])


def _blank(lines: list[str], attempt: Attempt) -> None:
    """Empties the lines of a definition, and a list item that holds nothing else."""
    item = _LIST_ITEM.fullmatch(attempt.prefix)
    for position in range(attempt.start, attempt.end):
        quotation = _QUOTATION.match(lines[position])
        kept = quotation[0].rstrip() if quotation else ""
        if position == attempt.start and item is not None and _goes_on(lines, attempt):
            kept = attempt.prefix + "<!---->"  # an item may not begin with an empty line
        lines[position] = kept


def _goes_on(lines: list[str], attempt: Attempt) -> bool:
    """Whether the list item of a definition holds more than the definition."""
    following = next((line for line in lines[attempt.end :] if line.strip(" \t>")), "")
    return len(following) - len(following.lstrip(" \t>")) >= len(attempt.prefix)
