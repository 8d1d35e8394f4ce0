"""What the importers of programming interfaces share: the records of a file, its questions, turns.

A response is saved in many ways: alone, in a list, one a line, as the events of a stream, and with
the request that it answers beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cite_filter.importers import Imported
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.branches import branch, newest
from cite_filter.importers.exports import Export
from cite_filter.importers.values import map_of, maps_of, text_of
from cite_filter.transcripts import Transcript, Turn

_EVENT = re.compile(r"^data:[ \t]?(\{.*)$", re.M)
_TEXTS = ("text", "input_text", "output_text")


class Exchange(NamedTuple):
    """A response, and what was saved of its request; empty where nothing was."""

    request: dict[str, Any]
    response: dict[str, Any]


@dataclass(slots=True)
class Chat:
    """One conversation while it is read."""

    title: str = ""
    date: str | None = None
    turns: list[Turn] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    id: str = ""
    """What the export calls it."""
    _asked: list[str] = field(default_factory=list)

    def ask(self, prompt: str) -> None:
        """What the user said; several in a row are one question."""
        if prompt.strip():
            self._asked.append(prompt.strip("\n"))

    def answer(self, answer: Answer, *, date: str | None = None) -> None:
        """The answer to what was asked; one that says nothing is none."""
        answer.leave_thoughts()
        if not answer.text.strip():
            return
        self.turns.append(answer.turn("\n\n".join(self._asked), date=date))
        self._asked = []
        for complaint in answer.complaints():
            self.note(complaint)

    def branch(
        self, parents: Mapping[str, str], dates: Mapping[str, str | None], leaf: str = ""
    ) -> list[str]:
        """The nodes of the branch that was shown: the one up to `leaf`, else the newest.

        Where others are left for the newest, a message says so.
        """
        if leaf in parents:
            return branch(parents, leaf)
        found = branch(parents, newest(parents, dates))
        if len(found) < len(parents):
            self.messages.append(
                "the export does not say which branch was shown; the newest is taken"
            )
        return found

    def note(self, message: str) -> None:
        """A message on the turn that was read last."""
        self.messages.append(f"turn {len(self.turns)}: {message}")

    def note_unplaced(self, count: int) -> None:
        """A message on sources of the turn that was read last, where there are such."""
        if count and self.turns:
            sources = "1 source is" if count == 1 else f"{count} sources are"
            self.note(f"this export does not say where {sources} cited; listed only")

    def imported(self) -> Imported:
        """What was read."""
        provenance = {"id": self.id} if self.id else {}
        transcript = Transcript(self.turns, self.title, date=self.date, provenance=provenance)
        return Imported(transcript, self.messages)


def records(export: Export) -> list[dict[str, Any]]:
    """The objects of a file: one, those of a list, one a line, or the events of a stream."""
    if isinstance(export.data, dict):
        return [export.data]
    return maps_of(export.data) or events(export) or export.lines


def events(export: Export) -> list[dict[str, Any]]:
    """The objects that a saved stream of server-sent events holds."""
    if not export.text.lstrip()[:6].startswith(("data:", "event:", ":", "id:")):
        return []
    found = []
    for match in _EVENT.finditer(export.text.replace("\r\n", "\n")):
        try:
            value = json.loads(match[1])
        except (ValueError, RecursionError):
            continue
        found.append(map_of(value))
    return found


def exchange(record: dict[str, Any]) -> Exchange:
    """The response that a record is or holds, and the request that stands beside or around it."""
    response = record
    for key in ("response", "body"):
        if isinstance(response.get(key), dict):
            response = response[key]
    request = map_of(record.get("request")) or record
    return Exchange(map_of(request.get("body")) or request, response)


def prompt_of(content: Any) -> str:
    """The text of what a user said: a string, or the texts among its parts; no thoughts."""
    if isinstance(content, str):
        return text_of(content)
    parts = (
        text_of(part.get("text"))
        for part in maps_of(content)
        if part.get("type", "text") in _TEXTS and part.get("thought") is not True
    )
    return "\n\n".join(part for part in parts if part.strip())


def first(values: Iterable[Any]) -> Any:
    """The first of the values that is not None."""
    return next((value for value in values if value is not None), None)


def either(value: dict[str, Any], *names: str) -> Any:
    """What an object holds under the first of the names that it has a value for."""
    return first(value.get(name) for name in names)


# --- Citing --------------------------------------------------------------------------------------


def cite_at(answer: Answer, placed: Sequence[tuple[int, Cited | None]]) -> None:
    """Puts a marker at the end of each claim; those of one place stand in one run, each once.

    None is a citation that nothing resolves. White space at the end of a claim stays behind its
    marker.
    """
    runs: dict[int, list[Cited | None]] = {}
    for place, cited in placed:
        runs.setdefault(_before_space(answer.text, place), []).append(cited)
    for place, run in runs.items():
        known = [cited for cited in run if cited is not None]
        if known:
            answer.cite(place, place, known)
        for _ in range(len(run) - len(known)):
            answer.lose(place, place)


def _before_space(text: str, place: int) -> int:
    while place > 0 and text[place - 1].isspace():
        place -= 1
    return place


def file_source(name: str) -> Cited:
    """A source that is a file."""
    return Cited(f"file:{name}", name)


def source_of(url: Any, title: Any = None) -> Cited | None:
    """The source with this URL; a title alone is the name of a file; None for neither."""
    address, name = text_of(url).strip(), text_of(title).strip()
    if re.match(r"[a-z][a-z0-9+.-]+:", address, re.I):
        return Cited(address, name)
    shown = name or address
    return file_source(shown) if shown else None


def request_messages(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a request, under any of the names they have; a string is the user's."""
    content = either(request, "messages", "input", "inputs", "contents", "prompt")
    if isinstance(content, str):
        return [{"role": "user", "content": content}]
    return maps_of([content] if isinstance(content, dict) else content)
