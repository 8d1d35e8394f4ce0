"""Transcripts as they are stored here: `schemas/transcript.schema.json`."""

from __future__ import annotations

from collections.abc import Iterator

from cite_filter.fields import InvalidData
from cite_filter.importers import Imported, Refused
from cite_filter.importers.exports import Export
from cite_filter.transcripts import Transcript

NAME = "transcript"


def recognises(export: Export) -> bool:
    """Whether it has turns, and each of them an answer."""
    turns = export.data.get("turns") if isinstance(export.data, dict) else None
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(isinstance(turn, dict) and isinstance(turn.get("answer"), str) for turn in turns)
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """The transcript, as it is."""
    try:
        yield Imported(Transcript.from_json(export.data), [], list_all=False)
    except InvalidData as error:
        raise Refused(str(error)) from None
