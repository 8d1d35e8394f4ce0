"""Links the markers of one run of inlines, in place.

The inlines are read as one flat text, in which whatever is no text is a single character of its
own; `markers` says where markers stand in it; the places found are cut out of the inlines and
links put there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.markers import LINE_BREAK, Marker, find
from cite_filter.notes import cited_source, is_copy, words
from cite_filter.pandoc_ast import Inlines
from cite_filter.raw_html import protected
from cite_filter.style import Style
from cite_filter.turns import Turn

# Noncharacters: what a document's own text cannot be mistaken for.
_OPAQUE, _NOTE = "\ufdd0", "\ufdd2"
_OWN = str.maketrans(dict.fromkeys((_OPAQUE, _NOTE, LINE_BREAK), "\ufffd"))
_FLAT = {"Space": " ", "SoftBreak": "\n", "LineBreak": LINE_BREAK}
# A link's text that looks like a citation; four digits are a year.
_LABEL = re.compile(r"\[{0,2}\^?([1-9][0-9]{0,2})\]{0,2}")
_BREAKS = " \n"
_LINE_END = re.compile("[\n" + LINE_BREAK + "]")


class Context(NamedTuple):
    """Where a run of inlines stands."""

    turn: Turn
    line_start: bool = False
    """It begins a line, where `[1]: …` is an attempt at a definition."""
    raised: bool = False
    """It is inside a superscript, so its markers are not raised again."""
    anchored: bool = True
    """Markers here may be led back to; not in a heading, which tables of contents repeat."""


class _Edit(NamedTuple):
    """Code points of the flat text to be cut out, and what comes in their place."""

    start: int
    end: int
    inlines: Inlines


class Seen(NamedTuple):
    """What became of a run: whether it changed, and the nodes whose insides are to be seen yet."""

    changed: bool
    inner: Sequence[ast.Node]


def link_run(inlines: Inlines, context: Context, style: Style) -> Seen:
    """Links the markers of `inlines`, without going into what they hold."""
    kept = protected(inlines)
    inner: list[ast.Node] = []
    candidate = False
    for position, node in enumerate(inlines):
        kind = node["t"]
        if kind == "Str":
            candidate = candidate or "[" in node["c"]
        elif kind == "Link":
            _note_foreign(node, context.turn)
        elif (kind in ast.INLINE_CHILDREN or kind == "Note") and position not in kept:
            inner.append(node)
            candidate = candidate or kind == "Note"
    if not candidate:
        return Seen(False, inner)
    flat, offsets, notes = _flatten(inlines, context.turn, kept)
    edits = list(_edits(flat, offsets, notes, inlines, context, style))
    if not edits:
        return Seen(False, inner)
    inlines[:] = _apply(edits, inlines, offsets, flat)
    alive = {id(node) for node in inlines}
    return Seen(True, [node for node in inner if id(node) in alive])


def note_footnotes(inlines: Inlines, turn: Turn) -> None:
    """Notes down the definitions `[^1]: …` of a paragraph that are no copy of the source 1."""
    if not any(node["t"] == "Str" and node["c"].startswith("[^") for node in inlines):
        return
    flat, offsets, _ = _flatten(inlines, turn, protected(inlines))
    for marker in find(flat):
        if marker.role != "definition" or not marker.caret:
            continue
        source = turn.sources.by_number.get(marker.numbers[0])
        if source is None:
            continue
        end = _line(flat, marker.start).end
        written = list(_between(marker.end, end, inlines, offsets, flat))
        if not is_copy(" ".join(words(written)), source):
            turn.footnotes.add(marker.numbers[0])


def _note_foreign(link: ast.Node, turn: Turn) -> None:
    """Notes down a link that looks like a citation and leads elsewhere than to its source."""
    attributes, inlines, (url, _) = link["c"]
    if len(inlines) == 1 and inlines[0]["t"] == "Superscript":
        inlines = inlines[0]["c"]
    if len(inlines) != 1 or inlines[0]["t"] != "Str" or "citation" in attributes[1]:
        return
    label = _LABEL.fullmatch(inlines[0]["c"])
    if label is None:
        return
    source = turn.sources.by_number.get(label[1])
    if source is None or source.url != url:
        line = inlines[0].get("line", link.get("line"))
        turn.foreign.setdefault(label[1], []).append(line)


def _flatten(
    inlines: Inlines, turn: Turn, kept: frozenset[int]
) -> tuple[str, list[int], dict[int, str]]:
    """The flat text, where each inline begins in it, and the numbers that notes stand for."""
    parts: list[str] = []
    offsets: list[int] = []
    notes: dict[int, str] = {}
    offset = 0
    for position, node in enumerate(inlines):
        kind = node["t"]
        if position in kept:
            part = _OPAQUE * (len(node["c"]) if kind == "Str" else 1)
        elif kind == "Str":
            part = node["c"]
            if not part.isascii():
                part = part.translate(_OWN)
        elif kind == "Note" and (number := cited_source(node, turn.sources)):
            part = _NOTE
            notes[offset] = number
        else:
            part = _FLAT.get(kind, _OPAQUE)
        offsets.append(offset)
        parts.append(part)
        offset += len(part)
    return "".join(parts), offsets, notes


def _edits(
    flat: str,
    offsets: list[int],
    notes: dict[int, str],
    inlines: Inlines,
    context: Context,
    style: Style,
) -> Iterator[_Edit]:
    run: list[Marker] = []
    for marker in _markers(flat, notes, context.line_start):
        if marker.role == "definition":
            if marker.caret and _is_duplicate(marker, context.turn):
                yield from _raised(run, flat, context, style)
                run = []
                yield _line(flat, marker.start)
        elif marker.role == "marker" and _verify(marker, offsets, inlines, context.turn):
            if run and flat[run[-1].end : marker.start].strip(_BREAKS):
                yield from _raised(run, flat, context, style)
                run = []
            run.append(marker)
    yield from _raised(run, flat, context, style)


def _is_duplicate(definition: Marker, turn: Turn) -> bool:
    number = definition.numbers[0]
    return turn.sources.linkable(number) and number not in turn.footnotes


def _markers(flat: str, notes: dict[int, str], line_start: bool) -> Iterator[Marker]:
    """The markers of the text, and the notes that stand for one, in order."""
    standing = [Marker(at, at + 1, (number,), "marker", False) for at, number in notes.items()]
    found = find(flat, line_start=line_start)
    if not standing:
        return found
    return iter(sorted((*found, *standing)))


def _verify(marker: Marker, offsets: list[int], inlines: Inlines, turn: Turn) -> bool:
    """Whether every number names a source that may be linked; notes down those that do not."""
    sources = turn.sources
    if marker.caret and not turn.footnotes.isdisjoint(marker.numbers):
        return False
    turn.named.update(number for number in marker.numbers if number in sources.by_number)
    if all(map(sources.linkable, marker.numbers)):
        turn.linked += 1
        turn.cited.update(marker.numbers)
        return True
    line = inlines[bisect_right(offsets, marker.start) - 1].get("line")
    for number in dict.fromkeys(marker.numbers):
        if number not in sources.by_number:
            turn.unknown.setdefault(number, []).append(line)
        elif not sources.linkable(number):
            turn.unsafe.setdefault(number, []).append(line)
    return False


def _raised(run: list[Marker], flat: str, context: Context, style: Style) -> Iterator[_Edit]:
    """One superscript for a run of markers, and with it the breaking space before it."""
    if not run:
        return
    start = run[0].start
    if style.collapses and not context.raised:
        while start and flat[start - 1] in _BREAKS:
            start -= 1
    numbers = [number for marker in run for number in marker.numbers]
    links = style.marker(numbers, context.turn, raised=context.raised, anchored=context.anchored)
    yield _Edit(start, run[-1].end, links)


def _line(flat: str, start: int) -> _Edit:
    """The line of a duplicate definition, with one of the breaks around it."""
    end = _LINE_END.search(flat, start)
    if end is not None:
        return _Edit(start, end.end(), [])
    return _Edit(max(start - 1, 0), len(flat), [])


def _apply(edits: list[_Edit], inlines: Inlines, offsets: list[int], flat: str) -> Inlines:
    result: Inlines = []
    position = 0
    for edit in edits:
        start = max(edit.start, position)
        result += _between(position, start, inlines, offsets, flat)
        result += edit.inlines
        position = edit.end
    result += _between(position, len(flat), inlines, offsets, flat)
    return result


def _between(
    start: int, end: int, inlines: Inlines, offsets: list[int], flat: str
) -> Iterator[ast.Node]:
    """The inlines of a stretch of the flat text; a Str that is cut keeps the part inside."""
    if start >= end:
        return
    for position in range(max(bisect_right(offsets, start) - 1, 0), len(inlines)):
        begin = offsets[position]
        if begin >= end:
            return
        node = inlines[position]
        if node["t"] != "Str":
            yield node
            continue
        text = node["c"][max(start - begin, 0) : end - begin]
        if text:
            yield node if text == node["c"] else {**node, "c": text}
