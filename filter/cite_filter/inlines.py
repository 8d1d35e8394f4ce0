"""Links the markers of one run of inlines, in place.

The inlines are read as one flat text (`flat`); `markers` says where markers stand in it; the
places found are cut out of the inlines and links put there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.flat import Edit, Flat, apply, between, flatten, holds_more_than_words, parts_of
from cite_filter.lookalikes import note_foreign
from cite_filter.markers import LINE_BREAK, Marker, find
from cite_filter.notes import compare, text_of
from cite_filter.pandoc_ast import Inlines
from cite_filter.raw_html import protected
from cite_filter.style import Style
from cite_filter.turns import Turn

_NONE: frozenset[int] = frozenset()
_ENTERED = frozenset({*ast.INLINE_CHILDREN, "Note"})
_BREAKS = " \n"
_LINE_END = re.compile("[\n" + LINE_BREAK + "]")
_CARET = re.compile("(?:^|[\n" + LINE_BREAK + r"])\[\^")


class Context(NamedTuple):
    """Where a run of inlines stands."""

    turn: Turn
    line_start: bool = False
    """It begins a line, where `[1]: …` is an attempt at a definition."""
    raised: bool = False
    """It is inside a superscript, so its markers are not raised again."""
    anchored: bool = True
    """Markers here may be led back to; not in a heading, which tables of contents repeat."""


class Seen(NamedTuple):
    """What became of a run: whether it changed, and the nodes whose insides are to be seen yet."""

    changed: bool
    inner: Sequence[ast.Node]


def link_run(inlines: Inlines, context: Context, style: Style) -> Seen:
    """Links the markers of `inlines`, without going into what they hold."""
    parts = parts_of(inlines)
    text = "".join(parts)
    inner: list[ast.Node] = []
    candidate = "[" in text
    kept = _NONE
    if holds_more_than_words(text):
        kinds = [node["t"] for node in inlines]
        kept = protected(inlines) if "RawInline" in kinds else _NONE
        candidate = candidate or "Note" in kinds
        for position, kind in enumerate(kinds):
            if kind in _ENTERED and position not in kept:
                inner.append(inlines[position])
            elif kind in ("Link", "Image"):
                note_foreign(inlines[position], context.turn)
    if not candidate:
        return Seen(False, inner)
    flat = flatten(inlines, parts, context.turn, kept)
    found = list(edits(flat, context, style))
    if not found:
        return Seen(False, inner)
    inlines[:] = apply(found, flat)
    if flat.notes or not all(edit.inlines for edit in found):
        alive = {id(node) for node in inlines}
        inner = [node for node in inner if id(node) in alive]
    return Seen(True, inner)


def note_footnotes(inlines: Inlines, turn: Turn) -> None:
    """Notes down the definitions `[^1]: …` of a paragraph that are no copy of the source 1."""
    parts = parts_of(inlines)
    if not _CARET.search("".join(parts)):
        return
    flat = flatten(inlines, parts, turn, protected(inlines))
    for marker in find(flat.text):
        if marker.role != "definition" or not marker.caret:
            continue
        source = turn.sources.by_number.get(marker.numbers[0])
        if source is None:
            continue
        end = _line(flat.text, marker.start).end
        written = between(marker.end, end, flat)
        relation = compare(text_of(written), source)
        if relation == "other":
            turn.footnotes.add(marker.numbers[0])
        elif relation == "citation":
            turn.commented.add(marker.numbers[0])


def edits(flat: Flat, context: Context, style: Style) -> Iterator[Edit]:
    """What is to be put in the place of the markers of a flat text, in order."""
    run: list[Marker] = []
    removed = 0
    for marker in _markers(flat, context.line_start):
        if marker.start < removed:
            continue  # in a line that went
        if marker.role == "definition":
            if marker.caret and _is_duplicate(marker, context.turn):
                yield from _raised(run, flat, context, style)
                run = []
                line = _line(flat.text, marker.start)
                removed = line.end
                yield line
        elif marker.role == "marker" and _verify(marker, flat, context.turn):
            if run and flat.text[run[-1].end : marker.start].strip(_joins(flat, context)):
                yield from _raised(run, flat, context, style)
                run = []
            run.append(marker)
    yield from _raised(run, flat, context, style)


def _joins(flat: Flat, context: Context) -> str:
    """The white space that a marker goes over to what stands before it.

    In a paragraph that begins with a marker each line may be an entry of a list that a model
    wrote; there a marker that begins a line belongs to what follows it.
    """
    return " " if context.line_start and flat.text.startswith("[") else _BREAKS


def _is_duplicate(definition: Marker, turn: Turn) -> bool:
    number = definition.numbers[0]
    own = number in turn.footnotes or number in turn.commented
    return turn.sources.linkable(number) and not own


def _markers(flat: Flat, line_start: bool) -> Iterator[Marker]:
    """The markers of the text, and the notes that stand for one, in order."""
    standing = [Marker(at, at + 1, (key,), "marker", False) for at, key in flat.notes.items()]
    found = find(flat.text, line_start=line_start)
    if not standing:
        return found
    return iter(sorted((*found, *standing)))


def _verify(marker: Marker, flat: Flat, turn: Turn) -> bool:
    """Whether every number names a source that may be linked; notes down those that do not."""
    sources = turn.sources
    if marker.caret and not turn.footnotes.isdisjoint(marker.numbers):
        return False
    turn.named.update([number for number in marker.numbers if number in sources.by_number])
    if sources.safe.issuperset(marker.numbers):
        turn.linked += 1
        turn.cited.update(marker.numbers)
        return True
    line = flat.inlines[flat.inline_at(marker.start)].get("line")
    for number in dict.fromkeys(marker.numbers):
        if number not in sources.by_number:
            turn.unknown.setdefault(number, []).append(line)
        elif not sources.linkable(number):
            turn.unsafe.setdefault(number, []).append(line)
    return False


def _raised(run: list[Marker], flat: Flat, context: Context, style: Style) -> Iterator[Edit]:
    """One superscript for a run of markers, and with it the breaking space before it."""
    if not run:
        return
    start = run[0].start
    is_raised = context.raised or (bool(flat.raised) and flat.inline_at(start) in flat.raised)
    if style.collapses and not is_raised:
        joins = _joins(flat, context)
        while start and flat.text[start - 1] in joins:
            start -= 1
    numbers = [number for marker in run for number in marker.numbers]
    links = style.marker(numbers, context.turn, raised=is_raised, anchored=context.anchored)
    yield Edit(start, run[-1].end, links)


def _line(flat: str, start: int) -> Edit:
    """The line of a duplicate definition, with one of the breaks around it."""
    end = _LINE_END.search(flat, start)
    if end is not None:
        return Edit(start, end.end(), [])
    return Edit(max(start - 1, 0), len(flat), [])
