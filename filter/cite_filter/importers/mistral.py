"""Mistral: references between the texts of an answer, by the keys of a tool's result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    cite_at,
    either,
    exchange,
    prompt_of,
    records,
    request_messages,
    source_of,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of

NAME = "mistral"

_REFERENCES = ("reference", "tool_reference")
_ENTRIES = ("message.output", "tool.execution", "function.result")
_AMBIGUOUS = Cited("")
"""For a key that several results give different sources."""


def recognises(export: Export) -> bool:
    """Whether the file holds a conversation of Mistral's, or answers with its references."""
    return any(
        text_of(entry.get("type")) in _ENTRIES
        or any(part.get("type") in _REFERENCES for part in maps_of(entry.get("content")))
        for record in records(export)[:50]
        for entry in _entries(record)[:50]
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """One conversation of all that the file holds."""
    chat = Chat()
    known: dict[str, Cited] = {}
    for record in records(export):
        date = date_of(either(exchange(record).response, "created", "created_at"))
        for entry in _entries(record):
            kind, role = text_of(entry.get("type")), entry.get("role")
            if role == "user":
                known = {}
                chat.ask(prompt_of(entry.get("content")))
            elif role == "tool" or kind == "function.result":
                _learn(known, either(entry, "content", "result"))
            elif role == "assistant" or kind == "message.output":
                chat.answer(_answer(entry.get("content"), known), date=date)
    if not chat.turns:
        raise Refused("holds no answer of the model; save the whole response")
    yield chat.imported()


def _entries(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a record: it is one, or a response or request that holds some."""
    if isinstance(record.get("role"), str) or record.get("type") in _ENTRIES:
        return [record]
    request, response = exchange(record)
    answered = [
        map_of(either(choice, "message")) for choice in maps_of(response.get("choices"))[:1]
    ]
    held = maps_of(either(response, "outputs", "entries"))
    return [*request_messages(request), *answered, *held]


def _learn(known: dict[str, Cited], result: Any) -> None:
    """Takes the sources out of what a tool returned: a map from keys to pages."""
    if isinstance(result, list):
        result = "".join(text_of(part.get("text")) for part in maps_of(result))
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except (ValueError, RecursionError):
            return
    for key, page in map_of(result).items():
        cited = source_of(either(map_of(page), "url", "link"), map_of(page).get("title"))
        if cited is not None:
            same = known.get(key, cited).url == cited.url
            known[key] = cited if same else _AMBIGUOUS


def _answer(content: Any, known: dict[str, Cited]) -> Answer:
    if isinstance(content, str):
        return Answer(text_of(content))
    text = ""
    placed: list[tuple[int, Cited | None]] = []
    for part in maps_of(content):
        kind = part.get("type", "text")
        if kind == "text":
            text += text_of(part.get("text"))
        elif kind == "tool_reference":
            placed.append((len(text), source_of(part.get("url"), part.get("title"))))
        elif kind == "reference":
            for key in list_of(part.get("reference_ids")):
                cited = known.get(str(key)) if isinstance(key, (int, str)) else None
                placed.append((len(text), None if cited == _AMBIGUOUS else cited))
    answer = Answer(text)
    cite_at(answer, placed)
    return answer
