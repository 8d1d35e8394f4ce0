"""Anthropic's Messages API: a response, a list of messages, a request with its response, a stream.

A block of text that has citations is the claim, so its markers stand at its end; no offset counts
in the answer. Sources are pages, or documents of the request that have but a title.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    cite_at,
    exchange,
    file_source,
    prompt_of,
    records,
    request_messages,
    source_of,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.values import map_of, maps_of, text_of, whole_of

NAME = "anthropic"

_TOOLS = frozenset(
    ("server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "web_fetch_result")
)
_OF_DOCUMENTS = frozenset(("char_location", "page_location", "content_block_location"))
_LOCATIONS = frozenset(("web_search_result_location", "search_result_location")) | _OF_DOCUMENTS
_GOES_ON = frozenset(("", "tool_use", "pause_turn"))
"""Reasons to stop after which the same answer goes on."""


class _Document(NamedTuple):
    """A document that the model was given, or a page that it fetched."""

    title: str
    url: str
    """Empty for a file."""
    text: str
    """Empty where it is not plain text."""


def recognises(export: Export) -> bool:
    """Whether there is an event or a message of this interface."""
    return any(
        record.get("type") == "message_start" or any(map(_is_ours, _messages_of(record)))
        for record in records(export)
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation. Raises Refused where nothing was answered."""
    chat = Chat()
    answer = Answer("")
    documents: list[_Document] = []
    for message in _messages(export):
        if message.get("role") == "user":
            prompt = prompt_of(message.get("content"))
            if prompt.strip():  # what a tool brought is no question
                chat.answer(answer)
                chat.ask(prompt)
                answer = Answer("")
            documents += _documents(message.get("content"))
        elif message.get("role", "assistant") == "assistant":
            _add(answer, message.get("content"), documents)
            if text_of(message.get("stop_reason")) not in _GOES_ON:
                chat.answer(answer)
                answer = Answer("")
    chat.answer(answer)
    if not chat.turns:
        raise Refused("holds no answer, for no message of the assistant has text")
    yield chat.imported()


# --- Messages ------------------------------------------------------------------------------------


def _messages(export: Export) -> list[dict[str, Any]]:
    found = records(export)
    if any(record.get("type") == "message_start" for record in found):
        return list(_streamed(found))
    return [message for record in found for message in _messages_of(record)]


def _messages_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a request and of its response; of a batch, those of one result."""
    request, response = exchange(map_of(map_of(record.get("result")).get("message")) or record)
    return [*request_messages(request), *([response] if "content" in response else [])]


def _is_ours(message: dict[str, Any]) -> bool:
    if message.get("role", "assistant") != "assistant":
        return False
    blocks = maps_of(message.get("content"))
    if message.get("type") == "message" and "stop_reason" in message:
        return any(block.get("type") == "text" for block in blocks)
    if message.get("type", "message") != "message":
        return False
    return any(
        text_of(block.get("type")) in _TOOLS
        or any(text_of(item.get("type")) in _LOCATIONS for item in maps_of(block.get("citations")))
        for block in blocks
    )


def _streamed(found: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages that the events of streams make."""
    message: dict[str, Any] | None = None
    blocks: dict[int | None, dict[str, Any]] = {}
    for event in [*found, {"type": "message_start"}]:
        kind, index, delta = event.get("type"), whole_of(event.get("index")), event.get("delta")
        if kind == "message_start":
            if message is not None:
                yield {**message, "content": list(blocks.values())}
            message, blocks = {"role": "assistant", **map_of(event.get("message"))}, {}
        elif kind == "content_block_start":
            blocks[index] = dict(map_of(event.get("content_block")))
        elif kind == "content_block_delta" and index in blocks:
            block, change = blocks[index], map_of(delta)
            if change.get("type") == "text_delta":
                block["text"] = text_of(block.get("text")) + text_of(change.get("text"))
            elif change.get("type") == "citations_delta":
                block["citations"] = [*maps_of(block.get("citations")), change.get("citation")]
        elif kind == "message_delta" and message is not None:
            message["stop_reason"] = map_of(delta).get("stop_reason")


# --- Sources -------------------------------------------------------------------------------------


def _add(answer: Answer, content: Any, documents: list[_Document]) -> None:
    """Adds what a message says to the answer, and what it fetched to the documents."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    parted = True
    for block in maps_of(content):
        if block.get("type") != "text":
            documents += _documents([block])
            parted = True
            continue
        if parted and answer.text.strip():
            answer.text = answer.text.rstrip() + "\n\n"
        parted = False
        answer.text += text_of(block.get("text"))
        place = len(answer.text.rstrip())
        sources = [_cited(citation, documents) for citation in maps_of(block.get("citations"))]
        cite_at(answer, [(place, cited) for cited in sources if cited is not None])
        for _ in range(sources.count(None)):
            answer.lose(place, place)


def _cited(citation: dict[str, Any], documents: list[_Document]) -> Cited | None:
    """The source of a citation; None for one that names none, or one that cannot be told."""
    kind = text_of(citation.get("type"))
    if kind == "search_result_location":
        return source_of(citation.get("source"), citation.get("title"))
    if kind not in _OF_DOCUMENTS:
        return Cited(url, text_of(citation.get("title"))) if (url := _url(citation)) else None
    title, said = text_of(citation.get("document_title")), text_of(citation.get("cited_text"))
    fitting = {
        Cited(document.url, document.title) if document.url else file_source(document.title)
        for document in documents
        if title in ("", document.title)
        and said.strip() in (document.text or said)
        and (document.url or document.title)
    }
    if fitting:
        return fitting.pop() if len(fitting) == 1 else None
    if any(document.url and title in ("", document.title) for document in documents):
        return None  # a page, but its text is another
    number = whole_of(citation.get("document_index"))
    if title or number is None:
        return file_source(title) if title else None
    return file_source(f"Document {number + 1}")


def _url(value: dict[str, Any]) -> str:
    return text_of(value.get("url")).strip()


def _documents(content: Any) -> Iterator[_Document]:
    """The documents among the parts of a message, also those that a tool brought."""
    for block in maps_of(content):
        kind = block.get("type")
        if kind == "document":
            yield _document(block, _url(map_of(block.get("source"))))
        elif kind == "web_fetch_tool_result":
            fetched = map_of(block.get("content"))
            yield _document(map_of(fetched.get("content")), _url(fetched))
        elif kind == "tool_result":
            yield from _documents(
                [part for part in maps_of(block.get("content")) if part.get("type") == "document"]
            )


def _document(block: dict[str, Any], url: str) -> _Document:
    source = map_of(block.get("source"))
    text = text_of(source.get("data")) if source.get("type") == "text" else ""
    return _Document(text_of(block.get("title")), url, text)
