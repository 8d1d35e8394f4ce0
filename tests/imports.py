"""What tests of importers share: an export from data, and where the answers of it cite what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cite_filter.importers import Imported, Vendor
from cite_filter.importers.exports import Export
from cite_filter.markers import find
from cite_filter.prose import mask
from cite_filter.transcripts import Turn


class Read(NamedTuple):
    """An answer without its markers, and what it cites where."""

    text: str
    cites: list[tuple[int, str]]
    """Places in `text`, each with a URL, in order."""
    listed: list[str]
    """URLs of the sources that it cites nowhere."""


def export(data: Any, name: str = "chat.json") -> Export:
    """The export that holds this text, or this data as JSON."""
    return Export(Path(name), data if isinstance(data, str) else json.dumps(data))


def imported(vendor: Vendor, data: Any) -> list[Imported]:
    """What the vendor's module, which must recognise it, makes of an export."""
    handed_in = export(data)
    assert vendor.recognises(handed_in)
    return list(vendor.transcripts(handed_in))


def turns(vendor: Vendor, data: Any) -> list[Turn]:
    """The turns of all conversations of an export."""
    return [turn for one in imported(vendor, data) for turn in one.transcript.turns]


def messages(vendor: Vendor, data: Any) -> list[str]:
    """What is said of all conversations of an export."""
    return [message for one in imported(vendor, data) for message in one.messages]


def read(turn: Turn) -> Read:
    """The answer of a turn, read as the filter reads it."""
    urls = {source.number: source.url for source in turn.all_sources}
    pieces: list[str] = []
    cites: list[tuple[int, str]] = []
    done = 0
    for marker in find(mask(turn.answer)):
        numbers = [int(number) for number in marker.numbers]
        if marker.role == "marker" and all(number in urls for number in numbers):
            pieces.append(turn.answer[done : marker.start])
            done = marker.end
            cites += [(sum(map(len, pieces)), urls[number]) for number in numbers]
    cited = {url for _, url in cites}
    listed = [url for url in urls.values() if url not in cited]
    return Read("".join([*pieces, turn.answer[done:]]), cites, listed)


def broken(value: Any) -> Iterator[Any]:
    """The data with each of its values, in turn, of another type, and with each left out."""
    others: list[Any] = [None, 7, -1, "x", [], {}, [[]], [None], True, 1e300]
    for wrong in others:
        yield from _broken(value, wrong)


def _broken(value: Any, wrong: Any) -> Iterator[Any]:
    yield wrong
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {name: kept for name, kept in value.items() if name != key}
            for other in _broken(inner, wrong):
                yield {**value, key: other}
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            for other in _broken(inner, wrong):
                yield [*value[:position], other, *value[position + 1 :]]


def survives(vendor: Vendor, data: Any) -> None:
    """Nothing breaks the importer, whatever is missing or of another type."""
    from cite_filter.importers import Refused

    for other in broken(data):
        handed_in = export(other)
        if vendor.recognises(handed_in):
            try:
                for one in vendor.transcripts(handed_in):
                    one.transcript.to_markdown()
            except Refused:
                pass
