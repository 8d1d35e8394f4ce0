"""Vercel's AI SDK: messages of parts, with sources that no place in the text is known of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.annotations import written_links
from cite_filter.importers.answers import Answer, Cited, citing
from cite_filter.importers.chats import Chat, either, file_source, prompt_of, records, source_of
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, map_of, maps_of, text_of

NAME = "vercel"

_PARTS = ("text", "source-url", "source-document", "source", "step-start")


def recognises(export: Export) -> bool:
    """Whether the file holds messages of the SDK: roles, and parts that say their type."""
    return any(
        message.get("role") in ("user", "assistant")
        and any(part.get("type") in _PARTS for part in maps_of(message.get("parts"))[:50])
        for chat in _chats(export)[:20]
        for message in _messages(chat)[:20]
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """A conversation for each list of messages in the file."""
    found = False
    for saved in _chats(export):
        chat = Chat(title=text_of(saved.get("title")), date=date_of(saved.get("createdAt")))
        for message in _messages(saved):
            parts = maps_of(message.get("parts"))
            if message.get("role") == "user":
                chat.ask(prompt_of(parts or message.get("content")))
            elif message.get("role") == "assistant":
                _answer(chat, parts, date_of(message.get("createdAt")))
        if chat.turns:
            found = True
            yield chat.imported()
    if not found:
        raise Refused("holds no answers")


def _chats(export: Export) -> list[dict[str, Any]]:
    """The objects that hold messages; a list of messages is one."""
    found = records(export)
    if any("parts" in record for record in found):
        return [{"messages": found}]
    return [record for record in found if isinstance(record.get("messages"), list)]


def _messages(chat: dict[str, Any]) -> list[dict[str, Any]]:
    return maps_of(chat.get("messages"))


def _answer(chat: Chat, parts: list[dict[str, Any]], date: str | None) -> None:
    answer = Answer(_text(parts))
    sources = [cited for part in parts if (cited := _source(part)) is not None]
    placed = written_links(answer.text, sources)
    for start, end, cited in placed:
        answer.cite(start, end, [cited])
    for cited in sources:
        answer.list(cited)
    answer.leave_thoughts()
    numbers = sources and any(True for _ in citing(answer.text))
    chat.answer(answer, date=date)
    chat.note_unplaced(len({cited.url for cited in sources} - {cited.url for *_, cited in placed}))
    if numbers and answer.text.strip():
        chat.note(
            "this export does not say what the numbers in brackets stand for; left as written"
        )


def _text(parts: list[dict[str, Any]]) -> str:
    """The texts of an answer; what a tool parts is a paragraph of its own."""
    text, apart = "", False
    for part in parts:
        if part.get("type") == "text":
            written = text_of(part.get("text"))
            text += ("\n\n" if apart and text and written else "") + written
            apart = apart and not written
        elif text_of(part.get("type")).partition("-")[0] in ("tool", "dynamic", "step"):
            apart = True
    return text


def _source(part: dict[str, Any]) -> Cited | None:
    """The source that a part is; None for any other part."""
    kind = part.get("type")
    if kind == "source":
        part = map_of(part.get("source"))
        kind = f"source-{text_of(part.get('sourceType'))}"
    if kind == "source-url":
        return source_of(part.get("url"), part.get("title")) if part.get("url") else None
    if kind == "source-document":
        name = text_of(either(part, "filename", "title"))
        return file_source(name) if name else None
    return None
