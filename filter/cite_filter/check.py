"""`cite check`: what of a transcript's citations can be verified, with the lines of what cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cite_filter import reading, source_text
from cite_filter.linking import Result, link
from cite_filter.source_text import SourceText
from cite_filter.turns import Turn


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one file."""

    path: Path
    turns: Sequence[Turn]
    warnings: Sequence[str] = ()
    """What the source pass found, with lines."""
    unresolved: Sequence[int | None] = ()
    """Where citations stand whose source an importer did not find: lines, where they are known."""

    @property
    def is_clean(self) -> bool:
        """Whether everything that looks like a citation is one."""
        return not self.unresolved and all(turn.is_clean for turn in self.turns)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data; lines are 1-based, numbers as written."""
        return {
            "file": str(self.path),
            "clean": self.is_clean,
            "turns": [_turn_to_json(turn) for turn in self.turns],
            "unresolved": list(self.unresolved),
            "warnings": list(self.warnings),
        }


def check(
    path: Path,
    *,
    text: str | None = None,
    messages: Sequence[str] = (),
    most_bytes: int = source_text.MOST_BYTES,
) -> Report:
    """The report of one file, or of the transcript `text` that was made of it. Raises CiteError.

    `messages` are what its importer had to say.
    """
    source = source_text.of(path, text, messages, most_bytes=most_bytes)
    document = reading.read(source, with_lines=not source.is_made)
    result = link(document, sources=source.document_sources)
    return report(source, result)


def report(source: SourceText, result: Result) -> Report:
    """What linking found, with the lines of the turns where the source pass knows them."""
    unresolved = [None if source.is_made else line for line in source.unresolved]
    return Report(source.path, result.turns, source.warnings, unresolved)


def never_cited(turn: Turn) -> list[str]:
    """The numbers of sources that no marker names."""
    return [number for number in map(str, _numbers(turn)) if number not in turn.named]


def defined_twice(turn: Turn) -> Mapping[str, list[int | None]]:
    """Numbers that more than one entry has, with the lines of all of them in their YAML."""
    twice: dict[str, list[int | None]] = {}
    for source in turn.sources.repeated:
        first = turn.sources.by_number[str(source.number)]
        twice.setdefault(str(source.number), [first.line]).append(source.line)
    for number, candidates in turn.sources.conflicts.items():
        twice[number] = [source.line for source in candidates]
    return twice


def _numbers(turn: Turn) -> list[int]:
    return [source.number for source in turn.sources.in_order()]


def _turn_to_json(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "scope": turn.scope,
        "line": turn.line,
        "linked": turn.linked,
        "cited": sorted(map(int, turn.cited)),
        "unknown": turn.unknown,
        "unsafe": turn.unsafe,
        "foreign": turn.foreign,
        "never_cited": [int(number) for number in never_cited(turn)],
        "defined_twice": defined_twice(turn),
    }
