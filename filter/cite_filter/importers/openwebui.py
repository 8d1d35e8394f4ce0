"""Open WebUI's export of chats: one in a file, or a list of them.

An answer cites by `[n]`, the n-th of the different sources among the documents that it was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat, file_source, prompt_of
from cite_filter.importers.exports import Export
from cite_filter.importers.marks import in_prose
from cite_filter.importers.thoughts import end_of_element
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of

NAME = "openwebui"

_FOLDED = re.compile(r"<details\b[^<>]*\btype=\"(?:reasoning|tool_calls|code_interpreter)\"[^<>]*>")
_DETAILS = re.compile(r"<(?:(?P<closes>/)details\s*|details\b[^<>]*)>")
_SUFFIXED = re.compile(r"\[(\d{1,9}(?:#[^\[\]\s,]*)?(?:,\s*\d{1,9}(?:#[^\[\]\s,]*)?)*)\]")
_SUFFIX = re.compile(r"#[^\[\]\s,]*")


def recognises(export: Export) -> bool:
    """Whether the export holds chats of Open WebUI's shape."""
    return any(_messages(chat) for chat in _chats(export.data))


def transcripts(export: Export) -> Iterator[Imported]:
    """The chats of the export, those without any answer left out."""
    count = 0
    for item in _chats(export.data):
        chat = _chat(item)
        if chat.turns:
            count += 1
            yield chat.imported()
    if not count:
        raise Refused("none of its chats has an answer; there is nothing to import")


def _chats(data: Any) -> list[dict[str, Any]]:
    return [item for item in maps_of([data, *list_of(data)]) if isinstance(item.get("chat"), dict)]


def _messages(item: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The messages of all branches, or those of the one that old exports hold."""
    chat = map_of(item.get("chat"))
    tree = map_of(map_of(chat.get("history")).get("messages"))
    found = tree or {str(n): one for n, one in enumerate(list_of(chat.get("messages")))}
    return {
        key: message
        for key, message in found.items()
        if isinstance(message, dict) and message.get("role") in ("user", "assistant", "system")
    }


def _chat(item: dict[str, Any]) -> Chat:
    inner = map_of(item.get("chat"))
    chat = Chat(
        title=text_of(item.get("title")) or text_of(inner.get("title")),
        date=date_of(item.get("created_at")) or date_of(inner.get("timestamp")),
        id=text_of(item.get("id")),
    )
    for message in _branch(item, chat):
        content = prompt_of(message.get("content"))
        if message["role"] == "user":
            chat.ask(content)
        elif message["role"] == "assistant":
            chat.answer(_answer(content, message), date=date_of(message.get("timestamp")))
    return chat


def _branch(item: dict[str, Any], chat: Chat) -> list[dict[str, Any]]:
    """The messages of the branch that was shown."""
    messages = _messages(item)
    history = map_of(map_of(item.get("chat")).get("history"))
    if not map_of(history.get("messages")):
        return list(messages.values())
    parents = {key: text_of(message.get("parentId")) for key, message in messages.items()}
    leaf = text_of(history.get("currentId"))
    dates = {key: date_of(message.get("timestamp")) for key, message in messages.items()}
    return [messages[key] for key in chat.branch(parents, dates, leaf)]


def _answer(content: str, message: dict[str, Any]) -> Answer:
    text = _without_folded(content)
    sources = maps_of(message.get("sources")) or maps_of(message.get("citations"))
    if not sources:
        return Answer(text)
    answer = Answer(_without_suffixes(text))
    answer.cite_by_number({n: cited for n, cited in _numbered(sources).items() if cited})
    return answer


def _without_folded(text: str) -> str:
    """The text without thoughts and calls of tools, which are folded up above the answer."""
    pieces: list[str] = []
    done = 0
    while folded := _FOLDED.search(text, done):
        pieces.append(text[done : folded.start()])
        done = end_of_element(text, folded.end(), _DETAILS)
        while text.startswith("\n", done):
            done += 1
    return "".join([*pieces, text[done:]])


def _without_suffixes(text: str) -> str:
    """The text with `[1#part]` written `[1]`: what a number is followed by names no source."""
    pieces: list[str] = []
    done = 0
    for marker in in_prose(text, _SUFFIXED):
        pieces += [text[done : marker.start()], _SUFFIX.sub("", marker[0])]
        done = marker.end()
    return "".join([*pieces, text[done:]])


def _numbered(sources: list[dict[str, Any]]) -> dict[int, Cited | None]:
    """What each number stands for: the different sources of all documents in their order."""
    found: dict[str, list[Cited]] = {}
    for source in sources:
        about = map_of(source.get("source"))
        # A document without metadata, or the other way round, was not shown to the model.
        pairs = zip(list_of(source.get("document")), list_of(source.get("metadata")), strict=False)
        documents = [map_of(metadata) for _, metadata in pairs]
        keys = [_key(document, about) for document in documents]
        for key, document in zip(keys, documents, strict=True):
            alone = about if len(set(keys)) == 1 else {}
            cited = _cited(document, alone)
            found.setdefault(key, []).extend([cited] if cited else [])
    return dict(enumerate(map(_one, found.values()), start=1))


def _key(document: dict[str, Any], about: dict[str, Any]) -> str:
    return text_of(document.get("source")) or text_of(about.get("id")) or "N/A"


def _one(found: list[Cited]) -> Cited | None:
    """The source, where all documents say the same one."""
    if len({cited.url for cited in found}) != 1:
        return None
    return next((cited for cited in found if cited.title), found[0])


def _cited(document: dict[str, Any], about: dict[str, Any]) -> Cited | None:
    """The page, or the file, that a document came from."""
    titles = [text_of(document.get(key)).strip() for key in ("title", "name")]
    for value in (document.get("source"), document.get("url"), about.get("url"), about.get("id")):
        url = text_of(value).strip()
        if re.match(r"https?://", url, re.I):
            return Cited(url, next((title for title in titles if title and title != url), ""))
    for value in (*reversed(titles), about.get("name"), document.get("source")):
        # The name of a file, never where it lay on the server.
        if name := PurePath(text_of(value).strip().replace("\\", "/")).name:
            return file_source(name)
    return None
