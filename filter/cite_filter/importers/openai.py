"""OpenAI's interfaces, Responses and Chat Completions, and who took their shape: OpenRouter, xAI.

An annotation names a stretch of one text. Where that is the link `([site](url))` which the model
wrote into it, the marker takes its place; else it stands behind the stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cite_filter.importers import Imported, Refused
from cite_filter.importers.annotations import Named, annotate
from cite_filter.importers.answers import Answer
from cite_filter.importers.chats import (
    Chat,
    either,
    exchange,
    file_source,
    prompt_of,
    records,
    request_messages,
    source_of,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.marks import in_prose
from cite_filter.importers.values import (
    date_of,
    list_of,
    map_of,
    maps_of,
    text_of,
)

NAME = "openai"

# What a model writes for its tools, in characters of private use, when nothing translates it.
_LEAKED = re.compile("\ue200(?:file)?cite\ue202[^\ue200\ue201\n]*\ue201")
_PRIVATE = re.compile("[\ue200-\ue206]")
_MISTRAL = ("reference", "tool_reference")


def recognises(export: Export) -> bool:
    """Whether the file holds responses, completions, or messages with annotations."""
    return any(_is_known(record) for record in records(export)[:50])


def transcripts(export: Export) -> Iterator[Imported]:
    """A conversation for each response; one for a list of messages, or for a stream."""
    found = records(export)
    chats = [_of_response(record) for record in found if _response(record)]
    if not chats:
        listed = [message for record in found[:1] for message in request_messages(record)]
        chats = [_of_items(_streamed(found) or listed or found)]
    for chat in chats:
        if not any(turn.all_sources for turn in chat.turns) and not chat.messages:
            chat.messages.append("this export holds no citations")
    if not any(chat.turns for chat in chats):
        raise Refused("holds no answer of the model; save the whole response")
    yield from (chat.imported() for chat in chats if chat.turns)


def _is_known(record: dict[str, Any]) -> bool:
    return (
        _response(record) is not None
        or any(map(_is_item, [record, *request_messages(record)]))
        or (bool(_delta(record)) and not _has_list(record))
    )


def _has_list(response: dict[str, Any]) -> bool:
    """Whether sources stand beside the choices: Perplexity's way."""
    return any(isinstance(response.get(key), list) for key in ("citations", "search_results"))


def _response(record: dict[str, Any]) -> dict[str, Any] | None:
    """The response that a record is or holds; None for an event, or what other vendors sent."""
    response = exchange(record).response
    if record.get("type") not in (None, "response.completed"):
        return None
    if response.get("object") == "response" or any(map(_is_item, maps_of(response.get("output")))):
        return response
    message = None if _has_list(response) else _message(response)
    parts = maps_of(message.get("content")) if message else []
    if message is None or any(part.get("type") in _MISTRAL for part in parts):
        return None
    return response


def _message(response: dict[str, Any]) -> dict[str, Any] | None:
    """The message of a completion; others are alternatives to it."""
    choices = maps_of(response.get("choices"))
    message = choices[0].get("message") if choices else None
    return message if isinstance(message, dict) else None


def _is_item(record: dict[str, Any]) -> bool:
    """Whether an object is an answer of the Responses interface, or one with annotations."""
    if record.get("role") != "assistant":
        return False
    parts = maps_of(record.get("content"))
    return any(part.get("type") == "output_text" for part in parts) or any(
        item.get("type") in ("url_citation", "file_citation")
        for item in maps_of(record.get("annotations"))
    )


def _of_response(record: dict[str, Any]) -> Chat:
    request, response = exchange(record)
    chat = Chat(date=date_of(either(response, "created_at", "created")))
    answers = [_message(response) or {}] if "choices" in response else response.get("output")
    _read(chat, [*request_messages(request), *maps_of(answers)])
    return chat


def _of_items(items: Sequence[dict[str, Any]]) -> Chat:
    chat = Chat()
    _read(chat, items)
    return chat


def _streamed(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The message whose pieces the events of a stream of completions hold."""
    pieces = [_delta(record) for record in found]
    text = "".join(text_of(piece.get("content")) for piece in pieces)
    annotations = [item for piece in pieces for item in list_of(piece.get("annotations"))]
    return [{"role": "assistant", "content": text, "annotations": annotations}] if text else []


def _delta(record: dict[str, Any]) -> dict[str, Any]:
    choices = maps_of(record.get("choices"))
    return map_of(choices[0].get("delta")) if choices else {}


def _read(chat: Chat, items: Sequence[dict[str, Any]]) -> None:
    """Questions and answers in order; the messages between two questions are one answer."""
    texts: list[_Text] = []
    for item in items:
        role = item.get("role", "assistant" if item.get("type") == "message" else None)
        if role == "user":
            _answer(chat, texts)
            texts = []
            chat.ask(prompt_of(item.get("content")))
        elif role == "assistant":
            texts += _texts(item, "\n\n" if texts else "")
    _answer(chat, texts, date=chat.date)


class _Text(NamedTuple):
    """A text that offsets are counted in, what parts it from the one before, its annotations."""

    gap: str
    text: str
    annotations: list[dict[str, Any]]


def _texts(message: dict[str, Any], gap: str) -> Iterator[_Text]:
    content = message.get("content")
    parts = [{"text": content}] if isinstance(content, str) else maps_of(content)
    own = maps_of(message.get("annotations"))
    for part in parts or [{"text": message.get("refusal")}]:
        text = text_of(part.get("text")) or text_of(part.get("refusal"))
        if text:
            yield _Text(gap, text, [*maps_of(part.get("annotations")), *own])
            gap, own = "", []


def _answer(chat: Chat, texts: Sequence[_Text], *, date: str | None = None) -> None:
    answer = Answer("".join(text.gap + text.text for text in texts))
    base = unplaced = 0
    for text in texts:
        base += len(text.gap)
        named = [one for item in text.annotations if (one := _named(item)) is not None]
        unplaced += annotate(answer, base, text.text, named)
        base += len(text.text)
    _clean(answer)
    chat.answer(answer, date=date)
    chat.note_unplaced(unplaced)


def _clean(answer: Answer) -> None:
    """Shows what leaked as citations that are lost; other characters of private use go."""
    done = 0
    for match in in_prose(answer.text, _LEAKED):
        _drop_private(answer, done, match.start())
        answer.lose(*match.span())
        done = match.end()
    _drop_private(answer, done, len(answer.text))


def _drop_private(answer: Answer, start: int, end: int) -> None:
    for match in _PRIVATE.finditer(answer.text, start, end):
        answer.replace(*match.span(), "")


def _named(item: dict[str, Any]) -> Named | None:
    """What an annotation names; None for one that names no source."""
    kind = item.get("type")
    fields = map_of(item.get(kind)) if isinstance(kind, str) else {}
    fields = fields or item
    if kind == "url_citation":
        cited = source_of(fields.get("url"), fields.get("title"))
        start, end = fields.get("start_index"), fields.get("end_index")
        return Named(cited, start, end) if cited and text_of(fields.get("url")) else None
    if kind == "file_citation":
        name = text_of(either(fields, "filename", "file_id"))
        place = either(fields, "end_index", "index")
        return Named(file_source(name), place, place) if name else None
    return None
