"""Links the markers of one run of inlines, in place.

The inlines are read as one flat text, in which whatever is no text is a single character of its
own; `markers` says where markers stand in it; the places found are cut out of the inlines and
links put there.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.markers import LINE_BREAK, Marker, find
from cite_filter.notes import cited_source, compare, text_of
from cite_filter.pandoc_ast import Inlines
from cite_filter.raw_html import protected, raised
from cite_filter.style import Style
from cite_filter.turns import Turn

# Noncharacters: what a document's own text cannot be mistaken for.
_OPAQUE, _NOTE = "\ufdd0", "\ufdd2"
_OWN = str.maketrans(dict.fromkeys((_OPAQUE, _NOTE, LINE_BREAK), "\ufffd"))
_SIGNS = (_OPAQUE, _NOTE, LINE_BREAK)
_PLAIN = ("Str", "Space", "SoftBreak")
_NONE: frozenset[int] = frozenset()
_ENTERED = frozenset({*ast.INLINE_CHILDREN, "Note"})
_FLAT = {"Space": " ", "SoftBreak": "\n", "LineBreak": LINE_BREAK}
# A link's text that looks like a citation; four digits are a year.
_LABEL = re.compile(
    r"[\[({^]{0,3}([1-9][0-9]{0,2})(?:\s?[,;\u2013-]\s?\^?[1-9][0-9]{0,2})*[\])}^]{0,3}"
)
_LONGEST_LABEL = 24
"""Inlines that a label that is a number can have."""
_SWALLOWED = re.compile(r"\[\^?([1-9][0-9]{0,2})$")
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


class _Flat(NamedTuple):
    """A run of inlines as one text."""

    text: str
    offsets: list[int]
    """Where each inline begins in it, in code points."""
    notes: dict[int, str]
    """The places of notes that stand for a number."""
    inlines: Inlines
    raised: frozenset[int]
    """The positions of the inlines that raw tags raise."""

    def inline_at(self, offset: int) -> int:
        """The position of the inline that holds a place of the text."""
        return bisect_right(self.offsets, offset) - 1


class Seen(NamedTuple):
    """What became of a run: whether it changed, and the nodes whose insides are to be seen yet."""

    changed: bool
    inner: Sequence[ast.Node]


def link_run(inlines: Inlines, context: Context, style: Style) -> Seen:
    """Links the markers of `inlines`, without going into what they hold."""
    kinds = [node["t"] for node in inlines]
    kept = protected(inlines) if "RawInline" in kinds else _NONE
    inner: list[ast.Node] = []
    candidate = "Note" in kinds
    for position, kind in enumerate(kinds):
        if kind == "Str":
            candidate = candidate or "[" in inlines[position]["c"]
        elif kind in _ENTERED and position not in kept:
            inner.append(inlines[position])
        elif kind in ("Link", "Image"):
            _note_foreign(inlines[position], context.turn)
    if not candidate:
        return Seen(False, inner)
    flat = _flatten(inlines, kinds, context.turn, kept)
    edits = list(_edits(flat, context, style))
    if not edits:
        return Seen(False, inner)
    inlines[:] = _apply(edits, flat)
    if flat.notes or not all(edit.inlines for edit in edits):
        alive = {id(node) for node in inlines}
        inner = [node for node in inner if id(node) in alive]
    return Seen(True, inner)


def note_footnotes(inlines: Inlines, turn: Turn) -> None:
    """Notes down the definitions `[^1]: …` of a paragraph that are no copy of the source 1."""
    kinds = [node["t"] for node in inlines]
    if not _begins_with_caret(inlines, kinds):
        return
    flat = _flatten(inlines, kinds, turn, protected(inlines))
    for marker in find(flat.text):
        if marker.role != "definition" or not marker.caret:
            continue
        source = turn.sources.by_number.get(marker.numbers[0])
        if source is None:
            continue
        end = _line(flat.text, marker.start).end
        written = _between(marker.end, end, flat)
        relation = compare(text_of(written), source)
        if relation == "other":
            turn.footnotes.add(marker.numbers[0])
        elif relation == "citation":
            turn.commented.add(marker.numbers[0])


def is_number(inlines: Inlines) -> str | None:
    """The number that is the whole text of a link, as a citation's is; None for any other text.

    However it is written: raised, in code, as `¹` or `①`, in brackets, the first of several.
    """
    texts: list[str] = []
    stack = list(reversed(inlines))
    while stack:
        node = stack.pop()
        kind: str = node["t"]
        content: Any = node.get("c")
        if kind in ("Str", "Space"):
            texts.append(content if kind == "Str" else " ")
        elif kind in ("Code", "Math"):
            texts.append(content[1])
        elif kind != "RawInline":
            stack += reversed(ast.inner_inlines(node) or [])
        if len(texts) > _LONGEST_LABEL:
            return None
    label = _LABEL.fullmatch(unicodedata.normalize("NFKC", "".join(texts)).strip())
    return label[1] if label else None


def _note_foreign(link: ast.Node, turn: Turn) -> None:
    """Notes down a link that looks like a citation and leads elsewhere than to its source."""
    attributes, inlines, (url, _) = link["c"]
    number = None if "citation" in attributes[1] else is_number(inlines)
    if number is None and (swallowed := _SWALLOWED.search(url)):
        number = swallowed[1]  # a bare URL took the marker behind it
    if number is None:
        return
    source = turn.sources.by_number.get(number)
    if source is None or source.url != url:
        line = inlines[0].get("line", link.get("line")) if inlines else link.get("line")
        turn.foreign.setdefault(number, []).append(line)


def _begins_with_caret(inlines: Inlines, kinds: list[str]) -> bool:
    """Whether a line of a paragraph begins with `[^`."""
    starts = [0]
    if "SoftBreak" in kinds or "LineBreak" in kinds:
        starts += [at + 1 for at, kind in enumerate(kinds) if kind in ("SoftBreak", "LineBreak")]
    return any(
        at < len(kinds) and kinds[at] == "Str" and inlines[at]["c"].startswith("[^")
        for at in starts
    )


def _flatten(inlines: Inlines, kinds: list[str], turn: Turn, kept: frozenset[int]) -> _Flat:
    parts = [
        node["c"] if kind == "Str" else _FLAT.get(kind, _OPAQUE)
        for node, kind in zip(inlines, kinds, strict=True)
    ]
    for position in kept:
        parts[position] = _OPAQUE * (len(parts[position]) or 1)
    text = "".join(parts)
    specials = len(kinds) - sum(map(kinds.count, _PLAIN))
    if kept or sum(map(text.count, _SIGNS)) != specials:  # the document has such characters
        parts = [
            part.translate(_OWN) if kind == "Str" and position not in kept else part
            for position, (part, kind) in enumerate(zip(parts, kinds, strict=True))
        ]
        text = "".join(parts)
    offsets = list(accumulate(map(len, parts), initial=0))
    offsets.pop()
    notes: dict[int, str] = {}
    if "Note" in kinds:
        for position, node in enumerate(inlines):
            number = cited_source(node, turn.sources) if kinds[position] == "Note" else None
            if number is not None and position not in kept:
                notes[offsets[position]] = number
    up = raised(inlines) if "RawInline" in kinds else _NONE
    return _Flat(text, offsets, notes, inlines, up)


def _edits(flat: _Flat, context: Context, style: Style) -> Iterator[_Edit]:
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


def _joins(flat: _Flat, context: Context) -> str:
    """The white space that a marker goes over to what stands before it.

    In a paragraph that begins with a marker each line may be an entry of a list that a model
    wrote; there a marker that begins a line belongs to what follows it.
    """
    return " " if context.line_start and flat.text.startswith("[") else _BREAKS


def _is_duplicate(definition: Marker, turn: Turn) -> bool:
    number = definition.numbers[0]
    own = number in turn.footnotes or number in turn.commented
    return turn.sources.linkable(number) and not own


def _markers(flat: _Flat, line_start: bool) -> Iterator[Marker]:
    """The markers of the text, and the notes that stand for one, in order."""
    standing = [Marker(at, at + 1, (key,), "marker", False) for at, key in flat.notes.items()]
    found = find(flat.text, line_start=line_start)
    if not standing:
        return found
    return iter(sorted((*found, *standing)))


def _verify(marker: Marker, flat: _Flat, turn: Turn) -> bool:
    """Whether every number names a source that may be linked; notes down those that do not."""
    sources = turn.sources
    if marker.caret and not turn.footnotes.isdisjoint(marker.numbers):
        return False
    turn.named.update(number for number in marker.numbers if number in sources.by_number)
    if all(map(sources.linkable, marker.numbers)):
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


def _raised(run: list[Marker], flat: _Flat, context: Context, style: Style) -> Iterator[_Edit]:
    """One superscript for a run of markers, and with it the breaking space before it."""
    if not run:
        return
    start = run[0].start
    is_raised = context.raised or flat.inline_at(start) in flat.raised
    if style.collapses and not is_raised:
        joins = _joins(flat, context)
        while start and flat.text[start - 1] in joins:
            start -= 1
    numbers = [number for marker in run for number in marker.numbers]
    links = style.marker(numbers, context.turn, raised=is_raised, anchored=context.anchored)
    yield _Edit(start, run[-1].end, links)


def _line(flat: str, start: int) -> _Edit:
    """The line of a duplicate definition, with one of the breaks around it."""
    end = _LINE_END.search(flat, start)
    if end is not None:
        return _Edit(start, end.end(), [])
    return _Edit(max(start - 1, 0), len(flat), [])


def _apply(edits: list[_Edit], flat: _Flat) -> Inlines:
    result: Inlines = []
    position = 0
    for edit in edits:
        result += _between(position, max(edit.start, position), flat)
        result += edit.inlines
        position = edit.end
    result += _between(position, len(flat.text), flat)
    return result


def _between(start: int, end: int, flat: _Flat) -> Inlines:
    """The inlines of a stretch of the text; a Str that is cut keeps the part inside."""
    if start >= end:
        return []
    first, last = flat.inline_at(start), flat.inline_at(end - 1)
    inlines = flat.inlines[first : last + 1]
    _cut(inlines, -1, 0, end - flat.offsets[last])
    _cut(inlines, 0, start - flat.offsets[first], None)
    return inlines


def _cut(inlines: Inlines, position: int, start: int, end: int | None) -> None:
    """Keeps of a Str, at one end of `inlines`, a part of its text."""
    node = inlines[position]
    if node["t"] != "Str":
        return
    text = node["c"][start:end]
    if text != node["c"]:
        inlines[position] = {**node, "c": text}
