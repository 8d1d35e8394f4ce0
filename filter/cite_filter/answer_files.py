"""Files of structured answers: `schemas/answer.schema.json` in, `verified-answer` out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cite_filter import source_text
from cite_filter.answers import AnsweredQuestion, RetrievedSource
from cite_filter.errors import CiteError
from cite_filter.fields import InvalidData
from cite_filter.verification import VerifiedAnswer

_MEND = "hand in what the model's tool call gave"


def is_answer(data: Any) -> bool:
    """Whether parsed JSON is a structured answer, with its sources or alone."""
    if not isinstance(data, dict):
        return False
    answer = data.get("answer", data)
    return isinstance(answer, dict) and isinstance(answer.get("claims"), list)


def read(path: Path, most_bytes: int, sources: Path | None = None) -> AnsweredQuestion:
    """The answer in a file, with its own sources or with those of another. Raises CiteError."""
    data = _json(path, most_bytes)
    if not is_answer(data):
        raise CiteError('is no structured answer; expected {"answer": {"claims": […]}, …}', path)
    given = None if sources is None else _sources(sources, most_bytes)
    if given is not None and data.get("sources"):
        raise CiteError("has sources of its own; leave out --sources, or take them out", path)
    try:
        asked = AnsweredQuestion.from_json(data, given)
    except InvalidData as error:
        raise CiteError(str(error), path) from None
    if given is None and "sources" not in data:
        raise CiteError(
            "has no sources; cite verify --sources FILE -o OUT makes one file of both", path
        )
    return asked


def _sources(path: Path, most_bytes: int) -> Sequence[RetrievedSource]:
    data = _json(path, most_bytes)
    items = data.get("sources") if isinstance(data, dict) else data
    if not isinstance(items, list):
        raise CiteError('is no list of sources; expected [{"url": …, "text": …}, …]', path)
    try:
        return [
            RetrievedSource.from_json(item, f"sources[{position}]")
            for position, item in enumerate(items)
        ]
    except InvalidData as error:
        raise CiteError(str(error), path) from None


def _json(path: Path, most_bytes: int) -> Any:
    text = source_text.read_text(path, most_bytes)
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise CiteError(f"is no valid JSON ({error.msg}); {_MEND}", path, error.lineno) from None
    except (RecursionError, ValueError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise CiteError(f"is no valid JSON ({why}); {_MEND}", path) from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def to_bytes(verified: VerifiedAnswer) -> bytes:
    """A verified answer as the bytes of a file, which `read` reads again."""
    return dumped(verified.to_json())


def dumped(data: Any) -> bytes:
    """Plain data as JSON in UTF-8; half characters, which UTF-8 cannot hold, as escapes."""
    try:
        return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
    except UnicodeEncodeError:
        return (json.dumps(data, indent=2) + "\n").encode("ascii")
