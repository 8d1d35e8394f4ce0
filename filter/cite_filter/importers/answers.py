"""An answer on its way into a transcript: its text, and the citations that are put into it.

An importer says which stretch of the text stands for which sources; the numbers, the markers and
the order in which they are put in are the business of this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cite_filter.importers import mathematics
from cite_filter.markers import find
from cite_filter.prose import mask
from cite_filter.sources import Source
from cite_filter.transcripts import Turn

UNRESOLVED = "[?]"
"""Stands in the text for a citation whose source the export does not hold."""

_INDEX = re.compile(r"(?<![^\W_])[a-z]$")
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
    _edits: list[_Edit] = field(default_factory=list)
    _listed: list[Cited] = field(default_factory=list)

    def cite(self, start: int, end: int, cited: Sequence[Cited]) -> None:
        """Puts markers for `cited` in place of `text[start:end]`; with start == end, at a place.

        Markers put at one place stand in the order of the calls.
        """
        self._edits.append(_Edit(start, end, tuple(cited), ""))

    def lose(self, start: int, end: int, shown: str = UNRESOLVED) -> None:
        """Notes a citation at `text[start:end]` that nothing resolves, and shows that it is one."""
        self.unresolved += 1
        self.replace(start, end, shown)

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts `text` in place of `text[start:end]`."""
        self._edits.append(_Edit(start, end, (), text))

    def list(self, cited: Cited) -> None:
        """Lists a source that the answer names without a place in the text."""
        self._listed.append(cited)

    def turn(self, prompt: str = "", *, date: str | None = None) -> Turn:
        """The turn, with every citation as a marker."""
        numbering = _Numbering(self.numbers, self._taken())
        text = self.text
        pieces: list[str] = []
        done = 0
        for edit in sorted(self._edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start < done:  # inside what another edit replaced
                continue
            pieces += [text[done : edit.start], edit.text]
            pieces += [f"[{numbering.number(cited)}]" for cited in dict.fromkeys(edit.cited)]
            done = edit.end
        written = "".join([*pieces, text[done:]])
        for cited in self._listed:
            numbering.number(cited)
        if self.numbers:
            written = _literal_indices(written, numbering.used)
        answer = mathematics.convert(written).strip("\n")
        return Turn(answer, prompt.strip("\n"), sources=numbering.sources(), date=date)

    def _taken(self) -> set[int]:
        """The numbers in brackets that stand in the text and are no citations."""
        masked = mask(self.text)
        return {
            int(number) for marker in find(masked) for number in marker.numbers if len(number) < 10
        }


class _Numbering:
    """Numbers for sources: those of the export, and free ones for what it gives none."""

    def __init__(self, numbers: dict[int, Cited], taken: set[int]) -> None:
        self.used = dict(numbers)
        self.by_url = {cited.url.strip(): number for number, cited in reversed(numbers.items())}
        self.taken = taken

    def number(self, cited: Cited) -> int:
        url = cited.url.strip()
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
            Source(number, " ".join(cited.title.split()), without_tracking(cited.url.strip()))
            for number, cited in sorted(self.used.items())
        ]


def without_tracking(url: str) -> str:
    """`url` without the parameter that ChatGPT and OpenAI's tools add; nothing else changes."""
    found = _TRACKING.search(url)
    if found is None:
        return url
    before, behind = url[: found.start()], url[found.end() :]
    if found[0][0] == "?" and behind.startswith("&"):
        return f"{before}?{behind[1:]}"
    return before + behind


def _literal_indices(text: str, numbers: Iterable[int]) -> str:
    """The text, in which `x[1]` is no marker: an index behind a variable's one letter.

    An empty HTML comment in it shows nothing and parts it for the filter.
    """
    known = {str(number) for number in numbers}
    pieces: list[str] = []
    done = 0
    for marker in find(mask(text)):
        before = text[max(marker.start - 2, 0) : marker.start]
        if marker.role == "marker" and known.issuperset(marker.numbers) and _INDEX.search(before):
            pieces += [text[done : marker.start + 1], "<!-- -->"]
            done = marker.start + 1
    return "".join([*pieces, text[done:]])
