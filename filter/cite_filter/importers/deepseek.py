"""DeepSeek's export: a list of conversations, each a tree of messages made of fragments.

An answer cites by `[citation:N]`, where N is the `cite_index` of a result of its searches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.marks import in_prose
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of, whole_of

NAME = "deepseek"

_MARK = re.compile(r"\[citation:\s*\d{1,9}(?:\s*[,，]\s*(?:citation:\s*)?\d{1,9})*\]", re.I)
_NUMBER = re.compile(r"\d+")


def recognises(export: Export) -> bool:
    """Whether a conversation of the export has messages made of fragments."""
    return any(_messages(conversation) for conversation in _conversations(export.data))


def transcripts(export: Export) -> Iterator[Imported]:
    """The conversations of the export, those without any answer left out."""
    count = 0
    for conversation in _conversations(export.data):
        chat = _chat(conversation)
        if chat.turns:
            count += 1
            yield chat.imported()
    if not count:
        raise Refused("none of its conversations has an answer; there is nothing to import")


def _conversations(data: Any) -> list[dict[str, Any]]:
    return maps_of([data, *list_of(data)])


def _messages(conversation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The messages of all branches, by the node that holds them."""
    return {
        key: message
        for key, node in map_of(conversation.get("mapping")).items()
        if isinstance((message := map_of(map_of(node).get("message"))).get("fragments"), list)
    }


def _chat(conversation: dict[str, Any]) -> Chat:
    chat = Chat(
        title=text_of(conversation.get("title")),
        date=date_of(conversation.get("inserted_at")),
        id=text_of(conversation.get("id")),
    )
    for message in _branch(conversation, chat):
        date = date_of(message.get("inserted_at"))
        chat.ask(_text(message, "REQUEST"))
        chat.answer(_answer(message), date=date)
    return chat


def _branch(conversation: dict[str, Any], chat: Chat) -> list[dict[str, Any]]:
    """The messages of the newest branch; the export names none."""
    messages = _messages(conversation)
    nodes = map_of(conversation.get("mapping"))
    parents = {key: text_of(map_of(node).get("parent")) for key, node in nodes.items()}
    dates = {key: date_of(message.get("inserted_at")) for key, message in messages.items()}
    return [messages[key] for key in chat.branch(parents, dates) if key in messages]


def _fragments(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in maps_of(message.get("fragments")) if one.get("type") == kind]


def _text(message: dict[str, Any], kind: str) -> str:
    texts = [text_of(fragment.get("content")) for fragment in _fragments(message, kind)]
    return "\n\n".join(text for text in texts if text.strip())


def _answer(message: dict[str, Any]) -> Answer:
    answer = Answer(_text(message, "RESPONSE"))
    known = _sources(message)
    for mark in in_prose(answer.text, _MARK):
        start, end = mark.span()
        numbers = [int(number) for number in _NUMBER.findall(mark[0])]
        cited = [source for number in numbers if (source := known.get(number))]
        if len(cited) < len(numbers):
            end -= 1
            answer.lose(end, end + 1)
        answer.cite(start, end, cited)
    return answer


def _sources(message: dict[str, Any]) -> dict[int, Cited | None]:
    """What the numbers of a message stand for; None for one that stands for several pages.

    A result without a `cite_index` was read and not cited.
    """
    found: dict[int, Cited | None] = {}
    for fragment in maps_of(message.get("fragments")):
        for result in maps_of(fragment.get("results")):
            number, url = whole_of(result.get("cite_index")), text_of(result.get("url")).strip()
            if number is None or not re.match(r"https?://", url, re.I):
                continue
            known = found.setdefault(number, Cited(url, text_of(result.get("title"))))
            if known and known.url != url:
                found[number] = None
    return found
