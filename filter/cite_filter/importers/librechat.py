r"""LibreChat's export of a conversation as JSON: a list of messages, or the tree of them.

Marks stand in the text as private-use characters, most of them spelled out in six: `\ue202`
and a token such as `turn0search1`, the result 1 of the search whose `turn` is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat, file_source
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of, whole_of
from cite_filter.prose import OPAQUE, mask_code

NAME = "librechat"

_SIGN = r"(?:\\ue20{0}|{1})"
_OPEN, _CLOSE, _CITE = (_SIGN.format(digit, chr(0xE200 + digit)) for digit in (0, 1, 2))
_TOKEN = re.compile(r"turn(\d{1,9})(search|news|image|video|ref|file)(\d{1,9})")
_ONE = rf"{_CITE}{_TOKEN.pattern.replace('(', '(?:')}"
_MARK = re.compile(rf"{_OPEN}\s*(?:{_ONE}\s*)+{_CLOSE}|{_ONE}|\\ue20[0-6]|[\ue200-\ue206]")
_RESULTS = {
    "organic": "search",
    "topStories": "news",
    "images": "image",
    "videos": "video",
    "references": "ref",
}
"""The lists of a search, and what their results are called in tokens."""
_THOUGHTS = re.compile(r"\A\s*:::thinking\n.*?(?:\n:::[ \t]*(?:\n|\Z)|\Z)", re.S)


def recognises(export: Export) -> bool:
    """Whether the export is a conversation of LibreChat's shape."""
    return any("isCreatedByUser" in message for message in _roots(export.data))


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation of the export."""
    data = map_of(export.data)
    chat = Chat(
        title=text_of(data.get("title")),
        date=date_of(data.get("createdAt")),
        id=text_of(data.get("conversationId")),
    )
    for message in _branch(data, chat):
        if message.get("isCreatedByUser") is True:
            chat.ask(_text(message))
        elif message.get("error") is not True:
            chat.answer(_answer(message), date=date_of(message.get("createdAt")))
    if not chat.turns:
        raise Refused("the conversation has no answer; there is nothing to import")
    yield chat.imported()


def _roots(data: Any) -> list[dict[str, Any]]:
    return [one for one in maps_of(map_of(data).get("messages")) if text_of(one.get("messageId"))]


def _branch(data: dict[str, Any], chat: Chat) -> list[dict[str, Any]]:
    """The messages of the newest branch; the export names none."""
    messages: dict[str, dict[str, Any]] = {}
    parents: dict[str, str] = {}
    roots = _roots(data)
    before = ["", *(text_of(one.get("messageId")) for one in roots)]
    left = [
        (one, text_of(one.get("parentMessageId")) or previous)
        for one, previous in reversed(list(zip(roots, before, strict=False)))
    ]
    while left:
        message, parent = left.pop()
        key = text_of(message.get("messageId"))
        if not key or key in messages:
            continue
        messages[key], parents[key] = message, parent
        left += [(child, key) for child in reversed(maps_of(message.get("children")))]
    dates = {key: date_of(message.get("createdAt")) for key, message in messages.items()}
    return [messages[key] for key in chat.branch(parents, dates)]


def _text(message: dict[str, Any]) -> str:
    """What a message says, without thoughts and calls of tools."""
    parts = []
    for part in maps_of(message.get("content")):
        if part.get("type") == "text":
            text = part.get("text")
            parts.append(text_of(map_of(text).get("value") if isinstance(text, dict) else text))
    found = "\n\n".join(part for part in parts if part.strip())
    return _THOUGHTS.sub("", found or text_of(message.get("text")))


def _answer(message: dict[str, Any]) -> Answer:
    answer = Answer(_text(message))
    known = _sources(message)
    masked = mask_code(answer.text)
    for mark in _MARK.finditer(answer.text):
        start, end = mark.span()
        if masked[start] == OPAQUE and mark[0].startswith("\\"):
            continue  # spelled out in code, it is what the answer speaks of
        tokens = [_normal(token) for token in _TOKEN.finditer(mark[0])]
        cited = [source for token in tokens if (source := known.get(token))]
        if len(cited) < len(tokens):
            end -= 1
            answer.lose(end, end + 1)
        answer.cite(start, end, cited)
    return answer


def _normal(token: re.Match[str]) -> str:
    return f"turn{int(token[1])}{token[2]}{int(token[3])}"


def _sources(message: dict[str, Any]) -> dict[str, Cited | None]:
    """What the tokens of a message stand for; None for one that stands for several pages."""
    found: dict[str, Cited | None] = {}
    for attachment in maps_of(message.get("attachments")):
        for token, source in (*_pages(attachment), *_files(attachment)):
            known = found.setdefault(token, source)
            if known and known.url != source.url:
                found[token] = None
    return found


def _pages(attachment: dict[str, Any]) -> Iterator[tuple[str, Cited]]:
    searched = map_of(attachment.get("web_search"))
    turn = whole_of(searched.get("turn"))
    for name, kind in _RESULTS.items():
        for position, result in enumerate(list_of(searched.get(name))):
            url = text_of(map_of(result).get("link")).strip()
            if turn is not None and re.match(r"https?://", url, re.I):
                title = text_of(map_of(result).get("title"))
                yield f"turn{turn}{kind}{position}", Cited(url, title)


def _files(attachment: dict[str, Any]) -> Iterator[tuple[str, Cited]]:
    searched = map_of(attachment.get("file_search"))
    turn = whole_of(searched.get("turn"))
    for position, result in enumerate(list_of(searched.get("sources"))):
        name = text_of(map_of(result).get("fileName")).strip()
        if turn is not None and name:
            yield f"turn{turn}file{position}", file_source(name)
