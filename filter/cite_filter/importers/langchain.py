"""LangChain: messages whose texts have annotations; the units are those of who made the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.annotations import UNITS, Named, annotate
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    cite_at,
    file_source,
    prompt_of,
    records,
    request_messages,
    source_of,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.values import Unit, list_of, map_of, maps_of, text_of

NAME = "langchain"

_BYTES_FIRST: Sequence[Unit] = ("utf-8", "code points", "utf-16")
_KINDS = {
    "human": "human",
    "HumanMessage": "human",
    "ai": "ai",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
}


def recognises(export: Export) -> bool:
    """Whether the file holds messages of a human and of an AI, in any form that they are dumped."""
    return any(_kind(message) for message in _messages(export)[:50])


def transcripts(export: Export) -> Iterator[Imported]:
    """One conversation of the messages of the file."""
    chat = Chat()
    for message in _messages(export):
        fields = _fields(message)
        if _kind(message) == "human":
            chat.ask(prompt_of(fields.get("content")))
        elif _kind(message) == "ai":
            _answer(chat, fields)
    if not chat.turns:
        raise Refused("holds no message of the model")
    yield chat.imported()


def _messages(export: Export) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for record in records(export):
        state = map_of(record.get("values")) or record
        found += [record] if _kind(record) else request_messages(state)
    return found


def _kind(message: dict[str, Any]) -> str | None:
    """`human` or `ai`; None for what is neither, or no message of LangChain's."""
    names = list_of(message.get("id"))
    if message.get("type") == "constructor" and names:
        kind = _KINDS.get(text_of(names[-1]))
    else:
        kind = _KINDS.get(text_of(message.get("type")))
    return kind if isinstance(_fields(message).get("content"), (str, list)) else None


def _fields(message: dict[str, Any]) -> dict[str, Any]:
    """What a message holds: beside its type, or under `data` or `kwargs`."""
    return map_of(message.get("kwargs")) or map_of(message.get("data")) or message


def _answer(chat: Chat, fields: dict[str, Any]) -> None:
    metadata = map_of(fields.get("response_metadata"))
    provider = text_of(metadata.get("model_provider")).lower()
    units = _BYTES_FIRST if "google" in provider else UNITS
    content = fields.get("content")
    blocks: list[Any] = [content] if isinstance(content, str) else list_of(content)
    texts = [
        {"type": "text", "text": block} if isinstance(block, str) else map_of(block)
        for block in blocks
    ]
    texts = [block for block in texts if block.get("type") == "text"]
    answer = Answer("".join(text_of(block.get("text")) for block in texts))
    base = unplaced = 0
    for block in texts:
        text = text_of(block.get("text"))
        claimed = [one for item in maps_of(block.get("citations")) if (one := _cited(item))]
        named = []
        for item in maps_of(block.get("annotations")):
            cited = _cited(item)
            if cited is None:
                continue
            if provider == "anthropic" and item.get("end_index") is None:
                claimed.append(cited)  # the block is the claim
            else:
                named.append(Named(cited, item.get("start_index"), item.get("end_index")))
        unplaced += annotate(answer, base, text, named, units)
        base += len(text)
        cite_at(answer, [(base, cited) for cited in claimed])
    chat.answer(answer)
    chat.note_unplaced(unplaced)


def _cited(item: dict[str, Any]) -> Cited | None:
    """What an annotation names; None for one of another kind, or that names nothing."""
    kind = text_of(item.get("type"))
    if kind in ("citation", "url_citation", "web_search_result_location"):
        return source_of(item.get("url"), item.get("title"))
    if kind == "search_result_location":
        return source_of(item.get("source"), item.get("title"))
    if kind in ("char_location", "page_location", "content_block_location"):
        name = text_of(item.get("document_title"))
        return file_source(name) if name else None
    if kind == "file_citation" and text_of(item.get("filename")):
        return file_source(text_of(item.get("filename")))
    return None
