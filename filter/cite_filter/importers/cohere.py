"""Cohere: citations that name a stretch of the answer, with what it says, and documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.annotations import UNITS, end_of_only, ends
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    cite_at,
    either,
    exchange,
    file_source,
    prompt_of,
    records,
    request_messages,
    source_of,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.values import list_of, map_of, maps_of, text_of, whole_of

NAME = "cohere"

_FINISHED = ("COMPLETE", "MAX_TOKENS", "STOP_SEQUENCE", "ERROR_TOXIC")


def recognises(export: Export) -> bool:
    """Whether the file holds responses of the second or first version, or messages of them."""
    return any(
        _is_answer(exchange(record).response) or any(map(_is_cited, _messages(record)))
        for record in records(export)[:50]
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """One conversation of all that the file holds."""
    chat = Chat()
    for record in records(export):
        request, response = exchange(record)
        documents = [
            *maps_of(request.get("documents")),
            *maps_of(response.get("documents")),
        ]
        known = {text_of(one.get("id")): one for one in documents}
        for message in _messages(record):
            role = text_of(message.get("role")).lower()
            if role == "user":
                chat.ask(prompt_of(either(message, "content", "message")))
            elif role in ("assistant", "chatbot"):
                _answer(chat, message, known)
    if not chat.turns:
        raise Refused("holds no answer of the model; save the whole response")
    yield chat.imported()


def _is_answer(response: dict[str, Any]) -> bool:
    if response.get("finish_reason") in _FINISHED and isinstance(response.get("message"), dict):
        return True
    return isinstance(response.get("text"), str) and (
        "generation_id" in response or any("document_ids" in one for one in _citations(response))
    )


def _is_cited(message: dict[str, Any]) -> bool:
    """Whether a message has citations with the stretch and the sources that Cohere gives them."""
    return any(
        isinstance(one.get("text"), str) and ("sources" in one or "document_ids" in one)
        for one in _citations(message)
    )


def _citations(message: dict[str, Any]) -> list[dict[str, Any]]:
    return maps_of(message.get("citations"))


def _messages(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a record: it is one, or a request with its response."""
    if isinstance(record.get("role"), str):
        return [record]
    request, response = exchange(record)
    found = [*maps_of(request.get("chat_history")), *request_messages(request)]
    if isinstance(request.get("message"), str):
        found.append({"role": "user", "content": request["message"]})
    if isinstance(response.get("message"), dict):
        found.append({"role": "assistant", **response["message"]})
    elif isinstance(response.get("text"), str):
        content = [{"type": "text", "text": response["text"]}]
        found.append({**response, "role": "assistant", "content": content})
    return found


def _answer(chat: Chat, message: dict[str, Any], known: dict[str, dict[str, Any]]) -> None:
    content = either(message, "content", "message")
    parts = [{"text": content}] if isinstance(content, str) else list_of(content)
    texts = [
        text_of(map_of(part).get("text")) if map_of(part).get("type", "text") == "text" else ""
        for part in parts
    ]
    answer = Answer("".join(texts))
    placed: list[tuple[int, Cited | None]] = []
    unplaced: set[str] = set()
    shown = [one for one in _citations(message) if one.get("type") in (None, "TEXT_CONTENT")]
    for citation, end in zip(shown, _places(texts, shown), strict=True):
        for cited in _sources(citation, known):
            if end is not None or cited is None:
                placed.append((len(answer.text) if end is None else end, cited))
            else:
                answer.list(cited)
                unplaced.add(cited.url)
    cite_at(answer, placed)
    chat.answer(answer)
    chat.note_unplaced(len(unplaced - {cited.url for _, cited in placed if cited}))


def _places(texts: Sequence[str], citations: Sequence[dict[str, Any]]) -> list[int | None]:
    """Where each stretch ends, counted over all texts: by its offsets, else by what it says."""
    found: dict[int, int] = {}
    base = 0
    for position, text in enumerate(texts):
        mine = [n for n, one in enumerate(citations) if _content_of(one) == position]
        offsets = [(citations[n].get("start"), citations[n].get("end")) for n in mine]
        said = [text_of(citations[n].get("text")) for n in mine]
        for n, words, checked in zip(mine, said, ends(text, offsets, said, UNITS), strict=True):
            end = end_of_only(text, words) if checked is None else checked
            if end is not None:
                found[n] = base + end
        base += len(text)
    return [found.get(n) for n in range(len(citations))]


def _content_of(citation: dict[str, Any]) -> int:
    return whole_of(citation.get("content_index")) or 0


def _sources(citation: dict[str, Any], known: dict[str, dict[str, Any]]) -> Iterator[Cited | None]:
    """What a citation rests on; None for what is neither a page nor a document."""
    for source in maps_of(citation.get("sources")):
        identity = text_of(source.get("id"))
        if source.get("type") == "tool":
            output = map_of(source.get("tool_output"))
            yield source_of(either(output, "url", "link"), output.get("title"))
        else:
            yield _of_document(map_of(source.get("document")) or known.get(identity, {}), identity)
    for identity in map(text_of, list_of(citation.get("document_ids"))):
        yield _of_document(known.get(identity, {}), identity)


def _of_document(document: dict[str, Any], identity: str) -> Cited | None:
    fields = {**document, **map_of(document.get("data"))}
    named = source_of(either(fields, "url", "link"), either(fields, "title", "name"))
    if named is not None:
        return named
    name = text_of(fields.get("id")) or identity
    return file_source(name) if name else None
