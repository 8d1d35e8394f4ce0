"""What Google's AI Studio saves on a drive: chunks of a prompt, with footnotes in UTF-8 bytes."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat, cite_at
from cite_filter.importers.values import (
    date_of,
    map_of,
    maps_of,
    place,
    starts,
    text_of,
    whole_of,
)
from cite_filter.importers.words import is_within_word


def is_studio(record: dict[str, Any]) -> bool:
    """Whether an object is a prompt of AI Studio."""
    return isinstance(map_of(record.get("chunkedPrompt")).get("chunks"), list)


def read(chat: Chat, record: dict[str, Any]) -> None:
    """Reads the questions and answers of a file into the chat."""
    unwrapped = 0
    for chunk in maps_of(map_of(record["chunkedPrompt"]).get("chunks")):
        text = _text(chunk)
        if chunk.get("isThought") is True:
            continue
        if chunk.get("role") == "user":
            chat.ask(text)
        elif chunk.get("role") == "model":
            answer = Answer(text)
            unwrapped += _corroborate(answer, chunk)
            chat.answer(answer, date=date_of(chunk.get("createTime")))
    if unwrapped:
        chat.messages.append(
            f"{unwrapped} addresses were taken out of google.com/url, which wraps them"
        )


def _text(chunk: dict[str, Any]) -> str:
    """What a chunk shows. Where a part is a thought, the text of the whole may hold it too."""
    parts = maps_of(chunk.get("parts"))
    shown = [part for part in parts if part.get("thought") is not True]
    joined = "".join(text_of(part.get("text")) for part in shown)
    return joined if len(shown) < len(parts) else text_of(chunk.get("text")) or joined


def _corroborate(answer: Answer, chunk: dict[str, Any]) -> int:
    """Puts the footnotes of a chunk into its answer; returns how many addresses were wrapped."""
    grounding = map_of(chunk.get("grounding"))
    known = maps_of(grounding.get("groundingSources"))
    by_number = {whole_of(item.get("referenceNumber")): item for item in known}
    counted = starts(answer.text, "utf-8")
    placed: list[tuple[int, Cited | None]] = []
    wrapped: set[str] = set()
    segments = maps_of(grounding.get("corroborationSegments"))
    for segment in segments:
        number, index = whole_of(segment.get("footnoteNumber")), segment.get("index")
        source = by_number.get(number, {})
        url = text_of(segment.get("uri")) or text_of(source.get("uri"))
        where = place(counted, index)
        if not url:
            end = len(answer.text) if where is None else where
            placed.append((end, None))
            continue
        cited = Cited(_unwrapped(url), text_of(source.get("title")))
        wrapped |= {url} - {cited.url}
        if where is None or is_within_word(answer.text, where):
            answer.list(cited)
        else:
            placed.append((where, cited))
    cite_at(answer, placed)
    named = [] if segments else [(item.get("uri"), item.get("title")) for item in known]
    named += [(item.get("uri"), None) for item in maps_of(chunk.get("citations"))]
    for address, title in named:
        url = text_of(address)
        if url:
            answer.list(Cited(_unwrapped(url), text_of(title)))
            wrapped |= {url} - {_unwrapped(url)}
    return len(wrapped)


def _unwrapped(url: str) -> str:
    """The address that a link of google.com/url leads to; any other as it is."""
    try:
        parts = urlsplit(url)
        if parts.netloc.lower() != "www.google.com" or parts.path != "/url":
            return url
        query = parse_qs(parts.query)
    except ValueError:
        return url
    target = (query.get("q") or query.get("url") or [""])[0]
    return target if re.match(r"https?://", target, re.I) else url
