"""LobeChat: answers that cite by number, and by position the pages that a search found for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat, prompt_of, source_of
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of

NAME = "lobechat"


def recognises(export: Export) -> bool:
    """Whether the file is what LobeChat saves of sessions, or of its whole database."""
    data = map_of(export.data)
    saved = "exportType" in data or "schemaHash" in data
    return saved and isinstance(_state(data).get("messages"), list)


def transcripts(export: Export) -> Iterator[Imported]:
    """A conversation for each topic, and for what a session holds without one."""
    state = _state(map_of(export.data))
    titles = {
        text_of(one.get("id")): text_of(one.get("title")) for one in maps_of(state.get("topics"))
    }
    found = False
    for topic, messages in _topics(maps_of(state.get("messages"))):
        chat = Chat(title=titles.get(topic, ""))
        for message in messages:
            date = date_of(message.get("createdAt"))
            chat.date = chat.date or date
            if message.get("role") == "user":
                chat.ask(prompt_of(message.get("content")))
            elif message.get("role") == "assistant":
                chat.answer(_answer(message), date=date)
        if chat.turns:
            found = True
            yield chat.imported()
    if not found:
        raise Refused("holds no answers; export the messages with the settings")


def _state(data: dict[str, Any]) -> dict[str, Any]:
    return map_of(data.get("state")) or map_of(data.get("data"))


def _topics(
    messages: list[dict[str, Any]],
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The messages by session, topic and thread, each in the order in which they were written."""
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for message in messages:
        session, topic, thread = (
            text_of(message.get(name)) for name in ("sessionId", "topicId", "threadId")
        )
        found.setdefault((session, topic, thread), []).append(message)
    for (_, topic, _), held in found.items():
        yield topic, sorted(held, key=_written)


def _written(message: dict[str, Any]) -> tuple[str, float, str]:
    """When a message was written, finer than to the second."""
    moment = message.get("createdAt")
    date = date_of(moment) or ""
    number = float(moment) if date and isinstance(moment, (int, float)) else 0.0
    return date, number, text_of(moment)


def _answer(message: dict[str, Any]) -> Answer:
    answer = Answer(text_of(message.get("content")))
    pages = list_of(map_of(message.get("search")).get("citations"))
    known: dict[int, Cited] = {}
    for number, page in enumerate(map(map_of, pages), start=1):
        cited = source_of(page.get("url"), page.get("title"))
        if cited is not None:
            known[number] = cited
    if pages:
        answer.cite_by_number(known)
    return answer
