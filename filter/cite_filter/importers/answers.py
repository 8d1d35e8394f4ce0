"""An answer on its way into a transcript: its text, and the citations that are put into it.

An importer says which stretch of the text stands for which sources; the numbers, the markers and
the order in which they are put in are the business of this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from cite_filter.importers import mathematics
from cite_filter.importers.indices import Indices
from cite_filter.importers.places import Places
from cite_filter.importers.thoughts import end_of_thoughts, later_thoughts
from cite_filter.markers import Marker, find
from cite_filter.prose import mask
from cite_filter.source_text import UNRESOLVED
from cite_filter.sources import Source
from cite_filter.transcripts import Turn

_PARTING = "<!-- -->"
_NEAR = 100
"""Characters around a marker that are looked at to see what it is read as."""
_TRACKING = re.compile(r"[?&]utm_source=(?:chatgpt\.com|openai)(?=&|#|$)")


class Cited(NamedTuple):
    """A source as an export names it."""

    url: str
    title: str = ""


class _Edit(NamedTuple):
    start: int
    end: int
    cited: tuple[Cited, ...]
    text: str
    is_lost: bool = False
    """Whether it stands for a citation that nothing resolves."""


@dataclass(slots=True)
class Answer:
    """The text of one answer, and what is to be changed in it.

    Places are code points of `text`. Nothing changes before `turn` is called.
    """

    text: str
    numbers: dict[int, Cited] = field(default_factory=dict)
    """For exports that cite by number: what each number of the text stands for."""
    unresolved: int = 0
    """Citations whose source the export does not hold."""
    unplaced: int = 0
    """After `turn`: citations that stand where no marker can, so that they are only listed."""
    _edits: list[_Edit] = field(default_factory=list)
    _listed: list[Cited] = field(default_factory=list)
    _shown: int = 0
    _hidden: int = 0

    def cite(self, start: int, end: int, cited: Sequence[Cited]) -> None:
        """Puts markers for `cited` in place of `text[start:end]`; with start == end, at a place.

        Markers put at one place stand in the order of the calls.
        """
        self._edits.append(_Edit(start, end, tuple(cited), ""))

    def lose(self, start: int, end: int, shown: str = UNRESOLVED) -> None:
        """Notes a citation at `text[start:end]` that nothing resolves, and shows that it is one."""
        self.unresolved += 1
        self._shown += 1
        self._edits.append(_Edit(start, end, (), shown, is_lost=True))

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts `text` in place of `text[start:end]`."""
        self._edits.append(_Edit(start, end, (), text))

    def list(self, cited: Cited) -> None:
        """Lists a source that the answer names without a place in the text."""
        self._listed.append(cited)

    def cite_by_number(self, known: Mapping[int, Cited]) -> None:
        """Lets the text's own markers stand for what they number; counts the numbers not `known`.

        These stay as written. What is known and not cited becomes no source.
        """
        self.leave_thoughts()
        cited = [int(n) for marker in citing(self.text) for n in marker.numbers if len(n) < 10]
        self.numbers = {number: known[number] for number in sorted({*cited} & known.keys())}
        self.unresolved += sum(number not in known for number in cited)

    def leave_thoughts(self) -> None:
        """Takes out the thoughts of the text, and what they cite."""
        for start, end in reversed(list(later_thoughts(self.text))):
            self._cut(start, end)
        self._cut(0, end_of_thoughts(self.text))

    def _cut(self, start: int, end: int) -> None:
        """Takes a stretch out of the text, with what was to be changed in it."""
        length = end - start
        if not length:
            return
        self.text = self.text[:start] + self.text[end:]
        edits, self._edits = self._edits, []
        for edit in edits:
            if edit.start >= end:
                moved = edit._replace(start=edit.start - length, end=edit.end - length)
                self._edits.append(moved)
            elif edit.start < start:
                self._edits.append(edit)
            elif edit.is_lost:
                self.unresolved -= 1
                self._shown -= 1

    def complaints(self) -> Iterator[str]:
        """What is to be said, after `turn`, of citations without a source or without a place."""
        if count := self.unresolved:
            citations = "1 citation has" if count == 1 else f"{count} citations have"
            ways = [
                *([f"shown as {UNRESOLVED}"] if self._shown else []),
                *(["not shown"] if self._hidden else []),
                *(["left as written"] if self._shown + self._hidden < count else []),
            ]
            yield f"{citations} no source in this export; {' or '.join(ways)}"
        if count := self.unplaced:
            citations = (
                "1 citation stands where no marker can (code, a rule, HTML); its source is"
                if count == 1
                else f"{count} citations stand where no marker can (code, a rule, HTML); "
                "their sources are"
            )
            yield f"{citations} listed without a place"

    def turn(self, prompt: str = "", *, date: str | None = None) -> Turn:
        """The turn, with every citation as a marker."""
        self.leave_thoughts()
        places = Places(self.text)
        numbering = _Numbering(self.numbers, self._taken(places.masked))
        text = self.text
        pieces: list[tuple[str, bool]] = []
        done = 0
        edits = [*self._placed(places), *self._indices(places.masked)]
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start < done < edit.end:  # overlaps what another edit replaced
                continue
            pieces += [(text[done : edit.start], False), (edit.text, False)]
            numbers = dict.fromkeys(numbering.number(cited) for cited in edit.cited)
            pieces += [(f"[{number}]", True) for number in numbers]
            done = max(done, edit.end)
        written = _joined([*pieces, (text[done:], False)])
        for cited in self._listed:
            numbering.number(cited)
        answer = mathematics.convert(written).strip("\n")
        return Turn(answer, prompt.strip("\n"), sources=numbering.sources(), date=date)

    def _placed(self, places: Places) -> Iterator[_Edit]:
        """The edits; what is only put in stands where it is read as what it is, else is listed."""
        for edit in self._edits:
            if edit.start < edit.end:
                yield edit
            elif (place := places.near(edit.start)) is not None:
                gap = places.gap(place)
                yield edit._replace(start=place, end=place, text=gap + edit.text)
            elif edit.is_lost:
                self._shown -= 1
                self._hidden += 1
            else:
                self._listed += edit.cited
                self.unplaced += len(edit.cited)

    def _indices(self, masked: str) -> Iterator[_Edit]:
        """What makes `x[1]` no marker: an index behind a variable's one letter.

        An empty HTML comment in it shows nothing and parts it for the filter.
        """
        known = {str(number) for number in self.numbers}
        if not known:
            return
        indices = Indices(self.text)
        edited = bytearray(len(self.text) + 1)
        for edit in self._edits:
            edited[edit.start : edit.end] = b"1" * (edit.end - edit.start)
        for marker in find(masked):
            is_known = marker.role == "marker" and known.issuperset(marker.numbers)
            if is_known and not edited[marker.start] and indices.has(marker):
                yield _Edit(marker.start, marker.start + 1, (), f"[{_PARTING}")

    def _taken(self, masked: str) -> set[int]:
        """The numbers in brackets that stand in the text and are no citations."""
        return {
            int(number) for marker in find(masked) for number in marker.numbers if len(number) < 10
        }


class _Numbering:
    """Numbers for sources: those of the export, and free ones for what it gives none."""

    def __init__(self, numbers: dict[int, Cited], taken: set[int]) -> None:
        self.used = dict(numbers)
        self.by_url = {_page(cited): number for number, cited in reversed(numbers.items())}
        self.taken = taken

    def number(self, cited: Cited) -> int:
        url = _page(cited)
        if url not in self.by_url:
            number = 1 + max(self.used, default=0)
            while number in self.taken:
                number += 1
            self.used[number] = cited
            self.by_url[url] = number
        known = self.used[self.by_url[url]]
        if not known.title and cited.title:
            self.used[self.by_url[url]] = known._replace(title=cited.title)
        return self.by_url[url]

    def sources(self) -> list[Source]:
        return [
            Source(number, " ".join(cited.title.split()), _page(cited))
            for number, cited in sorted(self.used.items())
        ]


def _joined(pieces: Iterable[tuple[str, bool]]) -> str:
    """The pieces as one text, in which those that are markers are read as such.

    Empty comments part them from what would make a link, an image or a definition of them.
    """
    groups = groupby((piece for piece in pieces if piece[0]), key=lambda piece: piece[1])
    runs = [("", False)]
    runs += [("".join(text for text, _ in group), are_markers) for are_markers, group in groups]
    runs.append(("", False))
    for position, (run, are_markers) in enumerate(runs):
        if are_markers:
            before, behind = runs[position - 1][0], runs[position + 1][0]
            near = before[-_NEAR:]
            found = find(near + run + behind[:_NEAR], line_start=near == before)
            if next(marker for marker in found if marker.start == len(near)).role != "marker":
                left = _PARTING if before[-1:] in ("]", "!") else ""  # at no start of a line
                right = _PARTING if behind[:1] in ("(", "[", ":") else ""
                runs[position] = (left + run + right, True)
    return "".join(run for run, _ in runs)


def _page(cited: Cited) -> str:
    return without_tracking(cited.url.strip())


def without_tracking(url: str) -> str:
    """`url` without the parameter that ChatGPT and OpenAI's tools add; nothing else changes."""
    found = _TRACKING.search(url)
    if found is None:
        return url
    before, behind = url[: found.start()], url[found.end() :]
    if found[0][0] == "?" and behind.startswith("&"):
        return f"{before}?{behind[1:]}"
    return before + behind


def citing(text: str) -> Iterator[Marker]:
    """The markers in a text that cite: none in code, none of a link, no index of a variable."""
    masked, indices = mask(text), Indices(text)
    for marker in find(masked):
        if marker.role == "marker" and not indices.has(marker):
            yield marker
