"""Google's interfaces: generateContent here, and where to find Interactions and AI Studio's files.

Supports name a stretch of the answer in UTF-8 bytes, with its text, and chunks by their position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cite_filter.importers import Imported, Refused, gemini_interactions, gemini_studio
from cite_filter.importers.annotations import end_of_only, ends
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    Exchange,
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
from cite_filter.importers.values import (
    Unit,
    date_of,
    list_of,
    map_of,
    maps_of,
    text_of,
    whole_of,
)

NAME = "gemini"

_UNITS: Sequence[Unit] = ("utf-8", "code points", "utf-16")


def recognises(export: Export) -> bool:
    """Whether the file holds candidates, an interaction, or what AI Studio saves on a drive."""
    return any(
        gemini_studio.is_studio(record)
        or gemini_interactions.is_interaction(exchange(record).response)
        or _has_candidates(record)
        for record in records(export)[:20]
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """A conversation for each response, and one for a file of AI Studio."""
    found = False
    for exchange_, stream in _answers(records(export)):
        chat = Chat()
        if gemini_studio.is_studio(exchange_.response):
            gemini_studio.read(chat, exchange_.response)
        elif gemini_interactions.is_interaction(exchange_.response):
            gemini_interactions.read(chat, exchange_)
        else:
            _generated(chat, exchange_.request, stream)
        if chat.turns:
            found = True
            yield chat.imported()
    if not found:
        raise Refused("holds no answer of the model; save the whole response")


def _has_candidates(record: dict[str, Any]) -> bool:
    candidates = maps_of(exchange(record).response.get("candidates"))
    return any(isinstance(candidate.get("content"), dict) for candidate in candidates)


def _answers(
    found: Sequence[dict[str, Any]],
) -> Iterator[tuple[Exchange, list[dict[str, Any]]]]:
    """Each response, with the events that it came in where it was streamed."""
    open_: tuple[Exchange, list[dict[str, Any]]] | None = None
    for record in found:
        this = exchange(record)
        if "candidates" in this.response:
            event = this.response is record and not request_messages(record)
            if open_ and event and _goes_on(open_[1][-1], this.response):
                open_[1].append(this.response)
                continue
            if open_:
                yield open_
            open_ = (this, [this.response])
        elif gemini_studio.is_studio(this.response) or gemini_interactions.is_interaction(
            this.response
        ):
            yield this, []
    if open_:
        yield open_


def _goes_on(last: dict[str, Any], response: dict[str, Any]) -> bool:
    """Whether a response is the next event of the stream that `last` is of."""
    ids = [either(event, "responseId", "response_id") for event in (last, response)]
    if all(ids):
        return bool(ids[0] == ids[1])
    return either(_candidate(last), "finishReason", "finish_reason") is None


def _candidate(response: dict[str, Any]) -> dict[str, Any]:
    """The answer that is shown; others are alternatives to it."""
    return next(iter(maps_of(response.get("candidates"))), {})


# --- generateContent -----------------------------------------------------------------------------


class _Text(NamedTuple):
    """An answer, and where in it the parts with text stand, by their positions."""

    whole: str
    parts: dict[int, tuple[int, str]]


def _generated(chat: Chat, request: dict[str, Any], stream: list[dict[str, Any]]) -> None:
    for message in request_messages(request):
        content = either(message, "parts", "content")
        if message.get("role", "user") == "user":
            chat.ask(prompt_of(content))
        elif message.get("role") in ("model", "assistant"):
            is_list = isinstance(message.get("parts"), list)
            chat.answer(Answer(_joined(maps_of(content)).whole if is_list else prompt_of(content)))
    events = [_candidate(response) for response in stream]
    text = _joined(
        [part for event in events for part in maps_of(map_of(event.get("content")).get("parts"))]
    )
    answer, listed = Answer(text.whole), 0
    chunks: list[Any] = []
    supports: list[tuple[dict[str, Any], list[Any]]] = []
    for event in events:
        metadata = map_of(either(event, "groundingMetadata", "grounding_metadata"))
        chunks = list_of(either(metadata, "groundingChunks", "grounding_chunks")) or chunks
        found = maps_of(either(metadata, "groundingSupports", "grounding_supports"))
        supports += [(support, chunks) for support in found]
    if supports:
        _support(answer, text, supports)
    else:
        for source in filter(None, map(_of_chunk, chunks)):
            answer.list(source)
            listed += 1
    date = either(stream[0], "createTime", "create_time") if stream else None
    chat.answer(answer, date=date_of(date))
    chat.note_unplaced(listed)


def _joined(parts: Sequence[dict[str, Any]]) -> _Text:
    """The parts that are shown, without a gap: thoughts are not."""
    whole, found = "", {}
    for position, part in enumerate(parts):
        written = text_of(part.get("text"))
        if written and part.get("thought") is not True:
            found[position] = (len(whole), written)
            whole += written
    return _Text(whole, found)


def _support(
    answer: Answer, text: _Text, supports: Sequence[tuple[dict[str, Any], list[Any]]]
) -> None:
    """Puts markers behind the stretches that are supported, where they are found."""
    places = _places(text, [map_of(support.get("segment")) for support, _ in supports])
    placed: list[tuple[int, Cited | None]] = []
    for (support, chunks), place_ in zip(supports, places, strict=True):
        indices = list_of(either(support, "groundingChunkIndices", "grounding_chunk_indices"))
        for number in map(whole_of, indices):
            known = number is not None and 0 <= number < len(chunks)
            source = _of_chunk(chunks[number]) if known and number is not None else None
            if place_ is not None or source is None:
                placed.append((len(text.whole) if place_ is None else place_, source))
            else:
                answer.list(source)
    cite_at(answer, placed)


def _places(text: _Text, segments: Sequence[dict[str, Any]]) -> list[int | None]:
    """Where each segment ends: counted in its part, or in the whole; else where its text stands."""
    found: dict[int, int] = {}
    by_part: dict[int, list[int]] = {}
    for n, segment in enumerate(segments):
        by_part.setdefault(_part_of(segment), []).append(n)
    for part, mine in by_part.items():
        if part in text.parts:
            base, written = text.parts[part]
            for n, end in zip(mine, _ends(written, [segments[n] for n in mine]), strict=True):
                if end is not None:
                    found[n] = base + end
    left = [n for n in range(len(segments)) if n not in found]
    for n, checked in zip(left, _ends(text.whole, [segments[n] for n in left]), strict=True):
        only = end_of_only(text.whole, text_of(segments[n].get("text")))
        end = only if checked is None else checked
        if end is not None:
            found[n] = end
    return [found.get(n) for n in range(len(segments))]


def _part_of(segment: dict[str, Any]) -> int:
    return whole_of(either(segment, "partIndex", "part_index")) or 0


def _ends(text: str, segments: Sequence[dict[str, Any]]) -> list[int | None]:
    firsts = [either(segment, "startIndex", "start_index") or 0 for segment in segments]
    lasts = [either(segment, "endIndex", "end_index") for segment in segments]
    said = [text_of(segment.get("text")) for segment in segments]
    return ends(text, list(zip(firsts, lasts, strict=True)), said, _UNITS)


def _of_chunk(chunk: Any) -> Cited | None:
    """The source that a chunk is of; None for one that names neither an address nor a file."""
    page = map_of(either(map_of(chunk), "web", "maps", "image"))
    if page:
        return source_of(either(page, "uri", "sourceUri", "source_uri"), page.get("title"))
    context = map_of(either(map_of(chunk), "retrievedContext", "retrieved_context"))
    title, address = text_of(context.get("title")), text_of(context.get("uri"))
    for entry in maps_of(either(context, "customMetadata", "custom_metadata")):
        if entry.get("key") in ("source_url", "url"):
            address = text_of(either(entry, "stringValue", "string_value")) or address
    if re.match(r"https?:", address, re.I):
        return Cited(address, title)
    name = title or address.rpartition("/")[2]
    return file_source(name) if name else None
